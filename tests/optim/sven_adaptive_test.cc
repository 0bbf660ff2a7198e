// SPDX-License-Identifier: MIT
#include "sven/optim/sven_adaptive.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "sven/base/error.h"
#include "sven/data/tasks.h"
#include "testing/decompositions.h"
#include "testing/optimizer_laws.h"
#include "testing/problems.h"
#include "testing/references.h"

namespace sven::optim::sven_adaptive_test {
namespace {

using testing::MakeProblem;
using testing::PlainLosses;
using testing::PlainOutputJacobian;
using testing::PlainOutputs;
using testing::Problem;
using testing::RelativeError;
using testing::SolvePlain;
using testing::ToVector;

Problem<double> Regression(std::vector<Index> widths = {2, 6, 5, 1}) {
  return MakeProblem<double>(
      {.widths = std::move(widths), .activation = nn::Activation::kTanh});
}

double LossOf(const Problem<double>& problem) {
  return nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch());
}

// - (M^T M + lambda unit)^-1 M^T R
Vector<double> DenseStep(const Matrix<double>& M, const Vector<double>& R,
                         double lambda) {
  return -SolvePlain(
      M.transpose() * M + lambda * Matrix<double>::Identity(M.cols(), M.cols()),
      M.transpose() * R);
}

TEST(SvenAdaptive, StepsAsTheDampedPseudoInverseOfSignedResiduals) {
  Problem<double> problem = Regression();
  const Matrix<double> M = PlainOutputJacobian(problem);
  const Vector<double> R = PlainOutputs(problem).col(0) - problem.data.y.col(0);
  const double mean = M.squaredNorm() / static_cast<double>(M.rows());
  SvenAdaptive<double> optimizer({.learning_rate = 0.1,
                                  .unit = core::DampingUnit::kMean,
                                  .lambda_start = 0.3,
                                  .steer = false});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  ASSERT_EQ(report.status, StepStatus::kOk);
  EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                          0.1 * DenseStep(M, R, 0.3 * mean)),
            1e-9);
}

TEST(SvenAdaptive, OfManyOutputsTakesTheRootOfTheLosses) {
  Problem<double> problem = Regression({2, 5, 3});
  const Vector<double> theta = ToVector<double>(problem.net.Parameters());
  const Vector<double> R = PlainLosses(problem, theta).cwiseSqrt();
  const Matrix<double> M = testing::FiniteDifferenceJacobian(
      [&](const Vector<double>& at) {
        return Vector<double>(PlainLosses(problem, at).cwiseSqrt());
      },
      theta);
  const double mean = M.squaredNorm() / static_cast<double>(M.rows());
  SvenAdaptive<double> optimizer({.learning_rate = 0.1,
                                  .unit = core::DampingUnit::kMean,
                                  .lambda_start = 0.3,
                                  .conditions = AdaptiveConditions::kLosses,
                                  .steer = false});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                          0.1 * DenseStep(M, R, 0.3 * mean)),
            1e-6);
}

TEST(SvenAdaptive, OutputsAreConditionsUpTo256InTheLargestBatch) {
  using enum AdaptiveConditions;
  const auto updates = [](AdaptiveConditions conditions,
                          std::initializer_list<Index> batches) {
    SvenAdaptive<double> optimizer({.conditions = conditions});
    Vector<double> last;
    for (const Index batch : batches) {
      Problem<double> problem =
          MakeProblem<double>({.widths = {2, 5, 4}, .batch = batch});
      optimizer.Step(problem.net, problem.loss, problem.Batch());
      last = ToVector<double>(optimizer.Update());
    }
    return last;
  };
  EXPECT_EQ(updates(kAuto, {64}), updates(kOutputs, {64}));
  EXPECT_EQ(updates(kAuto, {65}), updates(kLosses, {65}));
  // A last batch that is smaller is one of them.
  EXPECT_EQ(updates(kAuto, {65, 10}), updates(kLosses, {65, 10}));
}

