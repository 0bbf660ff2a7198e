// SPDX-License-Identifier: MIT
//
// What keeps a step of Sven from doing harm, where it is asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sven/base/error.h"
#include "sven/optim/sven.h"
#include "testing/problems.h"

namespace sven::optim::sven_safeguards_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;

double LossOf(const Problem<double>& problem) {
  return nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch());
}

Problem<double> HardProblem(std::uint64_t seed) {
  return MakeProblem<double>(
      {.widths = {2, 8, 8, 1}, .batch = 12, .seed = seed});
}

TEST(SvenRejectWorse, NeverLeavesABatchWorseOffWhereThePlainStepDoes) {
  int plain_worse = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Problem<double> problem = HardProblem(seed);
    Problem<double> plain = problem;
    Sven<double> safe({.learning_rate = 1, .reject_worse = true});
    Sven<double> unsafe({.learning_rate = 1});
    const double before = LossOf(problem);
    const StepReport report =
        safe.Step(problem.net, problem.loss, problem.Batch());
    unsafe.Step(plain.net, plain.loss, plain.Batch());
    EXPECT_LE(LossOf(problem), before);
    EXPECT_TRUE(report.Applied() || report.status == StepStatus::kRejected);
    plain_worse += LossOf(plain) > before ? 1 : 0;
  }
  EXPECT_GT(plain_worse, 0);  // else nothing was shown
}

TEST(SvenRejectWorse, TakesAPowerOfTwoOfThePlainStep) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Problem<double> problem = HardProblem(seed);
    Problem<double> plain = problem;
    Sven<double> safe({.learning_rate = 1, .reject_worse = true});
    Sven<double> unsafe({.learning_rate = 1});
    const StepReport report =
        safe.Step(problem.net, problem.loss, problem.Batch());
    const StepReport full = unsafe.Step(plain.net, plain.loss, plain.Batch());
    if (!report.Applied()) continue;
    const double halvings = std::log2(full.update_norm / report.update_norm);
    EXPECT_NEAR(halvings, std::round(halvings), 1e-9);
    EXPECT_LE(halvings, 8.5);
    EXPECT_LT(
        RelativeError(std::exp2(halvings) * ToVector<double>(safe.Update()),
                      ToVector<double>(unsafe.Update())),
        1e-9);
  }
}

TEST(SvenNormLimit, ShortensTheUpdateAndLeavesShortOnesAlone) {
  Problem<double> problem = HardProblem(1);
  const double norm =
      std::max(1.0, ToVector<double>(problem.net.Parameters()).norm());
  const auto step = [&](std::optional<double> limit) {
    Problem<double> copy = problem;
    Sven<double> optimizer({.norm_limit = limit});
    const StepReport report = optimizer.Step(copy.net, copy.loss, copy.Batch());
    return std::pair{report, ToVector<double>(optimizer.Update())};
  };
  const auto [free_report, free] = step(std::nullopt);
  const double limit = 0.25 * free_report.update_norm / norm;
  const auto [report, limited] = step(limit);
  EXPECT_LT(RelativeError(limited, 0.25 * free), 1e-12);
  EXPECT_NEAR(report.update_norm, limit * norm, 1e-12);
  EXPECT_EQ(step(100 * limit).second, free);
}

TEST(SvenMinGain, KeepsFewerDirectionsThanAreLeftByTheCut) {
  Problem<double> problem = HardProblem(2);
  const auto kept = [&](double min_gain) {
    Problem<double> copy = problem;
    Sven<double> optimizer(
        {.truncation = {.rtol = 1e-6, .min_gain = min_gain}});
    return optimizer.Step(copy.net, copy.loss, copy.Batch()).kept;
  };
  EXPECT_EQ(kept(0), 12);
  EXPECT_LT(kept(0.5), 12);
  EXPECT_GE(kept(0.5), 1);
  EXPECT_LE(kept(0.9), kept(0.5));
}

TEST(SvenSafeguards, AreOffByDefaultAndRefuseWhatComesAfterThem) {
  const SvenOptions defaults;
  EXPECT_FALSE(defaults.reject_worse);
  EXPECT_FALSE(defaults.norm_limit.has_value());
  EXPECT_EQ(defaults.truncation.min_gain, 0);
  try {
    const Sven<double> optimizer(
        {.reject_worse = true, .momentum = {.momentum = 0.5}});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "SvenOptions::reject_worse = true: judges the step as it comes "
              "from the singular values; momentum and rms post would change it "
              "afterwards");
  }
}

}  // namespace
}  // namespace sven::optim::sven_safeguards_test
