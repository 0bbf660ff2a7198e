// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "equations.h"
#include "sven/base/error.h"
#include "sven/solve/solve.h"

namespace sven::pde::fault_test {
namespace {

template <class Call>
std::string MessageOf(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(PdeFaults, AWrongSignInSlopesIsNamed) {
  nn::Mlp<double> net = Network({2, 6, 1});
  const std::vector<double> before(net.Parameters().begin(),
                                   net.Parameters().end());
  Problem<double> problem(net);
  BurgersByHand wrong;
  wrong.sign = -1;
  problem.Add("pde", RandomPoints(5, 2, 9), wrong,
              {.derivatives = Derivatives::kDiagonal});
  const std::string message = MessageOf([&] {
    sven::Solve(problem, net.Parameters(),
                {.check = solve::JacobianCheck::kAtStart});
  });
  ExpectContains(message, "group 'pde'");
  ExpectContains(message, "the value of output 0");
  EXPECT_TRUE(std::ranges::equal(before, net.Parameters()));
}

TEST(PdeFaults, WhatAConditionThrowsSaysItsGroupAndParametersStay) {
  nn::Mlp<double> net = Network({2, 6, 1});
  const std::vector<double> before(net.Parameters().begin(),
                                   net.Parameters().end());
  int calls = 0;
  const auto throwing = [&calls](const auto& u) {
    if (++calls > 40) throw std::runtime_error("out of luck");
    return u.Value() * u.Value() - 2.0;
  };
  Problem<double> problem(net);
  problem.Add("lucky", RandomPoints(5, 2, 9), throwing);
  const std::string message =
      MessageOf([&] { sven::Solve(problem, net.Parameters()); });
  ExpectContains(message, "group 'lucky'");
  ExpectContains(message, "out of luck");
  EXPECT_TRUE(std::ranges::equal(before, net.Parameters()));
}

TEST(PdeFaults, ANanAtTheStartNamesThePointAndParametersStay) {
  nn::Mlp<double> net = Network({2, 6, 1});
  const std::vector<double> before(net.Parameters().begin(),
                                   net.Parameters().end());
  Problem<double> problem(net);
  problem.Add("log", RandomPoints(5, 2, 9), [](const auto& u) {
    return u.Row() == 3 ? u.Value() * std::nan("") : u.Value();
  });
  const auto summary = sven::Solve(problem, net.Parameters());
  EXPECT_EQ(summary.ending, solve::Ending::kNonFinite);
  ExpectContains(summary.message, "group 'log', point 3");
  EXPECT_TRUE(std::ranges::equal(before, net.Parameters()));
}

TEST(PdeFaults, QuestionsThatTheDerivativesDoNotAnswerAreNamed) {
  const nn::Mlp<double> net = Network({2, 6, 1});
  const auto ask = [&](auto function, Derivatives derivatives) {
    Problem<double> problem(net);
    problem.Add("pde", RandomPoints(5, 2, 9), function,
                {.derivatives = derivatives});
    return MessageOf([&] { problem.MoveTo(net.Parameters()); });
  };
  ExpectContains(ask([](const auto& u) { return u.D(0); }, Derivatives::kValue),
                 "derivatives = value: the condition asks for a first");
  ExpectContains(
      ask([](const auto& u) { return u.Laplacian(); }, Derivatives::kGradient),
      "the Laplacian");
  ExpectContains(
      ask([](const auto& u) { return u.D(0, 1); }, Derivatives::kDiagonal),
      "a second derivative");
  ExpectContains(
      ask([](const auto& u) { return u.D(2); }, Derivatives::kGradient),
      "no coordinate 2");
  ExpectContains(
      ask([](const auto& u) { return u.Of(1).Value(); }, Derivatives::kValue),
      "no output 1");
  ExpectContains(
      ask([](const auto& u) { return u.Unknown(0); }, Derivatives::kValue),
      "no unknown 0");
}

TEST(PdeFaults, GroupsThatDoNotFitAreRefused) {
  const nn::Mlp<double> net = Network({2, 6, 1});
  Problem<double> problem(net);
  const auto add = [&](std::string_view name, const Matrix<double>& points,
                       const GroupOptions& options) {
    return MessageOf([&] { problem.Add(name, points, Value(), options); });
  };
  const Matrix<double> good = RandomPoints(5, 2, 1);
  ExpectContains(add("a", RandomPoints(5, 3, 1), {}), "3 coordinates");
  ExpectContains(add("a", Matrix<double>(0, 2), {}), "count = 0");
  ExpectContains(add("a", good, {.weight = -1}), "weight = -1");
  ExpectContains(add("a", good, {.batch = 6}), "batch = 6");
  Matrix<double> bad = good;
  bad(4, 1) = std::nan("");
  ExpectContains(add("a", bad, {}), "point 4");
  problem.Add("a", good, Value());
  ExpectContains(add("a", good, {}), "the name is taken");
  const nn::Mlp<double> kinked = Network({2, 6, 1}, Activation::kRelu);
  Problem<double> other(kinked);
  ExpectContains(MessageOf([&] {
                   other.Add("a", good, Value(),
                             {.derivatives = Derivatives::kLaplacian});
                 }),
                 "relu");
  EXPECT_THROW(Problem<double>(net, -1), UsageError);
  EXPECT_THROW(static_cast<void>(problem.Start(std::vector<double>{1.0})),
               UsageError);
}

TEST(PdeFaults, SlopesWithoutAPlaceAreRefused) {
  std::vector<double> jet(5);
  const nn::JetShape diagonal{2, Derivatives::kDiagonal};
  FieldSlopes<double> slopes(diagonal, 1, jet, {});
  slopes.AddD2(1, 1, 1);
  EXPECT_EQ(jet[4], 1);
  EXPECT_THROW(slopes.AddD2(0, 1, 1), UsageError);
  EXPECT_THROW(slopes.AddD(2, 1), UsageError);
  EXPECT_THROW(slopes.AddD(-1, 1), UsageError);
  EXPECT_THROW(slopes.AddValue(1, 1), UsageError);
  EXPECT_THROW(slopes.AddUnknown(0, 1), UsageError);
  const nn::JetShape laplacian{2, Derivatives::kLaplacian};
  FieldSlopes<double> other(laplacian, 1, std::span(jet).first(4), {});
  EXPECT_THROW(other.AddD2(0, 0, 1), UsageError);
  const nn::JetShape value{2, Derivatives::kValue};
  FieldSlopes<double> least(value, 1, std::span(jet).first(1), {});
  EXPECT_THROW(least.AddLaplacian(1), UsageError);
}

// c u' = -u, whose coefficient must not be negative.
struct Positive {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    if (u.Unknown(0) < 0) throw std::domain_error("negative");
    return u.D(0) * u.Unknown(0) + u.Value();
  }
  void Slopes(const Field<double, double>& u,
              FieldSlopes<double>& slopes) const {
    slopes.AddValue(1);
    slopes.AddD(0, u.Unknown(0));
    slopes.AddUnknown(0, sign * u.D(0));
  }
  double sign = 1;
};

TEST(PdeFaults, TheCheckOfSlopesStaysWithinTheBounds) {
  const nn::Mlp<double> net({1, 4, 1}, Activation::kTanh, 1);
  for (const double c : {0.0, 1e-5, 1.0}) {
    for (const double sign : {1.0, -1.0}) {
      Problem<double> problem(net, 1);
      problem.Add("decay", RandomPoints(5, 1, 3), Positive{.sign = sign},
                  {.derivatives = Derivatives::kGradient});
      const auto theta = problem.Start(std::vector<double>{c});
      solve::Bounds<double> bounds;
      bounds.lower.assign(theta.size(), -1e9);
      bounds.lower.back() = 0;
      const std::string fault = problem.JacobianFault(theta, bounds);
      EXPECT_EQ(fault.empty(), sign == 1) << c << ": " << fault;
    }
  }
}

// Changes within seconds, at a time that is counted in days.
struct Late {
  double sign = 1;