TEST(SvenAdaptive, OfCrossEntropyTakesPowersOfTheLossesWithDampingAndDecay) {
  int compared = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Problem<double> problem =
        MakeProblem<double>({.widths = {6, 8, 3},
                             .batch = 5,
                             .loss = nn::Loss::kCrossEntropy,
                             .seed = seed});
    const Vector<double> theta = ToVector<double>(problem.net.Parameters());
    const auto powers = [&](const Vector<double>& at) -> Vector<double> {
      return PlainLosses(problem, at).array().pow(1.25 / 2);
    };
    const Vector<double> R = powers(theta);
    const Matrix<double> M = testing::FiniteDifferenceJacobian(powers, theta);
    const double mean = M.squaredNorm() / static_cast<double>(M.rows());
    SvenAdaptive<double> optimizer(
        {.unit = core::DampingUnit::kMean, .attempts = 1, .norm_limit = 100});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    if (!report.Applied()) continue;
    ++compared;
    EXPECT_EQ(report.learning_rate, 1);
    // lambda_start is below the least damping of cross-entropy.
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                            DenseStep(M, R, 1.5 * 0.13 * mean) -
                                7e-4 * 5 * std::pow(0.13, 3) * theta),
              1e-6);
  }
  EXPECT_GT(compared, 2);
}

TEST(SvenAdaptive, DampingFollowsTheGain) {
  const auto after = [](Problem<double> problem, double rate) {
    SvenAdaptive<double> optimizer({.learning_rate = rate,
                                    .lambda_start = 1e-3,
                                    .norm_limit = 100,
                                    .steer = false});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    const double gain = (report.loss - LossOf(problem)) *
                        static_cast<double>(problem.data.Size()) /
                        report.predicted_decrease;
    return std::pair{gain, optimizer.State().lambda};
  };
  // A short step is as good as predicted.
  const auto [good, lowered] = after(Regression(), 1e-3);
  EXPECT_NEAR(good, 1, 0.1);
  EXPECT_DOUBLE_EQ(lowered, 0.7e-3);
  // So is any step of a linear model.
  const auto [linear, lowered_too] = after(Regression({2, 1}), 1);
  EXPECT_NEAR(linear, 1, 1e-9);
  EXPECT_DOUBLE_EQ(lowered_too, 0.7e-3);
}

TEST(SvenAdaptive, NeverLeavesABatchWorseOff) {
  for (const nn::Loss loss :
       {nn::Loss(nn::Loss::kSquaredError), nn::Loss(nn::Loss::kHuber)}) {
    for (const double rate : {0.5, 2.0, 100.0}) {
      for (const std::uint64_t seed : {1, 2, 3}) {
        Problem<double> problem = MakeProblem<double>(
            {.widths = {2, 8, 8, 1}, .batch = 12, .loss = loss, .seed = seed});
        SvenAdaptive<double> optimizer(
            {.learning_rate = rate, .lambda_start = 1e-8});
        for (int step = 0; step < 30; ++step) {
          const double before = LossOf(problem);
          const StepReport report =
              optimizer.Step(problem.net, problem.loss, problem.Batch());
          EXPECT_LE(LossOf(problem), before) << Name(report.status);
        }
      }
    }
  }
}

TEST(SvenAdaptive, NeverLeavesABatchOfClassesWorseOff) {
  for (const auto conditions :
       {AdaptiveConditions::kLosses, AdaptiveConditions::kOutputs}) {
    for (const double kappa : {1.0, 2.0}) {
      auto problem = testing::LearnableClassification<double>(1);
      SvenAdaptive<double> optimizer(
          {.conditions = conditions, .kappa = kappa, .decay = 0});
      const double start = LossOf(problem);
      for (int step = 0; step < 30; ++step) {
        const double before = LossOf(problem);
        optimizer.Step(problem.net, problem.loss, problem.Batch());
        EXPECT_LE(LossOf(problem), before);
      }
      EXPECT_LT(LossOf(problem), 0.8 * start);
    }
  }
}

TEST(SvenAdaptive, GivesABatchUpAfterSoManyAttemptsAndKeepsTheDamping) {
  Problem<double> problem = Regression();
  const Vector<double> before = ToVector<double>(problem.net.Parameters());
  // A gain of nearly one is asked for, which this rate cannot have.
  SvenAdaptive<double> optimizer({.learning_rate = 1.9,
                                  .lambda_start = 1e-6,
                                  .accept = 0.9999,
                                  .poor = 0.9999,
                                  .good = 0.9999,
                                  .attempts = 3,
                                  .norm_limit = 100,
                                  .steer = false});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kRejected);
  EXPECT_EQ(report.update_norm, 0);
  EXPECT_EQ(ToVector<double>(problem.net.Parameters()), before);
  EXPECT_DOUBLE_EQ(optimizer.State().lambda, 64e-6);
}

