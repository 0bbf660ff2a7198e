// SPDX-License-Identifier: MIT
#include "sven/solve/solve.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sven/core/dense_linearization.h"
#include "testing/conditions.h"
#include "testing/matrices.h"
#include "testing/tolerances.h"

namespace sven::solve::solve_test {
namespace {

using testing::Rounding;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A theta - b, row by row.
struct Linear {
  Matrix<double> A;
  Vector<double> b;
  template <class T>
  void operator()(std::span<const T> theta, std::span<const Index> rows,
                  std::span<T> r) const {
    for (std::size_t a = 0; a < rows.size(); ++a) {
      T sum = -b[rows[a]];
      for (Index i = 0; i < A.cols(); ++i) sum += A(rows[a], i) * theta[i];
      r[a] = sum;
    }
  }
};

Linear RandomLinear(Index B, Index N, std::uint64_t seed = 1) {
  RandomStream random(seed, RandomUse::kData);
  return {testing::RandomMatrix(B, N, random),
          testing::RandomVector(B, random)};
}

template <class T>
Vector<double> AsVector(const std::vector<T>& theta) {
  return ConstVectorView<T>(theta.data(), std::ssize(theta))
      .template cast<double>();
}

struct Rosenbrock {
  template <class T>
  void operator()(std::span<const T> x, std::span<T> r) const {
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
  }
};

const std::vector<Method> kTrying = {LevenbergMarquardt{}, AdaptiveSven{}};
const std::vector<Method> kAll = {LevenbergMarquardt{}, AdaptiveSven{}, Sven{},
                                  Spring{}};

TEST(Solve, LinearConditionsAreSolvedByLeastSquaresWithEveryMethod) {
  const Linear linear = RandomLinear(20, 5);
  const Vector<double> expected =
      linear.A.colPivHouseholderQr().solve(linear.b);
  for (const Method& method : kAll) {
    Problem<double> problem(5);
    problem.Add("all", 20, linear);
    std::vector<double> theta(5, 0.0);
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    EXPECT_LT((AsVector(theta) - expected).norm(), 1e-6) << method.index();
    EXPECT_NEAR(summary.final_cost, problem.Cost(theta), Rounding<double>(10));
  }
}

TEST(Solve, SvenSolvesLinearConditionsInOneStep) {
  Problem<double> problem(5);
  problem.Add("all", 20, RandomLinear(20, 5));
  std::vector<double> theta(5, 0.0);
  const Summary summary = Solve(problem, theta, {.method = Sven{}});
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_EQ(summary.ending, Ending::kGradient);
}

// Of all solutions: Sven and AdaptiveSven find the one nearest to the start.
TEST(Solve, UnderdeterminedConditionsAreMetAsNearAsPossible) {
  const Linear linear = RandomLinear(4, 10);
  const Vector<double> start = Vector<double>::LinSpaced(10, -1, 1);
  const Vector<double> nearest =
      start + linear.A.completeOrthogonalDecomposition().solve(
                  linear.b - linear.A * start);
  for (const Method& method : kAll) {
    Problem<double> problem(10);
    problem.Add("all", 4, linear);
    std::vector<double> theta(start.data(), start.data() + 10);
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_LT(summary.final_cost, 1e-12) << summary.Brief();
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    if (std::holds_alternative<LevenbergMarquardt>(method)) continue;
    EXPECT_LT((AsVector(theta) - nearest).norm(), 1e-5) << method.index();
  }
}

TEST(Solve, LevenbergMarquardtDoesNotDependOnTheUnitsOfTheParameters) {
  Problem<double> plain(2);
  plain.Add("all", 2, Rosenbrock());
  std::vector<double> theta = {-1.2, 1};
  const Summary expected = Solve(plain, theta);
  const double unit = 1024;  // a power of two: the same roundings
  Problem<double> scaled(2);
  scaled.Add("all", 2, [=](auto x, auto r) {
    r[0] = 10 * (x[1] / unit - x[0] * unit * (x[0] * unit));
    r[1] = 1 - x[0] * unit;
  });
  theta = {-1.2 / unit, 1 * unit};
  const Summary summary = Solve(scaled, theta);
  EXPECT_EQ(summary.evaluations, expected.evaluations);
  EXPECT_NEAR(theta[0] * unit, 1, Rounding<double>());
}

TEST(Solve, EveryStorageGivesTheSameSolution) {
  const Linear tall = RandomLinear(300, 6);
  const Linear wide = RandomLinear(6, 30);
  for (const Linear* linear : {&tall, &wide}) {
    for (const Method& method : kAll) {
      const Index N = linear->A.cols();
      std::vector<Vector<double>> solutions;
      for (const Index stored : {Index{10000}, Index{40}}) {
        Problem<double> problem(N, {.stored_entries = stored});
        problem.Add("all", linear->A.rows(), *linear);
        std::vector<double> theta(static_cast<std::size_t>(N), 0.1);
        const Summary summary = Solve(problem, theta, {.method = method});
        EXPECT_TRUE(summary.Converged()) << summary.Brief();
        EXPECT_EQ(summary.conditions, linear->A.rows());
        solutions.push_back(AsVector(theta));
      }
      EXPECT_LT((solutions[0] - solutions[1]).norm(), 1e-6);
    }
  }
}

TEST(Solve, BoundsAreKeptAndTheRestIsOptimal) {
  for (const Method& method : kTrying) {
    Problem<double> problem(2);
    problem.Add("all", 2, Rosenbrock());
    std::vector<double> theta = {-1.2, 1};
    std::vector<double> seen;
    const SolveOptions<double> options{
        .method = method,
        .bounds = {.lower = {-2, -kInfinity}, .upper = {0.5, kInfinity}},
        .observers = {[&](const Iteration<double>& iteration) {
          seen.push_back(iteration.theta[0]);
          return Next::kContinue;
        }}};
    const Summary summary = Solve(problem, theta, options);
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    EXPECT_EQ(theta[0], 0.5);
    EXPECT_NEAR(theta[1], 0.25, 1e-8);
    EXPECT_NEAR(summary.final_cost, 0.25, 1e-12);
    for (const double x : seen) EXPECT_LE(x, 0.5);
  }
}

TEST(Solve, AParameterLeavesItsBoundAgain) {
  for (const Method& method : kTrying) {
    Problem<double> problem(2);
    problem.Add("all", 2, Rosenbrock());
    std::vector<double> theta = {-1, 0};  // both at a bound
    const SolveOptions<double> options{
        .method = method, .bounds = {.lower = {-1, 0}, .upper = {2, 2}}};
    const Summary summary = Solve(problem, theta, options);
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    EXPECT_NEAR(theta[0], 1, 1e-6);
    EXPECT_NEAR(theta[1], 1, 1e-6);
  }
}

TEST(Solve, EqualBoundsHoldAParameter) {
  for (const Method& method : kAll) {
    const Linear linear = RandomLinear(8, 3);
    Problem<double> problem(3);
    problem.Add("all", 8, linear);
    std::vector<double> theta = {0, 0.7, 0};
    const SolveOptions<double> options{
        .method = method,
        .bounds = {.lower = {-9, 0.7, -9}, .upper = {9, 0.7, 9}}};
    const Summary summary = Solve(problem, theta, options);
    EXPECT_EQ(theta[1], 0.7);
    Matrix<double> rest(8, 2);
    rest << linear.A.col(0), linear.A.col(2);
    const Vector<double> expected =
        rest.colPivHouseholderQr().solve(linear.b - 0.7 * linear.A.col(1));
    EXPECT_NEAR(theta[0], expected[0], 1e-5) << summary.Brief();
    EXPECT_NEAR(theta[2], expected[1], 1e-5) << summary.Brief();
  }
}

TEST(Solve, WrongOptionsAreNamed) {
  Problem<double> problem(2);
  problem.Add("all", 2, Rosenbrock());
  const auto message = [&](const SolveOptions<double>& options) {
    std::vector<double> theta = {0, 0};
    try {
      Solve(problem, theta, options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(message({.method = Sven{.learning_rate = 0}}),
            "Sven::lr = 0: must satisfy lr > 0");
  EXPECT_EQ(message({.method = Spring{.mu = 1}}),
            "Spring::mu = 1: must satisfy 0 <= mu < 1");
  EXPECT_EQ(message({.tolerances = {.gradient = -1}}),
            "Tolerances::gradient = -1: must satisfy gradient >= 0");
  EXPECT_EQ(message({.max_iterations = -1}),
            "SolveOptions::max_iterations = -1: must satisfy max_iterations >= "
            "0");
  EXPECT_EQ(message({.bounds = {.lower = {0}}}),
            "Bounds: 1 for 2 parameters; must be one each or "
            "none");
  EXPECT_EQ(message({.bounds = {.lower = {0, 1}, .upper = {0, 0.5}}}),
            "Bounds: 1 to 0.5 for parameter 1; must satisfy lower "
            "<= upper");
  EXPECT_EQ(message({.bounds = {.lower = {0, 1}}}),
            "theta[1] = 0: must be at or above its bound 1");
}

TEST(Solve, LimitsEndIt) {
  Problem<double> problem(2);
  problem.Add("all", 2, Rosenbrock());
  std::vector<double> theta = {-1.2, 1};
  Summary summary = Solve(problem, theta, {.max_iterations = 3});
  EXPECT_EQ(summary.ending, Ending::kIterations);
  EXPECT_EQ(summary.iterations, 3);
  EXPECT_LT(summary.final_cost, summary.initial_cost);
  const std::vector<double> before = theta;
  summary = Solve(problem, theta, {.max_iterations = 0});
  EXPECT_EQ(summary.ending, Ending::kIterations);
  EXPECT_EQ(theta, before);
  summary = Solve(problem, theta, {.max_seconds = 0});
  EXPECT_EQ(summary.ending, Ending::kTime);
  EXPECT_EQ(theta, before);
  summary = Solve(problem, theta, {.tolerances = {.target = 1}});
  EXPECT_EQ(summary.ending, Ending::kTarget);
  EXPECT_LE(summary.final_cost, 1);
}

TEST(Solve, AnObserverMayStopItAndSeesWhatIsReturned) {
  Problem<double> problem(2);
  problem.Add("all", 2, Rosenbrock());
  std::vector<double> theta = {-1.2, 1};
  std::vector<double> last;
  double cost = 0;
  const Summary summary =
      Solve(problem, theta,
            {.observers = {[&](const Iteration<double>& iteration) {
               last.assign(iteration.theta.begin(), iteration.theta.end());
               cost = iteration.cost;
               return iteration.number == 4 ? Next::kStop : Next::kContinue;
             }}});
  EXPECT_EQ(summary.ending, Ending::kObserver);
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(theta, last);
  EXPECT_EQ(summary.final_cost, cost);
}

TEST(Solve, AcceptedStepsOfMethodsThatTryNeverRaiseTheCost) {
  for (const Method& method : kTrying) {
    Problem<double> problem(2);
    problem.Add("all", 2, Rosenbrock());
    std::vector<double> theta = {-12, 10};
    double last = kInfinity;
    Solve(problem, theta,
          {.method = method,
           .observers = {[&](const Iteration<double>& iteration) {
             EXPECT_LE(iteration.cost, last);
             last = iteration.cost;
             return Next::kContinue;
           }}});
  }
}

// Gauss-Newton on this goes back and forth with growing steps.
TEST(Solve, WhereAMethodDivergesTheBestPlaceIsReturned) {
  Problem<double> problem(1);
  problem.Add("all", 1, [](auto x, auto r) {
    using std::atan;
    r[0] = atan(x[0]);
  });
  std::vector<double> theta = {1.5};
  const Summary summary = Solve(problem, theta, {.method = Sven{}});
  EXPECT_FALSE(summary.Converged());
  EXPECT_LE(summary.final_cost, summary.initial_cost);
  EXPECT_NEAR(problem.Cost(theta), summary.final_cost, Rounding<double>());
}

TEST(Solve, ConditionsThatDependOnNothingEndAtOnce) {
  for (const Method& method : kAll) {
    Problem<double> problem(2);
    problem.Add("all", 2, [](auto, auto r) { r[0] = r[1] = 1; });
    std::vector<double> theta = {3, 4};
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_EQ(summary.ending, Ending::kGradient);
    EXPECT_EQ(theta, (std::vector<double>{3, 4}));
  }
}

TEST(Solve, AnExactStartIsLeftAlone) {
  for (const Method& method : kAll) {
    Problem<double> problem(2);
    problem.Add("all", 2, Rosenbrock());
    std::vector<double> theta = {1, 1};
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_EQ(summary.ending, Ending::kMet);
    EXPECT_EQ(theta, (std::vector<double>{1, 1}));
  }
}

// More parameters than the dense road is for.
TEST(Solve, LargeSystemsGoThroughTheGramMatrix) {
  const Index B = 300;
  const Index N = 400;
  const Linear linear = RandomLinear(B, N);
  for (const Method& method : kTrying) {
    Problem<double> problem(N);
    problem.Add("all", B, linear);
    std::vector<double> theta(static_cast<std::size_t>(N), 0.0);
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    EXPECT_LT(summary.final_cost, 1e-15 * summary.initial_cost);
  }
}

TEST(Solve, ConditionsThatAreDrawnAreSolvedByEveryMethod) {
  // Consistent, so that every batch has the same solution.
  Linear linear = RandomLinear(200, 4);
  const Vector<double> solution = Vector<double>::LinSpaced(4, 1, 2);
  linear.b = linear.A * solution;
  for (const Method& method : kAll) {
    Problem<double> problem(4);
    problem.Add("data", 200, linear, {.batch = 3});
    problem.Add("more", 200, linear, {.weight = 0.5, .batch = 1});
    std::vector<double> theta(4, 0.0);
    const Summary summary =
        Solve(problem, theta, {.method = method, .max_iterations = 400});
    EXPECT_EQ(summary.ending, Ending::kIterations);
    EXPECT_LT((AsVector(theta) - solution).norm(), 1e-3) << summary.Brief();
    EXPECT_NEAR(summary.final_cost, problem.FullCost(theta),
                Rounding<double>());
  }
}

TEST(Solve, TheSameSeedGivesTheSameBits) {
  const Linear linear = RandomLinear(100, 4);
  const auto run = [&](std::uint64_t seed) {
    Problem<double> problem(4);
    problem.Add("data", 100, linear, {.batch = 8});
    std::vector<double> theta(4, 0.0);
    Solve(problem, theta,
          {.method = Sven{.learning_rate = 0.1},
           .max_iterations = 20,
           .seed = seed});
    return theta;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Solve, FloatParametersAreSolvedToTheirPrecision) {
  const Vector<double> solution = Vector<double>::LinSpaced(4, 1, 2);
  Linear linear = RandomLinear(12, 4);
  linear.b = linear.A * solution;
  for (const Method& method : kAll) {
    Problem<float> problem(4);
    problem.Add("all", 12, [&](auto theta, auto r) {
      using T = typename decltype(r)::value_type;
      for (Index a = 0; a < 12; ++a) {
        T sum = static_cast<float>(-linear.b[a]);
        for (Index i = 0; i < 4; ++i) {
          sum += static_cast<float>(linear.A(a, i)) * theta[i];
        }
        r[a] = sum;
      }
    });
    std::vector<float> theta(4, 0.0F);
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    EXPECT_LT((AsVector(theta) - solution).norm(), 1e-4) << summary.Brief();
  }
}

// A system with products of its own, not made from functions.
class Diagonal : public System<double> {
 public:
  explicit Diagonal(Index N) : R_(static_cast<std::size_t>(N)) {}
  [[nodiscard]] Index NumConditions() const override { return std::ssize(R_); }
  [[nodiscard]] Index NumParameters() const override { return std::ssize(R_); }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return R_;
  }
  void Gram(linalg::Accumulation, MatrixRef<double> K) override {
    K.setZero();
    K.diagonal().setConstant(4);
  }
  void PullBack(std::span<const double> w, std::span<double> out) override {
    for (std::size_t i = 0; i < w.size(); ++i) out[i] = 2 * w[i];
  }
  void PushForward(std::span<const double> v, std::span<double> out) override {
    PullBack(v, out);
  }
  [[nodiscard]] double Cost(std::span<const double> theta) override {
    double sum = 0;
    for (const double x : theta) sum += (2 * x - 1) * (2 * x - 1);
    return sum;
  }
  void MoveTo(std::span<const double> theta) override {
    for (std::size_t i = 0; i < R_.size(); ++i) R_[i] = 2 * theta[i] - 1;
  }

 private:
  std::vector<double> R_;
};

TEST(Solve, ASystemMayBringItsOwnProducts) {
  for (const Method& method : kAll) {
    for (const Index N : {3, 300}) {
      Diagonal system(N);
      std::vector<double> theta(static_cast<std::size_t>(N), 0.0);
      const Summary summary = Solve(system, theta, {.method = method});
      EXPECT_TRUE(summary.Converged()) << summary.Brief();
      for (const double x : theta) ASSERT_NEAR(x, 0.5, 1e-6);
    }
  }
}

TEST(Summary, SaysWhatHappenedInOneLineAndInFull) {
  Problem<double> problem(2);
  problem.Add("all", 2, Rosenbrock());
  std::vector<double> theta = {-1.2, 1};
  const Summary summary = Solve(problem, theta);
  const std::string brief = summary.Brief();
  EXPECT_TRUE(brief.starts_with("converged (")) << brief;
  EXPECT_NE(brief.find("|R|^2 24.2 -> "), std::string::npos) << brief;
  EXPECT_EQ(brief.find('\n'), std::string::npos);
  const std::string full = summary.Full();
  for (const char* part : {"conditions", "parameters", "initial |R|^2   24.2",
                           "gradient", "iterations", "evaluations"}) {
    EXPECT_NE(full.find(part), std::string::npos) << part << " in\n" << full;
  }
}

}  // namespace
}  // namespace sven::solve::solve_test
