// SPDX-License-Identifier: MIT
#include "sven/optim/sgd.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/references.h"

namespace sven::optim::sgd_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::ToVector;

TEST(Sgd, TheStepIsTheGradientOfTheMeanLoss) {
  Problem<double> problem = MakeProblem<double>({});
  const Vector<double> theta =
      ToVector<double>(std::span<const double>(problem.net.Parameters()));
  const Matrix<double> J = testing::FiniteDifferenceJacobian(
      [&](const Vector<double>& at) {
        return testing::PlainLosses(problem, at);
      },
      theta);
  Sgd<double> optimizer({.learning_rate = 0.1});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  const Vector<double> expected = -0.1 * J.colwise().mean().transpose();
  EXPECT_LT(
      testing::RelativeError(ToVector<double>(optimizer.Update()), expected),
      1e-7);
  EXPECT_NEAR(report.update_norm, expected.norm(), 1e-7);
  EXPECT_FALSE(report.road.has_value());
}

TEST(Sgd, FrozenTensorsNeitherMoveNorDecay) {
  Problem<double> problem = MakeProblem<double>({});
  problem.net.Freeze(0, /*weight=*/true, /*bias=*/false);
  const double weight = problem.net.Weight(0)(0, 0);
  const double bias = problem.net.Bias(0)[0];
  Sgd<double> optimizer({.momentum = 0.9, .weight_decay = 0.1});
  for (int i = 0; i < 3; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  EXPECT_EQ(problem.net.Weight(0)(0, 0), weight);
  EXPECT_NE(problem.net.Bias(0)[0], bias);
}

TEST(Sgd, NanLeavesParametersAndMomentumAsTheyWere) {
  Problem<double> problem = MakeProblem<double>({});
  Sgd<double> optimizer({.momentum = 0.9});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const Problem<double> good = problem;
  const SgdState<double> state = optimizer.State();
  problem.data.x(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(optimizer.Step(problem.net, problem.loss, problem.Batch()).status,
            StepStatus::kNonFiniteResidual);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), good.net.Parameters()));
  EXPECT_EQ(optimizer.State(), state);
}

TEST(Sgd, AnUpdateThatOverflowsThroughMomentumOrDecayIsNotApplied) {
  for (const SgdOptions& options :
       {SgdOptions{.learning_rate = 1e30, .momentum = 0.9},
        SgdOptions{.learning_rate = 1e30, .weight_decay = 1000}}) {
    Problem<float> problem = MakeProblem<float>({});
    problem.data.x *= 1e10F;
    const Problem<float> before = problem;
    Sgd<float> optimizer(options);
    StepReport report;
    for (int i = 0; i < 5; ++i) {
      report = optimizer.Step(problem.net, problem.loss, problem.Batch());
    }
    EXPECT_FALSE(report.Applied());
    for (const float value : problem.net.Parameters()) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(Sgd, ARateThatVanishesInFloatMovesNothing) {
  Problem<float> problem = MakeProblem<float>({});
  const Problem<float> before = problem;
  Sgd<float> optimizer({.learning_rate = 1e-50, .momentum = 0.9});
  EXPECT_TRUE(
      optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), before.net.Parameters()));
}

TEST(Sgd, MomentumBelongsToOneNetwork) {
  Problem<double> problem = MakeProblem<double>({});
  Problem<double> other = MakeProblem<double>({.widths = {2, 3, 1}});
  Sgd<double> optimizer({.momentum = 0.9});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_THROW(optimizer.Step(other.net, other.loss, other.Batch()),
               std::logic_error);
}

TEST(SgdOptions, EveryFieldOutOfRangeIsNamed) {
  const auto message = [](const SgdOptions& options) -> std::string {
    try {
      Sgd<double> optimizer(options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.learning_rate = -1}).find("SgdOptions::lr = -1"), 0U);
  EXPECT_EQ(message({.momentum = 1}),
            "SgdOptions::momentum = 1: must satisfy 0 <= momentum < 1");
  EXPECT_EQ(message({.dampening = 2}),
            "SgdOptions::dampening = 2: must satisfy 0 <= dampening <= 1");
  EXPECT_EQ(message({.weight_decay = -1}).find("SgdOptions::weight_decay"), 0U);
  EXPECT_NE(message({.nesterov = true}).find("needs momentum > 0"),
            std::string::npos);
}

}  // namespace
}  // namespace sven::optim::sgd_test
