// SPDX-License-Identifier: MIT
#include "sven/optim/polyak.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sven/optim/sgd.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::polyak_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::UsageErrorOf;

TEST(Polyak, TheReportHasTheRateOfTheFormula) {
  for (const double max_rate : {1e-3, 10.0}) {
    Problem<double> problem = MakeProblem<double>({});
    Problem<double> other = problem;
    Sgd<double> descent({.learning_rate = 1});
    descent.Step(other.net, other.loss, other.Batch());
    const Vector<double> g = -ToVector<double>(descent.Update());
    Polyak<double> optimizer(
        {.max_learning_rate = max_rate, .f_star = 0.1, .eps = 0.5});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    const double expected =
        std::min((report.loss - 0.1) / (g.squaredNorm() + 0.5), max_rate);
    EXPECT_NEAR(report.learning_rate, expected, 1e-14 * expected);
    EXPECT_LT(
        RelativeError(ToVector<double>(optimizer.Update()), -expected * g),
        1e-13);
  }
}

// For a squared error linear in the parameters the rate goes half way in the
// residual: r - |g|^2 l / |g|^2 dr/dl = r / 2.
TEST(Polyak, HalvesTheResidualOfALinearModel) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 1}, .batch = 1});
  Polyak<double> optimizer({.max_learning_rate = 1e10, .eps = 1e-300});
  double loss = optimizer.Step(problem.net, problem.loss, problem.Batch()).loss;
  for (int step = 0; step < 5; ++step) {
    const double next =
        optimizer.Step(problem.net, problem.loss, problem.Batch()).loss;
    EXPECT_NEAR(next, loss / 4, 1e-10 * loss);
    loss = next;
  }
}

TEST(Polyak, StandsStillBelowTheLossToBeReached) {
  Problem<double> problem = MakeProblem<double>({});
  const Problem<double> before = problem;
  Polyak<double> optimizer({.f_star = 1e6});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(report.Applied());
  EXPECT_EQ(report.learning_rate, 0);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), before.net.Parameters()));
}

TEST(Polyak, RefusesToClipTheGradientThatItsRateComesFrom) {
  EXPECT_TRUE(UsageErrorOf([] {
                Polyak<double>({}, {.clip = 1});
              }).starts_with("ChainOptions::clip = 1: "));
}

TEST(PolyakOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    PolyakOptions options;
    std::string message;
  } table[] = {
      {{.f_star = -3}, "no UsageError"},
      {{.max_learning_rate = 0},
       "PolyakOptions::max_lr = 0: must satisfy max_lr > 0"},
      {{.eps = 0}, "PolyakOptions::eps = 0: must satisfy eps > 0"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(UsageErrorOf([&] { Polyak<double> polyak(row.options); }),
              row.message);
  }
}

}  // namespace
}  // namespace sven::optim::polyak_test
