// SPDX-License-Identifier: MIT
#include "sven/solve/check_jacobian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "testing/conditions.h"

namespace sven::solve::check_jacobian_test {
namespace {

const std::vector<double> kTheta = {0.4, 1e-6, -30, 0};

// Right but for one entry.
struct OffByOne : testing::WaveJacobianRows {
  double factor;
  template <class T>
  void Jacobian(std::span<const T> theta, std::span<const Index> rows,
                MatrixView<T> M) const {
    testing::WaveJacobianRows::Jacobian(theta, rows, M);
    for (Index a = 0; a < std::ssize(rows); ++a) {
      if (rows[a] == 3) M(a, 2) *= static_cast<T>(factor);
    }
  }
};

TEST(CheckJacobian, FindsNothingInDerivativesThatAreRight) {
  Problem<double> problem(4);
  problem.Add("hand", 6, testing::WaveJacobianAll());
  problem.Add("products", 5, testing::WaveProductsRows());
  problem.Add("automatic", 4, testing::WaveAll(), {.weight = 100});
  EXPECT_TRUE(CheckJacobian<double>(problem, kTheta).empty());
}

TEST(CheckJacobian, NamesTheOneWrongEntry) {
  for (const double factor : {-1.0, 0.0, 1.001, 1e6}) {
    Problem<double> problem(4);
    problem.Add("right", 6, testing::WaveJacobianAll());
    problem.Add("wrong", 6, OffByOne{{}, factor});
    const auto wrong = CheckJacobian<double>(problem, kTheta);
    ASSERT_EQ(wrong.size(), 1) << factor;
    EXPECT_EQ(wrong[0].group, "wrong");
    EXPECT_EQ(wrong[0].row, 3);
    EXPECT_EQ(wrong[0].column, 2);
    const double right =
        testing::WaveSlope(std::span<const double>(kTheta), 3, 2);
    EXPECT_DOUBLE_EQ(wrong[0].given, factor * right);
    EXPECT_NEAR(wrong[0].difference, right, 1e-6 * std::abs(right));
    EXPECT_EQ(wrong[0].Describe().ends_with("the sign is wrong"), factor == -1);
  }
}

TEST(CheckJacobian, WorksInSinglePrecision) {
  const std::vector<float> theta = {0.4F, 1e-6F, -3, 0};
  Problem<float> right(4);
  right.Add("right", 6, testing::WaveJacobianAll());
  EXPECT_TRUE(CheckJacobian<float>(right, theta).empty());
  Problem<float> wrong(4);
  wrong.Add("wrong", 6, OffByOne{{}, -1});
  EXPECT_EQ(CheckJacobian<float>(wrong, theta).size(), 1);
}

TEST(CheckJacobian, LooksAtAllRowsOfABatchedGroup) {
  Problem<double> problem(4);
  problem.Add("wrong", 6, OffByOne{{}, 2}, {.batch = 1});
  EXPECT_EQ(CheckJacobian<double>(problem, kTheta).size(), 1);
}

TEST(CheckJacobian, ReportsTheWorstFirst) {
  struct Two : testing::WaveJacobianAll {
    void Jacobian(std::span<const double> theta, MatrixView<double> M) const {
      testing::WaveJacobianAll::Jacobian(theta, M);
      M(0, 0) *= 1.01;
      M(1, 0) *= 1.1;
    }
  };
  Problem<double> problem(4);
  problem.Add("wrong", 2, Two());
  const auto wrong = CheckJacobian<double>(problem, kTheta);
  ASSERT_EQ(wrong.size(), 2);
  EXPECT_EQ(wrong[0].row, 1);
  EXPECT_GT(wrong[0].RelativeError(), wrong[1].RelativeError());
}

TEST(CheckJacobian, LargeProblemsAreSpotChecked) {
  Problem<double> problem(4);
  problem.Add("wrong", 6, OffByOne{{}, 2});
  // Rows 0 and 3 of 6, columns 0 and 2 of 4.
  EXPECT_EQ(
      CheckJacobian<double>(problem, kTheta, {.rows = 2, .columns = 2}).size(),
      1);
  EXPECT_TRUE(CheckJacobian<double>(problem, kTheta, {.rows = 1, .columns = 4})
                  .empty());
}

struct Sums {
  void operator()(std::span<const double> x, std::span<double> r) const {
    r[0] = x[0] + x[1] - 1;
    r[1] = x[0] - x[1] + 3;
  }
  void Jacobian(std::span<const double> /*x*/, MatrixView<double> M) const {
    M << 1, 1, 1, sign;
  }
  double sign = -1;
};

TEST(CheckJacobian, TinyParametersBesideLargeOnesAreNoError) {
  for (const double tiny : {0.0, 1e-6, 1e-9, 1e-12, 1e-14, 1e-300}) {
    const std::vector<double> theta = {tiny, 1};
    Problem<double> right(2);
    right.Add("sums", 2, Sums());
    EXPECT_TRUE(CheckJacobian(right, theta).empty()) << tiny;
    Problem<double> wrong(2);
    wrong.Add("sums", 2, Sums{.sign = 1});
    EXPECT_EQ(CheckJacobian(wrong, theta).size(), 1U) << tiny;
  }
}

TEST(CheckJacobian, NarrowBoundsDoNotHideAnError) {
  const std::vector<double> theta = {0.7, 1};
  const Bounds<double> narrow{.lower = {0.6999, 0.9995},
                              .upper = {0.7, 1.0005}};
  Problem<double> right(2);
  right.Add("sums", 2, Sums());
  EXPECT_TRUE(CheckJacobian(right, theta, {}, narrow).empty());
  Problem<double> wrong(2);
  wrong.Add("sums", 2, Sums{.sign = 1});
  EXPECT_EQ(CheckJacobian(wrong, theta, {}, narrow).size(), 1U);
}

// Where a star is bright: the phase of a period of 3.1 days that began at theta,
// in days since 4713 BC. Its Jacobian is that times `factor`.
struct Phase {
  double begin;
  double factor = 1;

