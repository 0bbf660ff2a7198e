// SPDX-License-Identifier: MIT
//
// Functions that do what they must not: the error says which group and what, and
// the parameters stay as they were.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "sven/solve/check_jacobian.h"
#include "sven/solve/solve.h"
#include "testing/conditions.h"

namespace sven::solve::fault_test {
namespace {

using ::testing::TestWithParam;

const std::vector<double> kStart = {0.5, -0.25};

const std::vector<std::pair<std::string, Method>> kMethods = {
    {"LevenbergMarquardt", LevenbergMarquardt{}},
    {"AdaptiveSven", AdaptiveSven{}},
    {"Sven", Sven{}},
    {"Spring", Spring{}}};

const std::string kUnwritten =
    "unwritten: each must be set (+= is not enough, they do not start at "
    "zero), "
    "and the number of conditions that the group was added with must be right";

// What Solve throws, for every method; theta must not have moved.
template <class F>
void ExpectError(F function, const std::string& expected,
                 const GroupOptions& options = {}) {
  for (const auto& [name, method] : kMethods) {
    SCOPED_TRACE(name);
    Problem<double> problem(2);
    problem.Add("fine", 3, testing::WaveAll());
    problem.Add("bad", 4, function, options);
    std::vector<double> theta = kStart;
    try {
      const Summary summary = Solve(problem, theta, {.method = method});
      ADD_FAILURE() << summary.Brief();
    } catch (const DataError& error) {
      EXPECT_EQ(error.what(), expected);
    }
    EXPECT_EQ(theta, kStart);
  }
}

template <class T>
void Fill(std::span<const T> theta, std::span<T> r) {
  for (std::size_t a = 0; a < r.size(); ++a) {
    r[a] = theta[0] * static_cast<double>(a + 1) - theta[1] * theta[1] - 3;
  }
}

struct Throws {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    Fill(theta, r);
    throw std::out_of_range("no such table");
  }
};

TEST(Fault, AnExceptionCarriesItsGroupAndIsNested) {
  ExpectError(Throws(), "group 'bad': the function threw: no such table");
  Problem<double> problem(2);
  problem.Add("bad", 4, Throws());
  std::vector<double> theta = kStart;
  try {
    Solve(problem, theta);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
  }
}

struct ThrowsInt {
  template <class T>
  void operator()(std::span<const T>, std::span<T>) const {
    throw 3;
  }
};

TEST(Fault, WhateverIsThrownIsReported) {
  ExpectError(ThrowsInt(),
              "group 'bad': the function threw something that is no exception "
              "of the standard library");
}

// Only when it is differentiated, so that residuals alone look fine.
struct ThrowsLater {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    Fill(theta, r);
    if (!std::is_same_v<T, double>) throw std::runtime_error("later");
  }
};

TEST(Fault, AnExceptionInTheDerivativesIsReported) {
  ExpectError(ThrowsLater(), "group 'bad': the function threw: later");
  ExpectError(ThrowsLater(), "group 'bad': the function threw: later",
              {.mode = Mode::kReverse});
}

// Beyond its span by one.
struct Overruns {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    Fill(theta, r);
    r.data()[r.size()] = theta[0];
  }
};

struct OverrunsRows {
  template <class T>
  void operator()(std::span<const T> theta, std::span<const Index>,
                  std::span<T> r) const {
    Fill(theta, r);
    r.data()[r.size()] = 0;
  }
};

TEST(Fault, WritingPastTheEndIsReported) {
  const std::string expected =
      "group 'bad': the function wrote past the end of its 4 residuals: is the "
      "number of conditions that the group was added with right?";
  ExpectError(Overruns(), expected);
  ExpectError(OverrunsRows(), expected);
}

struct TooFew {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    Fill(theta, r.first(3));
  }
};

TEST(Fault, ResidualsLeftOutAreReported) {
  ExpectError(TooFew(),
              "group 'bad': the function left entry 3 of its 4 residuals " +
                  kUnwritten);
}

struct HandWritten {
  void operator()(std::span<const double> theta, std::span<double> r) const {
    Fill(theta, r);
  }
  virtual ~HandWritten() = default;
};

struct TooFewSlopes : HandWritten {
  void Jacobian(std::span<const double>, MatrixView<double> M) const {
    M.topRows(2).setOnes();
  }
};

struct TooManySlopes : HandWritten {
  void Jacobian(std::span<const double>, MatrixView<double> M) const {
    M.setOnes();
    M.data()[M.size() + 2] = 1;
  }
};

