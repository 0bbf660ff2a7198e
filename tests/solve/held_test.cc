// SPDX-License-Identifier: MIT
//
// What must not move does not, and scales do not matter, in small problems and in
// those whose singular values are not looked at.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sven/solve/solve.h"

namespace sven::solve::held_test {
namespace {

const std::vector<Method> kAll = {LevenbergMarquardt{}, AdaptiveSven{}, Sven{},
                                  Spring{}};

TEST(Solve, ParametersThatNoConditionDependsOnStayToTheBit) {
  constexpr int kParameters = 12;
  for (const int conditions : {5, 30}) {
    for (const Method& method : kAll) {
      Problem<double> problem(kParameters);
      problem.Add("half", conditions, [=](auto x, auto r) {
        for (int a = 0; a < conditions; ++a) {
          r[a] = -1.0;
          for (int i = 6; i < kParameters; ++i) {
            r[a] += x[i] * std::cos(0.3 * a * i) + 0.1 * x[i] * x[i];
          }
        }
      });
      std::vector<double> theta(kParameters, 0.5);
      const Summary summary =
          Solve(problem, theta, {.method = method, .max_iterations = 100});
      EXPECT_GT(summary.accepted, 0) << method.index();
      EXPECT_LT(summary.final_cost, summary.initial_cost) << method.index();
      for (int i = 0; i < 6; ++i) EXPECT_EQ(theta[i], 0.5) << method.index();
    }
  }
}

TEST(Solve, NoStepThatABoundBendsLeadsUphill) {
  for (const double c : {0.5, 0.9, 0.99}) {
    for (const Method& method :
         {Method(LevenbergMarquardt{}), Method(AdaptiveSven{})}) {
      Problem<double> problem(2);
      problem.Add("lines", 2, [=](auto x, auto r) {
        r[0] = x[0] + c * x[1];
        r[1] = c * x[0] + x[1] - 1.0;
      });
      std::vector<double> theta = {1.0, 0.05};
      double last = problem.Cost(theta);
      const auto falls = [&](const Iteration<double>& iteration) {
        EXPECT_LE(iteration.cost, last) << c << " " << method.index();
        last = iteration.cost;
        return Next::kContinue;
      };
      Solve(problem, theta,
            {.method = method,
             .bounds = {.lower = {-10, -10}, .upper = {10, 0.1}},
             .observers = {falls}});
      // On the bound x_1 = 0.1 the least is where x_0 (1 + c^2) = c (1 - 0.2).
      EXPECT_NEAR(theta[0], 0.8 * c / (1 + c * c), 1e-3);
      EXPECT_EQ(theta[1], 0.1);
    }
  }
}

TEST(Solve, AShortenedStepIsReportedAsItWasTaken) {
  Problem<double> problem(1);
  problem.Add("far", 1, [](auto x, auto r) { r[0] = x[0] - 100.0; });
  std::vector<double> theta = {0};
  const Summary summary =
      Solve(problem, theta, {.bounds = {.lower = {}, .upper = {1}}});
  EXPECT_EQ(theta[0], 1);
  EXPECT_EQ(summary.step, 1);
}

TEST(Solve, ABoundThatIsNoNumberIsRefused) {
  Problem<double> problem(1);
  problem.Add("far", 1, [](auto x, auto r) { r[0] = x[0]; });
  std::vector<double> theta = {0};
  EXPECT_THROW(Solve(problem, theta, {.bounds = {.lower = {}, .upper = {NAN}}}),
               UsageError);
}

struct Cubes {
  void operator()(std::span<const double> x, std::span<double> r) const {
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = x[i] * x[i] * x[i] - 1;
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    M.setZero();
    for (std::size_t i = 0; i < x.size(); ++i) M(i, i) = 3 * x[i] * x[i];
  }
};

// 256 is the largest rank whose singular values are looked at.
TEST(Solve, AMatrixThatShrinksByManyOrdersIsSolvedOnBothRoads) {
  for (const Index N : {256, 257}) {
    Problem<double> problem(N);
    problem.Add("cubes", N, Cubes());
    std::vector<double> theta(static_cast<std::size_t>(N), 1e4);
    const Summary summary = Solve(problem, theta, {.max_iterations = 60});
    EXPECT_LT(summary.final_cost, 1e-20) << N << " " << summary.Brief();
  }
}

struct Units {
  void operator()(std::span<const double> x, std::span<double> r) const {
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = Unit(i) * (x[i] - 1);
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    M.setZero();
    for (std::size_t i = 0; i < x.size(); ++i) M(i, i) = Unit(i);
  }
  static double Unit(std::size_t i) { return i == 0 ? 1e6 : 1e-5; }
};

TEST(Solve, UnitsOfParametersDoNotMatterOnBothRoads) {
  for (const Index N : {250, 300}) {
    Problem<double> problem(N);
    problem.Add("units", N, Units());
    std::vector<double> theta(static_cast<std::size_t>(N), 0.0);
    theta[0] = 1;
    const Summary summary = Solve(problem, theta);
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
    for (const double x : theta) ASSERT_NEAR(x, 1, 1e-9) << N;
  }
}

struct ManyUnits {
  void operator()(std::span<const double> x, std::span<double> r) const {
    PushForward(x, x, r);
    for (std::size_t a = 0; a < r.size(); ++a) r[a] -= Units::Unit(a);
  }
  void PushForward(std::span<const double> /*x*/, std::span<const double> v,
                   std::span<double> out) const {
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = Units::Unit(a) * v[a];
    }
  }
  void PullBack(std::span<const double> /*x*/, std::span<const double> w,
                std::span<double> out) const {
    PushForward(w, w, out);
  }
};

TEST(Solve, ALargeProblemInBadUnitsIsNotCalledDoneByItsGradient) {
  constexpr Index kMany = 2100;  // squared, more than 4 million
  Problem<double> problem(kMany, {.stored_entries = 1 << 19});
  problem.Add("units", kMany, ManyUnits());
  std::vector<double> theta(kMany, 0.0);
  theta[0] = 1;
  const Summary summary = Solve(problem, theta, {.max_iterations = 1});
  EXPECT_NE(summary.ending, Ending::kGradient) << summary.Brief();
  EXPECT_GT(summary.gradient, 1e-3);
}

// A rate of 1e10 per second: its column is tiny, and its value large.
struct FastDecay {
  static constexpr double kRate = 1e10;
  void operator()(std::span<const double> x, std::span<double> r) const {
    for (std::size_t a = 0; a < r.size(); ++a) {
      r[a] = x[0] * std::exp(-x[1] * Time(a)) - 2 * std::exp(-kRate * Time(a));
    }
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    for (Index a = 0; a < M.rows(); ++a) {
      const double e = std::exp(-x[1] * Time(a));
      M.row(a) << e, -x[0] * Time(a) * e;
    }
  }
  static double Time(std::size_t a) { return 2e-16 * static_cast<double>(a); }
};

TEST(Solve, ALongSeriesInUnitsOfItsOwnIsSolved) {
  constexpr Index kLong = 2'200'000;  // times two, more than 4 million
  Problem<double> problem(2);
  problem.Add("decay", kLong, FastDecay());
  std::vector<double> theta = {1.5, 1.5 * FastDecay::kRate};
  const Summary summary = Solve(problem, theta, {.max_iterations = 20});
  EXPECT_TRUE(summary.Converged()) << summary.Brief();
  EXPECT_NEAR(theta[0], 2, 1e-6);
  EXPECT_NEAR(theta[1] / FastDecay::kRate, 1, 1e-6);
}

TEST(Solve, ConvergenceIsNotLostToTheLastBit) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, RandomUse::kData);
    std::vector<double> y(30);
    for (int a = 0; a < 30; ++a) {
      y[a] = 2 * std::exp(-0.03 * a) + 0.1 * random.Normal();
    }
    Problem<double> problem(2);
    problem.Add("decay", 30, [=](auto x, auto r) {
      using std::exp;
      for (int a = 0; a < 30; ++a) r[a] = x[0] * exp(-x[1] * (0.1 * a)) - y[a];
    });
    std::vector<double> theta = {1, 1};
    const Summary summary = Solve(problem, theta, {.method = Sven{}});
    EXPECT_TRUE(summary.Converged()) << seed << ": " << summary.Brief();
  }
}

