// SPDX-License-Identifier: MIT
#include "sven/optim/schedule_free_adamw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::schedule_free_adamw_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::UsageErrorOf;

Vector<double> Copy(std::span<const double> values) {
  return ToVector<double>(values);
}

TEST(ScheduleFreeAdamW, TheNetworkStandsBetweenThePointAndItsAverage) {
  Problem<double> problem = MakeProblem<double>({});
  ScheduleFreeAdamW<double> optimizer(
      {.learning_rate = 0.02, .beta1 = 0.7, .weight_decay = 0.1});
  for (int step = 0; step < 10; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const auto& state = optimizer.State();
    const Vector<double> between =
        0.3 * Copy(state.point) + 0.7 * Copy(state.average);
    EXPECT_LT(RelativeError(Copy(problem.net.Parameters()), between), 1e-14);
  }
}

TEST(ScheduleFreeAdamW, AtAConstantRateItIsEvaluatedAtTheMeanOfItsPoints) {
  Problem<double> problem = MakeProblem<double>({});
  EXPECT_EQ(
      problem.net.Parameters().data(),
      ScheduleFreeAdamW<double>().EvaluationParameters(problem.net).data());
  ScheduleFreeAdamW<double> optimizer({.learning_rate = 0.02});
  Vector<double> sum = Vector<double>::Zero(problem.net.NumParameters());
  for (int step = 1; step <= 10; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    sum += Copy(optimizer.State().point);
    EXPECT_LT(RelativeError(Copy(optimizer.EvaluationParameters(problem.net)),
                            sum / step),
              1e-13);
  }
}

TEST(ScheduleFreeAdamW, StepsOfTheWarmUpWeighTheirSquaredRate) {
  Problem<double> problem = MakeProblem<double>({});
  ScheduleFreeAdamW<double> optimizer({.learning_rate = 0.02},
                                      {.schedule = {.warmup = 4}});
  Vector<double> sum = Vector<double>::Zero(problem.net.NumParameters());
  double weights = 0;
  for (int step = 1; step <= 8; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const double rate = 0.02 * std::min(1.0, step / 4.0);
    weights += rate * rate;
    sum += rate * rate * Copy(optimizer.State().point);
  }
  EXPECT_LT(RelativeError(Copy(optimizer.EvaluationParameters(problem.net)),
                          sum / weights),
            1e-13);
}

TEST(ScheduleFreeAdamW, AStepThatOverflowsStartsItAnew) {
  Problem<float> problem = MakeProblem<float>({});
  ScheduleFreeAdamW<float> optimizer({.learning_rate = 1e39});
  const Problem<float> before = problem;
  EXPECT_EQ(optimizer.Step(problem.net, problem.loss, problem.Batch()).status,
            StepStatus::kNonFiniteStep);
  EXPECT_EQ(optimizer.State().steps, 0);
  EXPECT_TRUE(std::ranges::equal(optimizer.EvaluationParameters(problem.net),
                                 before.net.Parameters()));
}

TEST(ScheduleFreeAdamW, RefusesWhatWouldTakeTheNetworkFromItsPlace) {
  const auto message = [](const ChainOptions& chain) {
    return UsageErrorOf([&] { ScheduleFreeAdamW<double>({}, chain); });
  };
  EXPECT_TRUE(
      message({.max_update = 1}).starts_with("ChainOptions::max_update = 1: "));
  EXPECT_TRUE(message({.decoupled_decay = 1})
                  .starts_with("ChainOptions::decoupled_decay = 1: "));
  EXPECT_TRUE(message({.ema = 0.5}).starts_with("ChainOptions::ema = 0.5: "));
  EXPECT_EQ(message({.clip = 1}), "no UsageError");
}

TEST(ScheduleFreeAdamWOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    ScheduleFreeAdamWOptions options;
    std::string message;
  } table[] = {
      {{}, ""},
      {{.learning_rate = 0}, "lr = 0: must satisfy lr > 0"},
      {{.beta1 = 1}, "beta1 = 1: must satisfy 0 <= beta1 < 1"},
      {{.beta2 = 1}, "beta2 = 1: must satisfy 0 <= beta2 < 1"},
      {{.eps = 0}, "eps = 0: must satisfy eps > 0"},
      {{.weight_decay = -1},
       "weight_decay = -1: must satisfy weight_decay >= 0"},
      {{.r = -1}, "r = -1: must satisfy r >= 0"},
      {{.weight_lr_power = -1},
       "weight_lr_power = -1: must satisfy weight_lr_power >= 0"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(
        UsageErrorOf([&] { ScheduleFreeAdamW<double> trial(row.options); }),
        row.message.empty() ? "no UsageError"
                            : "ScheduleFreeAdamWOptions::" + row.message);
  }
}

}  // namespace
}  // namespace sven::optim::schedule_free_adamw_test