TEST(Fault, JacobiansOfTheWrongSizeAreReported) {
  ExpectError(TooFewSlopes(),
              "group 'bad': the function left entry 4 of its 8 entries of the "
              "Jacobian " +
                  kUnwritten);
  ExpectError(
      TooManySlopes(),
      "group 'bad': the function wrote past the end of its 8 entries of "
      "the Jacobian: is the number of conditions that the group was "
      "added with right?");
}

struct BadPullBack : HandWritten {
  void PullBack(std::span<const double>, std::span<const double>,
                std::span<double> out) const {
    out[0] = 1;
  }
  void PushForward(std::span<const double>, std::span<const double>,
                   std::span<double> out) const {
    for (double& x : out) x = 1;
  }
};

TEST(Fault, ProductsLeftOutAreReported) {
  ExpectError(BadPullBack(),
              "group 'bad': the function left entry 1 of its 2 entries of the "
              "pull-back " +
                  kUnwritten);
}

struct WrongSign : HandWritten {
  void Jacobian(std::span<const double> theta, MatrixView<double> M) const {
    for (Index a = 0; a < M.rows(); ++a) {
      M(a, 0) = -static_cast<double>(a + 1);
      M(a, 1) = 2 * theta[1];
    }
  }
};

TEST(Fault, AJacobianOfTheWrongSignIsFoundWhenNoStepHelps) {
  Problem<double> problem(2);
  problem.Add("bad", 4, WrongSign());
  std::vector<double> theta = kStart;
  try {
    const Summary summary = Solve(problem, theta);
    FAIL() << summary.Full();
  } catch (const DataError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(
        text.starts_with("the Jacobian is wrong: group 'bad', condition "))
        << text;
    EXPECT_TRUE(text.ends_with("; the sign is wrong")) << text;
  }
  EXPECT_EQ(theta, kStart);
}

TEST(Fault, AJacobianOfTheWrongSignIsFoundAtTheStartOnRequest) {
  for (const auto& [name, method] : kMethods) {
    Problem<double> problem(2);
    problem.Add("bad", 4, WrongSign());
    std::vector<double> theta = kStart;
    EXPECT_THROW(Solve(problem, theta,
                       {.method = method, .check = JacobianCheck::kAtStart}),
                 DataError)
        << name;
    EXPECT_EQ(theta, kStart);
  }
}

