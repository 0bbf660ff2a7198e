// SPDX-License-Identifier: MIT
//
// Laws that hold for every optimizer of the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sven/data/tasks.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::every_optimizer_test {
namespace {

using testing::EveryOptimizer;
using testing::EveryOptimizerWithMemory;
using testing::MakeProblem;
using testing::Problem;

template <class T>
double EvaluatedLoss(const Problem<T>& problem, const Optimizer<T>& optimizer) {
  nn::Mlp<T> net = problem.net;
  std::ranges::copy(optimizer.EvaluationParameters(problem.net),
                    net.Parameters().begin());
  return nn::MeanLoss<T>(net, problem.loss, problem.Batch());
}

// The loss after training with the defaults, over the one before. L-BFGS gets
// full batches, since pairs of gradients from different ones are of no use to
// it, and a line search: without one it runs off or not as rounding decides.
double LossRatio(OptimizerChoice choice, Problem<double> problem,
                 std::uint64_t seed) {
  const bool full = choice.Info().name == "lbfgs";
  if (full) choice.Set("test", "line_search", "strong_wolfe");
  const auto optimizer = choice.Make<double>();
  const double before =
      nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch());
  data::BatchStream<double> stream(problem.data,
                                   full ? problem.data.Size() : 16, seed);
  for (int step = 0; step < (full ? 20 : 400);) {
    while (const auto batch = stream.Next()) {
      optimizer->Step(problem.net, problem.loss, *batch);
      ++step;
    }
  }
  return EvaluatedLoss(problem, *optimizer) / before;
}

TEST(EveryOptimizer, LowersTheLossOfARegressionWithItsDefaults) {
  for (const OptimizerChoice& choice : EveryOptimizer()) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto task =
          data::MakeToy1d<double>({.train = 96, .validation = 1, .seed = seed});
      const Problem<double> problem{
          .net = nn::Mlp<double>({1, 12, 12, 1}, nn::Activation::kGelu, seed),
          .data = task.train,
          .loss = nn::Loss::kSquaredError};
      EXPECT_LT(LossRatio(choice, problem, seed), 0.99)
          << choice.Info().name << ", seed " << seed;
    }
  }
}

TEST(EveryOptimizer, LowersTheLossOfAClassificationWithItsDefaults) {
  for (const OptimizerChoice& choice : EveryOptimizer()) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      Problem<double> problem =
          MakeProblem<double>({.widths = {2, 12, 3},
                               .batch = 96,
                               .loss = nn::Loss::kCrossEntropy,
                               .seed = seed});
      // Three sectors of the plane.
      for (Index a = 0; a < problem.data.Size(); ++a) {
        const double angle =
            std::atan2(problem.data.x(a, 1), problem.data.x(a, 0));
        problem.data.labels[a] = angle < -1 ? 0 : (angle < 1 ? 1 : 2);
      }
      EXPECT_LT(LossRatio(choice, problem, seed), 0.97)
          << choice.Info().name << ", seed " << seed;
    }
  }
}

template <class T>
void ExpectHugeRatesToEndAsAStatus() {
  for (OptimizerChoice choice : EveryOptimizerWithMemory()) {
    if (!testing::HasSetting(choice, "lr")) continue;
    for (const char* rate : {"1e10", "1e30", "1e300"}) {
      choice.Set("test", "lr", rate);
      Problem<T> problem = MakeProblem<T>({.batch = 12});
      const auto optimizer = choice.Make<T>();
      for (int step = 0; step < 15; ++step) {
        const StepReport report =
            optimizer->Step(problem.net, problem.loss, problem.Batch());
        EXPECT_TRUE(!report.Applied() || std::isfinite(report.loss));
      }
      const auto finite = [](T value) { return std::isfinite(value); };
      EXPECT_TRUE(std::ranges::all_of(problem.net.Parameters(), finite))
          << choice.Info().name << ", lr " << rate;
      EXPECT_TRUE(std::ranges::all_of(
          optimizer->EvaluationParameters(problem.net), finite))
          << choice.Info().name << ", lr " << rate;
    }
  }
}

TEST(EveryOptimizer, AHugeRateEndsAsAStatusAndNeverInNanParameters) {
  ExpectHugeRatesToEndAsAStatus<float>();
  ExpectHugeRatesToEndAsAStatus<double>();
}