TEST(SvenAdaptive, AnUpdateIsNoLongerThanTheLimit) {
  for (const double limit : {1e-3, 0.1}) {
    Problem<double> problem = Regression();
    const double norm =
        std::max(1.0, ToVector<double>(problem.net.Parameters()).norm());
    SvenAdaptive<double> optimizer({.norm_limit = limit});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    ASSERT_TRUE(report.Applied());
    EXPECT_LE(report.update_norm, limit * norm * (1 + 1e-12));
    EXPECT_GT(report.update_norm, 0);
  }
}

TEST(SvenAdaptive, FiltersAgreeWhereNothingIsWeak) {
  for (const auto filter : {DampingFilter::kSmooth, DampingFilter::kHard}) {
    Problem<double> problem = Regression();
    Problem<double> twin = problem;
    SvenAdaptive<double> optimizer({.learning_rate = 1e-3,
                                    .filter = filter,
                                    .lambda_start = 1e-10,
                                    .steer = false});
    SvenAdaptive<double> tikhonov(
        {.learning_rate = 1e-3, .lambda_start = 1e-10, .steer = false});
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    tikhonov.Step(twin.net, twin.loss, twin.Batch());
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                            ToVector<double>(tikhonov.Update())),
              1e-2)
        << Name(filter);
  }
}

TEST(SvenAdaptive, SteeringLowersTheRateUnderNoiseAndNotWithout) {
  const auto rate_after = [](double noise) {
    const auto task = data::MakeToy1d<double>(
        {.train = 512, .validation = 1, .noise = noise});
    nn::Mlp<double> net({1, 8, 8, 1}, nn::Activation::kGelu, 1);
    SvenAdaptive<double> optimizer;
    data::BatchStream<double> stream(task.train, 32, 1);
    for (int epoch = 0; epoch < 60; ++epoch) {
      while (const auto batch = stream.Next()) {
        optimizer.Step(net, nn::Loss::kSquaredError, *batch);
      }
    }
    return std::pair{optimizer.State().rate, optimizer.State().floor};
  };
  const auto [noisy_rate, noisy_floor] = rate_after(1);
  const auto [clean_rate, clean_floor] = rate_after(0);
  EXPECT_LT(noisy_rate, 0.5);
  EXPECT_GT(noisy_floor, 1e-6);
  EXPECT_GT(clean_rate, 2 * noisy_rate);
  EXPECT_LT(clean_floor, noisy_floor / 100);
}

// Noise alone, few samples, many epochs: the loss where the targets are zero, as
// they should be predicted.
double LearnedByHeart(std::optional<Index> size) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {6, 16, 16, 1},
                           .batch = 100,
                           .activation = nn::Activation::kTanh});
  SvenAdaptive<double> optimizer;
  optimizer.SetTrainingSize(size);
  data::BatchStream<double> stream(problem.Batch(), 20, 1);
  for (int epoch = 0; epoch < 100; ++epoch) {
    while (const auto batch = stream.Next()) {
      optimizer.Step(problem.net, nn::Loss::kSquaredError, *batch);
    }
  }
  Problem<double> other =
      MakeProblem<double>({.widths = {6, 16, 16, 1}, .batch = 500, .seed = 99});
  other.data.y.setZero();
  return nn::MeanLoss<double>(problem.net, nn::Loss::kSquaredError,
                              other.Batch());
}

TEST(SvenAdaptive, GuardsFewSamplesAgainstBeingLearnedByHeart) {
  EXPECT_LT(LearnedByHeart(100), 0.5 * LearnedByHeart(std::nullopt));
}