  static constexpr double kRate = 2 * std::numbers::pi / 3.1;
  [[nodiscard]] double Time(Index a) const {
    return begin + 0.7 * static_cast<double>(a);
  }
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    using std::sin;
    for (Index a = 0; a < std::ssize(r); ++a) {
      r[a] = sin(kRate * (Time(a) - theta[0])) - 0.3;
    }
  }
};
struct PhaseByHand : Phase {
  void Jacobian(std::span<const double> theta, MatrixView<double> M) const {
    for (Index a = 0; a < M.rows(); ++a) {
      M(a, 0) = -factor * kRate * std::cos(kRate * (Time(a) - theta[0]));
    }
  }
};

TEST(CheckJacobian, AFunctionMayChangeFasterThanItsParameter) {
  for (const double begin : {3.0, 245.0, 2450.0, 24'500.0, 245e4, 245e6}) {
    const std::vector<double> theta = {begin + 0.3};
    Problem<double> right(1);
    right.Add("hand", 30, PhaseByHand{{begin}});
    right.Add("automatic", 30, Phase{begin});
    const auto none = CheckJacobian(right, theta);
    EXPECT_TRUE(none.empty()) << begin << ": " << none.front().Describe();
    for (const double factor : {-1.0, 0.0, 0.5, 2.0}) {
      Problem<double> wrong(1);
      wrong.Add("hand", 30, PhaseByHand{{begin, factor}});
      const auto all = CheckJacobian(wrong, theta);
      EXPECT_EQ(all.size(), 30U) << begin << ", " << factor;
      for (const WrongEntry& entry : all) {
        EXPECT_NEAR(entry.given, factor * entry.difference,
                    1e-4 + 10 * entry.uncertainty);
      }
    }
  }
}

TEST(CheckJacobian, AFunctionMayBeSteepAtZero) {
  struct Steep {
    double slope, factor;
    void operator()(std::span<const double> x, std::span<double> r) const {
      r[0] = std::tanh(slope * x[0]) - 0.5;
    }
    void Jacobian(std::span<const double> x, MatrixView<double> M) const {
      M(0, 0) = factor * slope / std::pow(std::cosh(slope * x[0]), 2);
    }
  };
  for (const double slope : {1.0, 1e4, 1e9, 1e15, 1e20}) {
    const std::vector<double> theta = {0};
    Problem<double> right(1);
    right.Add("steep", 1, Steep{slope, 1});
    EXPECT_TRUE(CheckJacobian(right, theta).empty()) << slope;
    for (const double factor : {-1.0, 0.0, 2.0}) {
      Problem<double> wrong(1);
      wrong.Add("steep", 1, Steep{slope, factor});
      const auto all = CheckJacobian(wrong, theta);
      ASSERT_EQ(all.size(), 1U) << slope << ", " << factor;
      EXPECT_NEAR(all[0].difference, slope, 1e-5 * slope);
    }
  }
}

// A sum in which theta is small beside a constant: differences of small steps are
// nothing but rounding.
TEST(CheckJacobian, RoundingDoesNotHideAnError) {
  struct Offset {
    double entry;
    void operator()(std::span<const double> x, std::span<double> r) const {
      r[0] = (x[0] + 1e6) - 1e6 - 0.5;
    }
    void Jacobian(std::span<const double>, MatrixView<double> M) const {
      M(0, 0) = entry;
    }
  };
  for (const double entry : {1.0, -1.0, 0.0, 2.0}) {
    Problem<double> problem(1);
    problem.Add("offset", 1, Offset{entry});
    EXPECT_EQ(CheckJacobian(problem, std::vector<double>{1.3}).size(),
              entry == 1 ? 0U : 1U)
        << entry;
  }
}

// Counts its evaluations.
struct Counted : testing::WaveJacobianAll {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    ++*calls;
    testing::WaveAll::operator()(theta, r);
  }
};

TEST(CheckJacobian, NeedsFourEvaluationsPerParameterAndOne) {
  const Counted counted;
  Problem<double> problem(4);
  problem.Add("hand", 6, counted);
  EXPECT_TRUE(CheckJacobian(problem, kTheta).empty());
  EXPECT_EQ(*counted.calls, 17);
}

struct WrongPushForward : testing::WaveProductsRows {
  double factor;
  template <class T>
  void PushForward(std::span<const T> theta, std::span<const Index> rows,
                   std::span<const T> v, std::span<T> out) const {
    testing::WaveProductsRows::PushForward(theta, rows, v, out);
    for (T& x : out) x *= static_cast<T>(factor);
  }
};

template <class T>
void ExpectProductsAreCompared(double factor) {
  const std::vector<T> theta(kTheta.begin(), kTheta.end());
  Problem<T> problem(4);
  problem.Add("right", 6, testing::WaveProductsRows());
  problem.Add("wrong", 6, WrongPushForward{{}, factor});
  const auto wrong = CheckJacobian(problem, theta);
  ASSERT_EQ(wrong.size(), 1U) << factor;
  EXPECT_EQ(wrong[0].finding, Finding::kProducts);
  EXPECT_EQ(wrong[0].group, "wrong");
  EXPECT_NEAR(wrong[0].given, factor * wrong[0].difference,
              1e-5 * std::abs(wrong[0].given));
  EXPECT_TRUE(wrong[0].Describe().starts_with(
      "group 'wrong': PushForward and PullBack do not belong to the same "
      "matrix: w.(M v) is "))
      << wrong[0].Describe();
}

TEST(CheckJacobian, ProductsOfDifferentMatricesAreFound) {
  for (const double factor : {-1.0, 0.0, 1.1, 3.0}) {
    ExpectProductsAreCompared<double>(factor);
    ExpectProductsAreCompared<float>(factor);
  }
}

// One entry in a thousand, of a parameter in small units.
TEST(CheckJacobian, AProductThatIsWrongInOneEntryIsFound) {
  struct Scaled {
    double entry;
    void operator()(std::span<const double> x, std::span<double> r) const {
      for (std::size_t a = 0; a < r.size(); ++a) r[a] = x[a % 10] * Unit(a);
    }
    static double Unit(std::size_t a) { return a % 10 == 4 ? 1e-12 : 1; }
    void PullBack(std::span<const double>, std::span<const double> w,
                  std::span<double> out) const {
      for (double& x : out) x = 0;
      for (std::size_t a = 0; a < w.size(); ++a) out[a % 10] += w[a] * Unit(a);
    }
    void PushForward(std::span<const double>, std::span<const double> v,
                     std::span<double> out) const {
      for (std::size_t a = 0; a < out.size(); ++a) {
        out[a] = v[a % 10] * Unit(a) * (a == 54 ? entry : 1);
      }
    }
  };
  for (const double entry : {1.0, -1.0, 1.1}) {
    Problem<double> problem(10);
    problem.Add("scaled", 100, Scaled{entry});
    EXPECT_EQ(CheckJacobian(problem, std::vector<double>(10, 0.7)).size(),
              entry == 1 ? 0U : 1U)
        << entry;
  }
}

TEST(CheckJacobian, ConditionsThatAreNotFiniteArePassedOver) {
  struct Quotient {
    double sign;
    void operator()(std::span<const double> x, std::span<double> r) const {
      r[0] = std::sin(x[0]) / x[0] - 0.5;
      r[1] = std::sin(x[0]) - 0.5;
    }
    void Jacobian(std::span<const double> x, MatrixView<double> M) const {
      M(0, 0) = (std::cos(x[0]) - std::sin(x[0]) / x[0]) / x[0];
      M(1, 0) = sign * std::cos(x[0]);
    }
  };
  const std::vector<double> theta = {0};
  Problem<double> right(1);
  right.Add("quotient", 2, Quotient{1});
  EXPECT_TRUE(CheckJacobian(right, theta).empty());
  Problem<double> wrong(1);
  wrong.Add("quotient", 2, Quotient{-1});
  const auto all = CheckJacobian(wrong, theta);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].row, 1);
  const std::vector<double> nowhere = {
      std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(CheckJacobian(wrong, nowhere), UsageError);
}

