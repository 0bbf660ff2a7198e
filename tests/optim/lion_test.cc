// SPDX-License-Identifier: MIT
#include "sven/optim/lion.h"

#include <gtest/gtest.h>

#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::lion_test {
namespace {

using testing::GradientOf;
using testing::MakeProblem;
using testing::Problem;
using testing::ToVector;
using testing::UsageErrorOf;

TEST(Lion, EveryParameterMovesByTheRate) {
  Problem<double> problem = MakeProblem<double>({});
  Lion<double> optimizer({.learning_rate = 1e-3});
  for (int step = 0; step < 10; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    for (const double value : optimizer.Update()) {
      EXPECT_EQ(std::abs(value), 1e-3);
    }
  }
}

TEST(Lion, WithoutMomentumTheDirectionIsTheSignOfTheGradient) {
  Problem<double> problem = MakeProblem<double>({});
  Lion<double> optimizer({.learning_rate = 0.01, .beta1 = 0});
  for (int step = 0; step < 5; ++step) {
    const Vector<double> g = GradientOf(problem);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_EQ(ToVector<double>(optimizer.Update()), -0.01 * g.cwiseSign());
  }
}

TEST(Lion, WithoutGradientOnlyTheDecayMoves) {
  Problem<double> problem = MakeProblem<double>(
      {.widths = {2, 6, 1}, .activation = nn::Activation::kRelu});
  // All neurons off: only the last bias has a gradient.
  const auto offset =
      static_cast<std::size_t>(problem.net.Layers()[0].bias_offset);
  for (std::size_t i = 0; i < 6; ++i) {
    problem.net.Parameters()[offset + i] = -1e6;
  }
  const nn::Mlp<double> before = problem.net;
  Lion<double> optimizer({.learning_rate = 0.5, .weight_decay = 0.25});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(problem.net.Weight(0), 0.875 * before.Weight(0));
  EXPECT_EQ(problem.net.Bias(0), 0.875 * before.Bias(0));
}

TEST(LionOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    LionOptions options;
    std::string message;
  } table[] = {
      {{}, "no UsageError"},
      {{.learning_rate = 0}, "LionOptions::lr = 0: must satisfy lr > 0"},
      {{.beta1 = 1}, "LionOptions::beta1 = 1: must satisfy 0 <= beta1 < 1"},
      {{.beta2 = 2}, "LionOptions::beta2 = 2: must satisfy 0 <= beta2 < 1"},
      {{.weight_decay = -1},
       "LionOptions::weight_decay = -1: must satisfy weight_decay >= 0"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(UsageErrorOf([&] { Lion<double> lion(row.options); }),
              row.message);
  }
}

}  // namespace
}  // namespace sven::optim::lion_test