TEST(SvenAdaptive, TheGuardGoesByInputsPerSampleAndDistanceOfSamples) {
  for (const Index inputs : {1, 3, 40}) {
    for (const Index size : {10, 100, 1200}) {
      Problem<double> problem =
          MakeProblem<double>({.widths = {inputs, 6, 1},
                               .batch = 7,
                               .activation = nn::Activation::kTanh});
      // Without the guard there would be next to no damping.
      SvenAdaptive<double> optimizer({.learning_rate = 0.1});
      const Matrix<double> M = PlainOutputJacobian(problem);
      const Vector<double> R =
          PlainOutputs(problem).col(0) - problem.data.y.col(0);
      const double mean = M.squaredNorm() / static_cast<double>(M.rows());
      const double s1 = Eigen::JacobiSVD<Matrix<double>>(M).singularValues()[0];
      optimizer.SetTrainingSize(size);
      optimizer.Step(problem.net, problem.loss, problem.Batch());
      const auto d = static_cast<double>(inputs);
      const auto n = static_cast<double>(size);
      const double nu = std::min(1.0, 10 * std::min(d, 20.0) / n);
      const double guard = std::min(10.0, 200 * std::pow(nu, 1.5)) *
                           std::min(1.0, 5 / std::pow(n, 1 / d));
      // The first step has a floor of s_1^2 besides.
      const double lambda = std::max(guard * mean, s1 * s1);
      EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                              0.1 * DenseStep(M, R, lambda)),
                0.05)
          << inputs << " inputs, " << size << " samples";
    }
  }
}

TEST(SvenAdaptive, TriesLittleDampingBeforeItCallsEverythingNoise) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {6, 4, 1}, .batch = 2000});
  SvenAdaptive<double> optimizer;
  data::BatchStream<double> stream(problem.Batch(), 32, 1);
  for (int epoch = 0; epoch < 20; ++epoch) {
    while (const auto batch = stream.Next()) {
      optimizer.Step(problem.net, nn::Loss::kSquaredError, *batch);
    }
  }
  const SvenAdaptiveState& state = optimizer.State();
  EXPECT_LT(state.rate, 0.5);
  EXPECT_GT(state.progress.Left(), 0.5);
  // Where most has been learned, it would be 0.01.
  EXPECT_LT(state.floor, 1e-3);
}

// One sample more than full batches must not change what is learned.
TEST(SvenAdaptive, ASmallLastBatchDoesNotRaiseTheDampingOfTheOthers) {
  const auto loss_of = [](Index samples) {
    const auto task = data::MakeToy1d<double>(
        {.train = samples, .validation = 200, .seed = 2});
    nn::Mlp<double> net({1, 8, 8, 1}, nn::Activation::kGelu, 1);
    SvenAdaptive<double> optimizer;
    optimizer.SetTrainingSize(samples);
    data::BatchStream<double> stream(task.train, 32, 1);
    for (int epoch = 0; epoch < 150; ++epoch) {
      while (const auto batch = stream.Next()) {
        optimizer.Step(net, nn::Loss::kSquaredError, *batch);
      }
    }
    return nn::MeanLoss<double>(net, nn::Loss::kSquaredError,
                                task.validation.All());
  };
  EXPECT_LT(loss_of(129), 20 * loss_of(128));
}

TEST(SvenAdaptive, ClassesAreHeldBackByTheirInputsOverTheSamples) {
  const auto step = [](std::optional<Index> size,
                       const SvenAdaptiveOptions& options) {
    Problem<double> problem = MakeProblem<double>(
        {.widths = {6, 8, 3}, .batch = 5, .loss = nn::Loss::kCrossEntropy});
    SvenAdaptive<double> optimizer(options);
    optimizer.SetTrainingSize(size);
    EXPECT_TRUE(
        optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
    return ToVector<double>(optimizer.Update());
  };
  const auto expected = [&](double lambda_min, double nu) {
    return step(std::nullopt,
                {.lambda_min = lambda_min,
                 .decay = std::min(7e-4 * 5 * nu * nu * nu, 0.01)});
  };
  constexpr double kTolerance = 1e-12;
  // Six inputs: nu = 60 / size.
  EXPECT_LT(RelativeError(step(10, {}), expected(1, 1)), kTolerance);
  EXPECT_LT(RelativeError(step(120, {}), expected(std::pow(0.5, 1.5), 0.5)),
            kTolerance);
  EXPECT_LT(RelativeError(step(300, {}), expected(0.2, 0.2)), kTolerance);
  EXPECT_LT(RelativeError(step(600, {}), expected(0.15, 0.1)), kTolerance);
  EXPECT_LT(RelativeError(step(60000, {}), expected(0.02, 1e-3)), kTolerance);
  // What is given is not touched.
  const SvenAdaptiveOptions given{.lambda_min = 0.2, .decay = 1e-4};
  EXPECT_EQ(step(10, given), step(std::nullopt, given));
}

TEST(SvenAdaptive, EvaluatesWithTheAverageOfTheLastSteps) {
  Problem<double> problem = Regression();
  SvenAdaptive<double> optimizer({.average = 0.1});
  Vector<double> average;
  for (int n = 1; n <= 40; ++n) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> p = ToVector<double>(problem.net.Parameters());
    const double kept = n == 1 ? 0 : 1 - 1 / (1 + 0.1 * n);
    average = n == 1 ? p : Vector<double>(kept * average + (1 - kept) * p);
  }
  EXPECT_LT(RelativeError(
                ToVector<double>(optimizer.EvaluationParameters(problem.net)),
                average),
            1e-12);
}

