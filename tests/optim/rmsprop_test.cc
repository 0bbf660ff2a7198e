// SPDX-License-Identifier: MIT
#include "sven/optim/rmsprop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::rmsprop_test {
namespace {

using testing::GradientOf;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::UsageErrorOf;

TEST(Rmsprop, WithoutAMeanItIsTheGradientOverItsSize) {
  Problem<double> problem = MakeProblem<double>({});
  Rmsprop<double> optimizer({.learning_rate = 0.1, .alpha = 0, .eps = 1e-2});
  for (int step = 0; step < 3; ++step) {
    const Vector<double> g = GradientOf(problem);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> expected =
        -0.1 * (g.array() / (g.array().abs() + 1e-2)).matrix();
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()), expected),
              1e-13);
  }
}

TEST(Rmsprop, AVarianceThatRoundsBelowZeroIsZero) {
  // alpha = 0: v = g^2 and a = g, whose difference is rounding.
  Problem<float> problem = MakeProblem<float>({});
  Rmsprop<float> optimizer(
      {.learning_rate = 1e-6, .alpha = 0, .eps = 1, .centered = true});
  for (int step = 0; step < 10; ++step) {
    EXPECT_TRUE(
        optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  }
}

TEST(Rmsprop, RemembersOnlyWhatItNeeds) {
  Problem<double> problem = MakeProblem<double>({});
  Rmsprop<double> plain;
  Rmsprop<double> full({.momentum = 0.5, .centered = true});
  plain.Step(problem.net, problem.loss, problem.Batch());
  full.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(plain.State().mean.empty());
  EXPECT_TRUE(plain.State().momentum.empty());
  EXPECT_EQ(full.State().mean.size(), full.State().square.size());
  EXPECT_EQ(full.State().momentum.size(), full.State().square.size());
}

TEST(RmspropOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    RmspropOptions options;
    std::string message;
  } table[] = {
      {{}, "no UsageError"},
      {{.learning_rate = -1}, "RmspropOptions::lr = -1: must satisfy lr > 0"},
      {{.alpha = 1}, "RmspropOptions::alpha = 1: must satisfy 0 <= alpha < 1"},
      {{.eps = 0}, "RmspropOptions::eps = 0: must satisfy eps > 0"},
      {{.weight_decay = -1},
       "RmspropOptions::weight_decay = -1: must satisfy 0 <= weight_decay <= "
       "1000"},
      {{.momentum = 1},
       "RmspropOptions::momentum = 1: must satisfy 0 <= momentum < 1"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(UsageErrorOf([&] { Rmsprop<double> rmsprop(row.options); }),
              row.message);
  }
}

}  // namespace
}  // namespace sven::optim::rmsprop_test