TEST(EveryOptimizer, FrozenTensorsNeitherMoveNorDecay) {
  for (const auto& choices : {EveryOptimizer(), EveryOptimizerWithMemory()}) {
    for (const OptimizerChoice& choice : choices) {
      Problem<double> problem = MakeProblem<double>({});
      problem.net.Freeze(0, /*weight=*/true, /*bias=*/false);
      problem.net.Freeze(2, /*weight=*/false, /*bias=*/true);
      const nn::Mlp<double> start = problem.net;
      const auto optimizer = choice.Make<double>();
      for (int i = 0; i < 5; ++i) {
        optimizer->Step(problem.net, problem.loss, problem.Batch());
      }
      nn::Mlp<double> evaluated = problem.net;
      std::ranges::copy(optimizer->EvaluationParameters(problem.net),
                        evaluated.Parameters().begin());
      for (const nn::Mlp<double>* net : {&problem.net, &evaluated}) {
        const auto name = choice.Info().name;
        // An average of equal numbers may differ by rounding.
        EXPECT_LT((net->Weight(0) - start.Weight(0)).norm(), 1e-14) << name;
        EXPECT_LT((net->Bias(2) - start.Bias(2)).norm(), 1e-14) << name;
        EXPECT_NE(net->Weight(1), start.Weight(1)) << name;
      }
      EXPECT_EQ(problem.net.Weight(0), start.Weight(0));
      EXPECT_EQ(problem.net.Bias(2), start.Bias(2));
    }
  }
}

TEST(EveryOptimizer, NanLeavesParametersAndStateAsTheyWere) {
  for (const auto& choices : {EveryOptimizer(), EveryOptimizerWithMemory()}) {
    for (const OptimizerChoice& choice : choices) {
      Problem<double> problem = MakeProblem<double>({});
      const auto optimizer = choice.Make<double>();
      for (int i = 0; i < 3; ++i) {
        optimizer->Step(problem.net, problem.loss, problem.Batch());
      }
      const Problem<double> before = problem;
      const data::SafetensorsFile state = testing::StateOf(*optimizer);
      problem.data.x(0, 0) = std::numeric_limits<double>::quiet_NaN();
      const StepReport report =
          optimizer->Step(problem.net, problem.loss, problem.Batch());
      EXPECT_FALSE(report.Applied()) << choice.Info().name;
      EXPECT_TRUE(
          std::ranges::equal(problem.net.Parameters(), before.net.Parameters()))
          << choice.Info().name;
      const data::SafetensorsFile after = testing::StateOf(*optimizer);
      for (const auto& [name, tensor] : state.tensors) {
        // Schedules go by the steps that were asked for; and a method may have
        // drawn its random subset before it met the NaN.
        const bool counts =
            name == "optimizer.chain.steps" ||
            tensor.shape == std::vector<Index>{RandomStream::kStateWords};
        if (!counts) {
          EXPECT_EQ(*after.Find(name), tensor)
              << choice.Info().name << ", " << name;
        }
      }
    }
  }
}

TEST(EveryOptimizer, TheParametersChangeByTheUpdate) {
  for (const OptimizerChoice& choice : EveryOptimizerWithMemory()) {
    Problem<double> problem = MakeProblem<double>({});
    const auto optimizer = choice.Make<double>();
    for (int step = 0; step < 4; ++step) {
      const nn::Mlp<double> before = problem.net;
      const StepReport report =
          optimizer->Step(problem.net, problem.loss, problem.Batch());
      EXPECT_EQ(report.loss,
                nn::MeanLoss<double>(before, problem.loss, problem.Batch()));
      double square = 0;
      for (std::size_t i = 0; i < before.Parameters().size(); ++i) {
        const double update = optimizer->Update()[i];
        square += update * update;
        EXPECT_EQ(problem.net.Parameters()[i], before.Parameters()[i] + update);
      }
      EXPECT_NEAR(report.update_norm, std::sqrt(square),
                  1e-12 * std::sqrt(square))
          << choice.Info().name;
    }
  }
}

}  // namespace
}  // namespace sven::optim::every_optimizer_test
