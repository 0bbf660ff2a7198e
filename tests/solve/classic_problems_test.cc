// SPDX-License-Identifier: MIT
#include "testing/classic_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "sven/solve/check_jacobian.h"
#include "sven/solve/solve.h"

namespace sven::solve::classic_problems_test {
namespace {

using testing::ClassicProblem;
using testing::ClassicProblems;

Problem<double> Make(const ClassicProblem& classic) {
  Problem<double> problem(classic.parameters);
  classic.add(problem);
  return problem;
}

const ClassicProblem& Find(const std::string& name) {
  for (const ClassicProblem& classic : ClassicProblems()) {
    if (classic.name == name) return classic;
  }
  throw std::logic_error(name);
}

TEST(ClassicProblems, AllThirtyFiveAreThere) {
  std::set<int> numbers;
  for (const ClassicProblem& classic : ClassicProblems()) {
    numbers.insert(classic.number);
  }
  EXPECT_EQ(numbers.size(), 35);
}

// The formulas, against solutions and costs that the paper prints.
TEST(ClassicProblems, TheirKnownSolutionsHaveTheirKnownCosts) {
  const std::map<std::string, std::vector<double>> solutions = {
      {"Rosenbrock", {1, 1}},
      {"Freudenstein and Roth", {5, 4}},
      {"Brown badly scaled", {1e6, 2e-6}},
      {"Beale", {3, 0.5}},
      {"Helical valley", {1, 0, 0}},
      {"Gulf research and development", {50, 25, 1.5}},
      {"Box", {1, 10, 1}},
      {"Powell singular", {0, 0, 0, 0}},
      {"Wood", {1, 1, 1, 1}},
      {"Biggs EXP6", {1, 10, 1, 5, 4, 3}},
      {"variably dimensioned, n = 10", std::vector<double>(10, 1.0)},
      {"Brown almost linear, n = 10", std::vector<double>(10, 1.0)},
      {"linear, full rank, 20 x 10", std::vector<double>(10, -1.0)},
  };
  for (const auto& [name, theta] : solutions) {
    const ClassicProblem& classic = Find(name);
    Problem<double> problem = Make(classic);
    EXPECT_TRUE(classic.IsGlobalMinimum(problem.Cost(theta)))
        << name << ": " << problem.Cost(theta);
  }
}

TEST(ClassicProblems, TheirAutomaticDerivativesAgreeWithDifferences) {
  for (const ClassicProblem& classic : ClassicProblems()) {
    const Problem<double> problem = Make(classic);
    for (const double factor : {1.0, 1.7}) {
      const auto wrong =
          CheckJacobian<double>(problem, classic.StartTimes(factor));
      EXPECT_TRUE(wrong.empty())
          << classic.name << ": " << wrong.front().Describe();
    }
  }
}

struct Case {
  std::string name;
  double factor;
  auto operator<=>(const Case&) const = default;
};

// Where Levenberg-Marquardt is not expected to arrive at a minimum.
const std::set<Case> kUnsolved = {
    // The start overflows: exp(400) has no square.
    {"Jennrich and Sampson", 100},
    // Along a valley to infinity; 1.013e-8 after 1000 iterations, 1e-8 there.
    {"Powell badly scaled", 100},
    // Polynomials of high degree far outside of the interval that they are made
    // for.
    {"Chebyquad, n = 8", 10},
    {"Chebyquad, n = 8", 100},
    {"Chebyquad, n = 10", 10},
    {"Chebyquad, n = 10", 100},
};

class StartTest : public ::testing::TestWithParam<double> {};

INSTANTIATE_TEST_SUITE_P(Far, StartTest, ::testing::Values(1.0, 10.0, 100.0),
                         [](const auto& factor) {
                           return "Times" + std::to_string(int(factor.param));
                         });

// From far away roundings may decide between two minima, so a few cases may end
// elsewhere on another machine.
TEST_P(StartTest, LevenbergMarquardtEndsInAKnownMinimum) {
  const double factor = GetParam();
  int global = 0;
  int elsewhere = 0;
  for (const ClassicProblem& classic : ClassicProblems()) {
    if (kUnsolved.contains({classic.name, factor})) continue;
    Problem<double> problem = Make(classic);
    std::vector<double> theta = classic.StartTimes(factor);
    const Summary summary = Solve(problem, theta);
    EXPECT_NEAR(problem.Cost(theta), summary.final_cost,
                1e-12 * summary.final_cost);
    if (classic.IsGlobalMinimum(summary.final_cost)) ++global;
    if (!classic.IsMinimum(summary.final_cost)) {
      ++elsewhere;
      EXPECT_GT(factor, 1) << classic.name << ": " << summary.Brief();
    }
  }
  // Of 40; measured: 37, 30 and 28.
  const std::map<double, int> expected = {{1, 36}, {10, 28}, {100, 26}};
  EXPECT_GE(global, expected.at(factor));
  EXPECT_LE(elsewhere, 2);
}

TEST(ClassicProblems, NoConvergenceIsClaimedWhereThereIsNone) {
  for (const auto& [name, factor] : kUnsolved) {
    const ClassicProblem& classic = Find(name);
    Problem<double> problem = Make(classic);
    std::vector<double> theta = classic.StartTimes(factor);
    const Summary summary = Solve(problem, theta);
    EXPECT_EQ(summary.Converged(), classic.IsMinimum(summary.final_cost))
        << name << ": " << summary.Brief();
  }
}

// It has no scaling of the columns; what it finds differs.
TEST(ClassicProblems, AdaptiveSvenSolvesMostOfThem) {
  int minima = 0;
  for (const ClassicProblem& classic : ClassicProblems()) {
    Problem<double> problem = Make(classic);
    std::vector<double> theta = classic.start;
    const Summary summary = Solve(problem, theta, {.method = AdaptiveSven{}});
    EXPECT_LE(summary.final_cost, summary.initial_cost) << classic.name;
    if (classic.IsMinimum(summary.final_cost)) ++minima;
  }
  EXPECT_GE(minima, 37);  // of 40; measured: 39
}

TEST(ClassicProblems, SinglePrecisionSolvesRosenbrock) {
  Problem<float> problem(2);
  problem.Add("all", 2, [](auto x, auto r) {
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
  });
  std::vector<float> theta = {-1.2F, 1.0F};
  const Summary summary = Solve(problem, theta);
  EXPECT_TRUE(summary.Converged()) << summary.Brief();
  EXPECT_LT(summary.final_cost, 1e-10);
  EXPECT_NEAR(theta[0], 1, 1e-5);
}

}  // namespace
}  // namespace sven::solve::classic_problems_test