TEST(SvenAdaptive, WithoutAverageEvaluatesWithTheParameters) {
  Problem<double> problem = Regression();
  SvenAdaptive<double> optimizer({.average = 0});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(optimizer.EvaluationParameters(problem.net).data(),
            problem.net.Parameters().data());
}

TEST(SvenAdaptive, TheChainsEmaGoesBeforeItsOwnAverage) {
  Problem<double> problem = Regression();
  SvenAdaptive<double> optimizer({}, {.ema = 0.0});
  for (int i = 0; i < 5; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  EXPECT_EQ(ToVector<double>(optimizer.EvaluationParameters(problem.net)),
            ToVector<double>(problem.net.Parameters()));
}

TEST(SvenAdaptive, ABatchThatIsMetChangesNothing) {
  Problem<double> problem = Regression();
  problem.data.y = PlainOutputs(problem);
  nn::Mlp<double> net = problem.net;
  SvenAdaptive<double> optimizer;
  for (int i = 0; i < 3; ++i) {
    const StepReport report =
        optimizer.Step(net, problem.loss, problem.Batch());
    EXPECT_LT(report.update_norm, 1e-10);
  }
}

TEST(SvenAdaptive, SolvesTheToyTaskFarBelowSingleRounding) {
  // 40 epochs of 1,000 samples; Adam with its defaults is at 1e-3 there.
  const auto task = data::MakeToy1d<double>({.train = 1000, .validation = 500});
  nn::Mlp<double> net({1, 16, 16, 16, 1}, nn::Activation::kGelu, 1);
  SvenAdaptive<double> optimizer;
  data::BatchStream<double> stream(task.train, 32, 1);
  for (int epoch = 0; epoch < 40; ++epoch) {
    while (const auto batch = stream.Next()) {
      optimizer.Step(net, nn::Loss::kSquaredError, *batch);
    }
  }
  std::ranges::copy(optimizer.EvaluationParameters(net),
                    net.Parameters().begin());
  EXPECT_LT(
      nn::MeanLoss<double>(net, nn::Loss::kSquaredError, task.validation.All()),
      1e-5);
}

std::string Refusal(const SvenAdaptiveOptions& options,
                    const ChainOptions& chain = {}) {
  try {
    const SvenAdaptive<float> optimizer(options, chain);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(SvenAdaptive, RefusesSettingsThatContradictEachOther) {
  EXPECT_EQ(Refusal({.lambda_min = 1, .lambda_max = 0.5}),
            "SvenAdaptiveOptions::lambda_min = 1: must satisfy lambda_min <= "
            "lambda_max, which is 0.5");
  EXPECT_EQ(Refusal({.accept = 0.5}),
            "SvenAdaptiveOptions::poor = 0.25: must satisfy accept <= poor, "
            "where accept is 0.5");
  EXPECT_EQ(Refusal({.poor = 0.9}),
            "SvenAdaptiveOptions::good = 0.75: must satisfy poor <= good, "
            "where poor is 0.9");
  EXPECT_NE(Refusal({.learning_rate = 0}), "");
  EXPECT_NE(Refusal({}, {.max_update = 1}), "");
  EXPECT_NE(Refusal({}, {.decoupled_decay = 1e-4}), "");
}

}  // namespace
}  // namespace sven::optim::sven_adaptive_test
