// SPDX-License-Identifier: MIT
//
// Runs that get nowhere, or somewhere bad, do not say that they have converged.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sven/base/error.h"
#include "sven/solve/problem.h"
#include "sven/solve/solve.h"

namespace sven::solve::endings_test {
namespace {

const std::vector<Method> kAll = {LevenbergMarquardt{}, AdaptiveSven{}, Sven{},
                                  Spring{}};

TEST(Endings, WhatTheTruncationLeavesOutIsNotCalledConverged) {
  Problem<double> problem(2);
  problem.Add("scales", 2, [](auto x, auto r) {
    r[0] = x[0] - 1.0;
    r[1] = 1e-4 * (x[1] - 1.0) * (1.0 + x[1] * x[1]);
  });
  std::vector<double> theta = {0, 0};
  const Summary summary = Solve(problem, theta, {.method = Sven{}});
  EXPECT_EQ(summary.ending, Ending::kStalled) << summary.Brief();
  EXPECT_NE(summary.message.find("truncation"), std::string::npos)
      << summary.message;
  EXPECT_NEAR(theta[0], 1, 1e-9);

  theta = {0, 0};
  const Summary fine =
      Solve(problem, theta, {.method = Sven{.truncation = {.rtol = 1e-6}}});
  EXPECT_TRUE(fine.Converged()) << fine.Brief();
  EXPECT_NEAR(theta[1], 1, 1e-9);
}

// Condition 7 is not defined where the others lead.
struct OneIsUndefined {
  template <class T>
  void operator()(std::span<const T> x, std::span<const Index> rows,
                  std::span<T> r) const {
    using std::log;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      const auto row = static_cast<double>(rows[a]);
      r[a] = rows[a] == 7 ? log(2.0 - x[0])
                          : x[0] - 3.0 + 0.01 * row * (x[1] - 1.0);
    }
  }
};

TEST(Endings, BatchesDoNotLeaveParametersWhereSomeConditionIsNotFinite) {
  for (const Method& method : kAll) {
    for (const Index iterations : {3, 200}) {
      Problem<double> problem(2);
      problem.Add("g", 100, OneIsUndefined(), {.batch = 5});
      std::vector<double> theta = {0, 0};
      const Summary summary =
          Solve(problem, theta,
                {.method = method, .max_iterations = iterations, .seed = 1});
      EXPECT_TRUE(std::isfinite(summary.final_cost)) << summary.Brief();
      EXPECT_EQ(summary.final_cost, problem.FullCost(theta));
      if (iterations == 200) {
        EXPECT_EQ(summary.ending, Ending::kNonFinite) << summary.Brief();
        EXPECT_NE(summary.message.find("condition 7"), std::string::npos)
            << summary.message;
      }
    }
  }
}

struct WrongSigns {
  void operator()(std::span<const double> x, std::span<double> r) const {
    for (std::size_t a = 0; a < r.size(); ++a) {
      r[a] = x[0] + x[1] * static_cast<double>(a) - 3;
    }
  }
  void Jacobian(std::span<const double> /*x*/, MatrixView<double> M) const {
    for (Index a = 0; a < M.rows(); ++a) M.row(a) << -1, -double(a);
  }
};

TEST(Endings, AJacobianWithWrongSignsIsFoundByEveryMethodAndInBatches) {
  for (const Method& method : kAll) {
    for (const Index batch : {0, 10}) {
      Problem<double> problem(2);
      GroupOptions group;
      if (batch > 0) group.batch = batch;
      problem.Add("line", 20, WrongSigns(), group);
      std::vector<double> theta = {1, 1};
      try {
        const Summary summary =
            Solve(problem, theta, {.method = method, .max_iterations = 100});
        ADD_FAILURE() << method.index() << ": " << summary.Brief();
      } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("sign"), std::string::npos)
            << error.what();
      }
      EXPECT_EQ(theta, (std::vector<double>{1, 1}));
    }
  }
}

struct Sinc {
  void operator()(std::span<const double> x, std::span<double> r) const {
    r[0] = std::sin(x[0]) / x[0] - 0.5;
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    M(0, 0) = (x[0] * std::cos(x[0]) - std::sin(x[0])) / (x[0] * x[0]);
  }
};

TEST(Endings, AStartThatIsNotFiniteIsNotBlamedOnTheJacobian) {
  Problem<double> problem(1);
  problem.Add("sinc", 1, Sinc());
  std::vector<double> theta = {0};
  const Summary summary = Solve(problem, theta);
  EXPECT_EQ(summary.ending, Ending::kNonFinite) << summary.Brief();
  EXPECT_NE(summary.message.find("'sinc'"), std::string::npos)
      << summary.message;
}