TEST(Solve, CompressedResidualsAreNotCalledMetWhileSomeAreNot) {
  for (int seed = 0; seed < 40; ++seed) {
    Problem<double> problem(2, {.stored_entries = 10});
    problem.Add("line", 100, [=](auto x, auto r) {
      for (int a = 0; a < 100; ++a) {
        r[a] = x[0] + x[1] * (a * 0.01) - 100 - std::sin(3.0 * a + seed);
      }
    });
    std::vector<double> theta = {1, 1};
    const Summary summary = Solve(problem, theta);
    EXPECT_NE(summary.ending, Ending::kMet) << summary.Brief();
    EXPECT_TRUE(summary.Converged()) << summary.Brief();
  }
}

// A peak with tails in which the conditions are met from the start.
TEST(Solve, BatchesThatAreMetLeaveTheDampingAlone) {
  for (const Method& method :
       {Method(LevenbergMarquardt{}), Method(AdaptiveSven{})}) {
    Problem<double> problem(1);
    problem.Add("peak", 1000,
                [](auto x, auto r) {
                  for (int a = 0; a < 1000; ++a) {
                    r[a] =
                        std::abs(a - 500) < 50 ? 2.0 * x[0] - 1.0 : 0.0 * x[0];
                  }
                },
                {.batch = 2});
    std::vector<double> theta = {0};
    Index calls = 0;
    const auto count = [&](const Iteration<double>& /*iteration*/) {
      ++calls;
      return Next::kContinue;
    };
    const Summary summary = Solve(problem, theta,
                                  {.method = method,
                                   .max_iterations = 500,
                                   .observers = {count},
                                   .seed = 1});
    EXPECT_EQ(calls, summary.iterations);
    EXPECT_LT(summary.accepted, summary.iterations);
    EXPECT_NEAR(theta[0], 0.5, 1e-6) << method.index();
  }
}

}  // namespace
}  // namespace sven::solve::held_test