// Differences of the first step are not finite; those of smaller ones are.
TEST(CheckJacobian, AFunctionMayEndNearTheta) {
  struct Root {
    double sign;
    void operator()(std::span<const double> x, std::span<double> r) const {
      r[0] = std::sqrt(x[0] - 1000);
    }
    void Jacobian(std::span<const double> x, MatrixView<double> M) const {
      M(0, 0) = sign / (2 * std::sqrt(x[0] - 1000));
    }
  };
  for (const double sign : {1.0, -1.0}) {
    Problem<double> problem(1);
    problem.Add("root", 1, Root{sign});
    EXPECT_EQ(CheckJacobian(problem, std::vector<double>{1000.01}).size(),
              sign == 1 ? 0U : 1U);
  }
}

template <class Call>
std::string UsageErrorOf(Call&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

TEST(CheckJacobian, WhatItIsCalledWithIsChecked) {
  Problem<double> problem(2);
  const std::vector<double> theta = {1, 2};
  const auto check = [&](const JacobianCheckOptions& options,
                         const Bounds<double>& bounds = {}) {
    return UsageErrorOf(
        [&] { CheckJacobian(problem, theta, options, bounds); });
  };
  EXPECT_EQ(check({}), "there is no condition: add a group of them");
  problem.Add("sums", 2, Sums());
  EXPECT_EQ(check({}), "no UsageError");
  EXPECT_EQ(
      check({.tolerance = -1}),
      "JacobianCheckOptions::tolerance = -1: must satisfy tolerance >= 0");
  EXPECT_EQ(check({.rows = -1}),
            "JacobianCheckOptions::rows = -1: must satisfy rows >= 1");
  EXPECT_EQ(check({.columns = 0}),
            "JacobianCheckOptions::columns = 0: must satisfy columns >= 1");
  EXPECT_NE(check({}, {.lower = {0}}).find("Bounds: 1 for 2 parameters"),
            std::string::npos)
      << check({}, {.lower = {0}});
  EXPECT_NE(check({}, {.upper = {3, 3, 3}}).find("Bounds: 3 for 2 parameters"),
            std::string::npos);
  EXPECT_EQ(check({}, {.lower = {100, 100}}),
            "theta[0] = 1: must be at or above its bound 100");
  EXPECT_EQ(
      UsageErrorOf([&] { CheckJacobian(problem, std::vector<double>{1}); }),
      "theta has 1 entries for 2 parameters");
}

}  // namespace
}  // namespace sven::solve::check_jacobian_test