// theta = (1, 1) solves it, but it is defined only for theta_0 <= limit.
struct NanBeyond {
  double limit;
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    r[0] = theta[0] - 1;
    r[1] = theta[1] - 1;
    r[2] = theta[0] + theta[1] - 2;
    r[3] = theta[0] * theta[1] - 1;
    if (theta[0] > limit) r[2] = std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(Fault, NanAtTheStartIsAStatusThatNamesTheCondition) {
  for (const auto& [name, method] : kMethods) {
    SCOPED_TRACE(name);
    Problem<double> problem(2);
    problem.Add("fine", 3, testing::WaveAll());
    problem.Add("bad", 4, NanBeyond{0});
    std::vector<double> theta = kStart;
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_EQ(summary.ending, Ending::kNonFinite);
    EXPECT_EQ(summary.message,
              "at the start, group 'bad', condition 2: the residual is nan");
    EXPECT_EQ(theta, kStart);
    EXPECT_FALSE(summary.Converged());
  }
}

TEST(Fault, MethodsThatTryStepsStayWhereTheFunctionIsDefined) {
  for (const Method& method :
       {Method(LevenbergMarquardt{}), Method(AdaptiveSven{})}) {
    Problem<double> problem(2);
    problem.Add("all", 4, NanBeyond{0.75});
    std::vector<double> theta = kStart;
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_LE(theta[0], 0.75);
    EXPECT_LT(summary.final_cost, summary.initial_cost);
    EXPECT_TRUE(std::isfinite(summary.final_cost));
  }
}

TEST(Fault, OtherMethodsEndAtTheLastGoodPlace) {
  for (const Method& method : {Method(Sven{}), Method(Spring{})}) {
    Problem<double> problem(2);
    problem.Add("all", 4, NanBeyond{0.75});
    std::vector<double> theta = kStart;
    const Summary summary = Solve(problem, theta, {.method = method});
    EXPECT_EQ(summary.ending, Ending::kNonFinite);
    EXPECT_EQ(summary.message,
              "after the step, group 'all', condition 2: the residual is nan");
    EXPECT_LE(theta[0], 0.75);
    EXPECT_TRUE(std::isfinite(summary.final_cost));
  }
}

// The residuals are fine, the derivatives are not.
struct NanSlope : HandWritten {
  void Jacobian(std::span<const double>, MatrixView<double> M) const {
    M.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
};

TEST(Fault, ANanInTheJacobianIsFoundByTheCheck) {
  Problem<double> problem(2);
  problem.Add("bad", 4, NanSlope());
  std::vector<double> theta = kStart;
  EXPECT_THROW(Solve(problem, theta), DataError);
  const Summary summary =
      Solve(problem, theta, {.check = JacobianCheck::kNever});
  EXPECT_EQ(summary.ending, Ending::kNonFinite);
  EXPECT_EQ(theta, kStart);
}

TEST(Fault, AWrongNumberOfParametersIsAUsageError) {
  Problem<double> problem(3);
  problem.Add("wave", 4, testing::WaveAll());
  std::vector<double> theta = kStart;
  EXPECT_THROW(Solve(problem, theta), UsageError);
}

TEST(Fault, AProblemWithoutConditionsIsAUsageError) {
  Problem<double> problem(2);
  std::vector<double> theta = kStart;
  EXPECT_THROW(Solve(problem, theta), UsageError);
}

// The wrong entry is zero where the run starts.
struct WrongLater {
  void operator()(std::span<const double> x, std::span<double> r) const {
    r[0] = x[0] * x[0] - 2 + x[1];
    r[1] = x[1] - 1 + x[0];
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    M << -2 * x[0], 1, 1, 1;
  }
};

TEST(Fault, AWrongSignThatTheStartDoesNotShowIsNamedWhereTheRunEnds) {
  Problem<double> problem(2);
  problem.Add("late", 2, WrongLater());
  std::vector<double> theta = {0, 0};
  try {
    Solve(problem, theta);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("group 'late', condition 0, "
                        "parameter 0"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(theta, (std::vector<double>{0, 0}));
}

// Cannot be evaluated beyond its bound.
struct Concentration {
  void operator()(std::span<const double> x, std::span<double> r) const {
    if (x[0] < 0) throw std::domain_error("negative concentration");
    r[0] = x[0] * x[0] + x[0] - 2;
  }
  void Jacobian(std::span<const double> x, MatrixView<double> M) const {
    M(0, 0) = 2 * x[0] + 1;
  }
};

TEST(Fault, TheCheckOfAJacobianStaysWithinTheBounds) {
  Problem<double> problem(1);
  problem.Add("c", 1, Concentration());
  std::vector<double> theta = {0};
  const Summary summary =
      Solve(problem, theta,
            {.bounds = {.lower = {0}}, .check = JacobianCheck::kAtStart});
  EXPECT_TRUE(summary.Converged()) << summary.Brief();
  EXPECT_NEAR(theta[0], 1, 1e-9);
  EXPECT_THROW(CheckJacobian(problem, std::vector<double>{0.0}), DataError);
}

TEST(Fault, ADerivativeThatIsNotFiniteIsNamed) {
  Problem<double> problem(2);
  problem.Add("fine", 1, [](auto x, auto r) { r[0] = x[0] - 1.0; });
  problem.Add("root", 2, [](auto x, auto r) {
    using std::sqrt;
    r[0] = x[0] + x[1];
    r[1] = sqrt(x[1]) - 1.0;
  });
  std::vector<double> theta = {1, 0};
  const Summary summary = Solve(problem, theta);
  EXPECT_EQ(summary.ending, Ending::kNonFinite);
  EXPECT_NE(summary.message.find("group 'root', condition 1: the derivative in "
                                 "parameter 1 is inf"),
            std::string::npos)
      << summary.message;
}

TEST(Fault, ASumThatOverflowsIsReported) {
  Problem<double> problem(1);
  for (const char* name : {"a", "b"}) {
    problem.Add(name, 1, [](auto x, auto r) { r[0] = x[0] * 1e154; });
  }
  std::vector<double> theta = {1.2};
  const Summary summary = Solve(problem, theta);
  EXPECT_EQ(summary.ending, Ending::kNonFinite);
  EXPECT_NE(summary.message.find("sum of all squares"), std::string::npos)
      << summary.message;
}

TEST(Fault, AThetaOfTheWrongLengthIsRefusedEverywhere) {
  Problem<double> problem(3);
  problem.Add("all", 1, [](auto x, auto r) { r[0] = x[2]; });
  const std::vector<double> theta = {1};
  EXPECT_THROW((void)problem.Cost(theta), std::exception);
  EXPECT_THROW((void)problem.FullCost(theta), std::exception);
  EXPECT_THROW((void)problem.GroupResiduals("all", theta), std::exception);
}

}  // namespace
}  // namespace sven::solve::fault_test