  template <class S>
  S operator()(const Field<double, S>& u) const {
    using std::sin;
    return u.Value() + sin(2.0 * (u.Unknown(0) - 2450000.0));
  }
  void Slopes(const Field<double, double>& u,
              FieldSlopes<double>& slopes) const {
    slopes.AddValue(1);
    slopes.AddUnknown(0, sign * 2 * std::cos(2.0 * (u.Unknown(0) - 2450000.0)));
  }
};

TEST(PdeFaults, AConditionMayChangeFasterThanItsUnknown) {
  const nn::Mlp<double> net({1, 4, 1}, Activation::kTanh, 1);
  for (const double sign : {1.0, -1.0}) {
    Problem<double> problem(net, 1);
    problem.Add("late", RandomPoints(5, 1, 3), Late{sign});
    const std::string fault =
        problem.JacobianFault(problem.Start(std::vector{2450000.3}), {});
    EXPECT_EQ(fault.empty(), sign == 1) << fault;
  }
}

struct UndefinedAtZero {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    using std::sin;
    return u.Value() + sin(u.Unknown(0)) / u.Unknown(0);
  }
  void Slopes(const Field<double, double>& u,
              FieldSlopes<double>& slopes) const {
    const double c = u.Unknown(0);
    slopes.AddValue(1);
    slopes.AddUnknown(0, std::cos(c) / c - std::sin(c) / (c * c));
  }
};

TEST(PdeFaults, PointsWhoseResidualIsNotFiniteArePassedOver) {
  const nn::Mlp<double> net({1, 4, 1}, Activation::kTanh, 1);
  Problem<double> problem(net, 1);
  problem.Add("undefined", RandomPoints(5, 1, 3), UndefinedAtZero{});
  EXPECT_EQ(problem.JacobianFault(problem.Start(std::vector{0.0}), {}), "");
}

}  // namespace
}  // namespace sven::pde::fault_test