Summary SolveDecayInUnitsOf(float unit, std::vector<float>& theta) {
  Problem<float> problem(2);
  problem.Add("decay", 30, [=](auto x, auto r) {
    using std::exp;
    for (int a = 0; a < 30; ++a) {
      const float t = 0.1F * static_cast<float>(a);
      r[a] = unit * (x[0] * exp(-t * x[1]) - 2 * std::exp(-0.7F * t));
    }
  });
  return Solve(problem, theta);
}

TEST(Endings, SmallNumbersAreSolvedAsOthersAre) {
  std::vector<float> theta = {1, 1};
  const Summary summary = SolveDecayInUnitsOf(1.6e-19F, theta);
  EXPECT_NEAR(theta[0], 2, 1e-3) << summary.Brief();
  EXPECT_NEAR(theta[1], 0.7, 1e-3) << summary.Brief();
}

// Their squares are below the least number of float, and steps with them.
TEST(Endings, NumbersThatAreTooSmallForStepsAreNotCalledConverged) {
  std::vector<float> theta = {1, 1};
  const Summary summary = SolveDecayInUnitsOf(1.6e-23F, theta);
  EXPECT_EQ(summary.ending, Ending::kStalled) << summary.Brief();
  EXPECT_GT(summary.gradient, 0.1);
}

TEST(Endings, AStepThatDampingMakesNothingOfIsNotConvergence) {
  Problem<double> problem(1);
  problem.Add("one", 1, [](auto x, auto r) { r[0] = x[0] - 1.0; });
  std::vector<double> theta = {0};
  const Summary summary =
      Solve(problem, theta, {.method = AdaptiveSven{.lambda = 1e300}});
  EXPECT_FALSE(summary.Converged()) << summary.Brief();
}

// The bound is where sqrt has no derivative, and where the first steps end.
TEST(Endings, AStepToWhereDerivativesAreInfiniteIsShortened) {
  for (const Method& method :
       {Method(LevenbergMarquardt{}), Method(AdaptiveSven{.lambda = 1e-6})}) {
    Problem<double> problem(2);
    problem.Add("roots", 2, [](auto x, auto r) {
      using std::sqrt;
      r[0] = 3.0 * (sqrt(x[0]) - 0.1);
      r[1] = x[1] * x[1] - 2.0 + x[0];
    });
    std::vector<double> theta = {4, 3};
    const Summary summary = Solve(
        problem, theta, {.method = method, .bounds = {.lower = {0, -10}}});
    EXPECT_TRUE(summary.Converged()) << summary.Full();
    EXPECT_NEAR(theta[0], 0.01, 1e-9);
    EXPECT_NEAR(theta[1], std::sqrt(1.99), 1e-9);
  }
}

// Until the other parameter is right, all steps lead to the bound.
TEST(Endings, ABoundWithInfiniteDerivativesIsNotStuckTo) {
  for (const Method& method :
       {Method(LevenbergMarquardt{}), Method(AdaptiveSven{})}) {
    Problem<double> problem(2);
    problem.Add("line", 3, [](auto x, auto r) {
      using std::sqrt;
      for (int a = 0; a < 3; ++a) r[a] = sqrt(x[0]) * (a + 1) + x[1] - 0.3 * a;
    });
    std::vector<double> theta = {1, 5};
    const Summary summary = Solve(
        problem, theta, {.method = method, .bounds = {.lower = {0, -100}}});
    EXPECT_TRUE(summary.Converged()) << summary.Full();
    EXPECT_NEAR(theta[0], 0.09, 1e-9);
    EXPECT_NEAR(theta[1], -0.3, 1e-9);
  }
}

TEST(Endings, ConditionsThatAreZeroAreMetWithoutDerivatives) {
  Problem<double> problem(1);
  problem.Add("root", 1, [](auto x, auto r) {
    using std::sqrt;
    r[0] = sqrt(x[0]);
  });
  std::vector<double> theta = {0};
  EXPECT_EQ(Solve(problem, theta).ending, Ending::kMet);
  theta = {1};
  const Summary summary = Solve(problem, theta, {.bounds = {.lower = {0}}});
  EXPECT_EQ(theta[0], 0);
  EXPECT_EQ(summary.ending, Ending::kMet) << summary.Brief();
}

TEST(Endings, WithoutAnIterationTheConditionsAreCountedAllTheSame) {
  Problem<double> problem(1);
  problem.Add("three", 3, [](auto x, auto r) {
    for (int a = 0; a < 3; ++a) r[a] = x[0] - a;
  });
  std::vector<double> theta = {0};
  const Summary summary = Solve(problem, theta, {.max_iterations = 0});
  EXPECT_EQ(summary.conditions, 3);
  EXPECT_EQ(summary.final_cost, 5);
}

}  // namespace
}  // namespace sven::solve::endings_test
