// SPDX-License-Identifier: MIT
#include "sven/train/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/problems.h"

namespace sven::train::rounding_test {
namespace {

std::vector<EpochRecord> Epochs(const std::vector<double>& losses) {
  std::vector<EpochRecord> epochs;
  for (const double loss : losses) {
    epochs.push_back(
        {.epoch = std::ssize(epochs) + 1, .train = {.loss = loss}});
  }
  return epochs;
}

TEST(RoundingLoss, IsThirtyRoundingsOfTheTargets) {
  const auto problem = testing::MakeProblem<float>({.widths = {2, 3, 2}});
  const double error = 30 * std::numeric_limits<float>::epsilon();
  double squares = 0;
  for (Index a = 0; a < problem.data.Size(); ++a) {
    squares += problem.data.y.row(a).cast<double>().squaredNorm();
  }
  const double mean = squares / static_cast<double>(problem.data.Size());
  EXPECT_NEAR(RoundingLoss<float>(nn::Loss::kSquaredError, problem.Batch()),
              error * error * mean, 1e-12 * error * error * mean);
  EXPECT_NEAR(RoundingLoss<float>(nn::Loss::kHuber, problem.Batch()),
              error * error * mean / 2, 1e-12 * error * error * mean);
  EXPECT_EQ(RoundingLoss<float>(nn::Loss::kLabelRegression, problem.Batch()),
            error * error);
  EXPECT_EQ(RoundingLoss<float>(nn::Loss::kCrossEntropy, problem.Batch()),
            error);
}

TEST(RoundingSince, NamesTheEpochBeforeThreeWithoutGain) {
  EXPECT_EQ(
      RoundingSince(Epochs({1, 1e-9, 1e-11, 2e-11, 0.95e-11, 1e-11}), 1e-10),
      3);
}

TEST(RoundingSince, IsNothingWhileTheLossFallsOrIsAboveTheLevel) {
  const auto none = [](const std::vector<double>& losses, double level) {
    EXPECT_EQ(RoundingSince(Epochs(losses), level), 0);
  };
  none({}, 1);
  none({1e-11, 1e-11, 1e-11}, 1e-10);              // too few
  none({1, 1e-11, 1e-11, 2e-11, 0.8e-11}, 1e-10);  // falls
  none({1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1e-10);       // noise or a small network
  none({1, 1e-9, 1e-11, 1e-11, 1e-11}, 1e-12);     // above
}

TEST(RoundingSince, PassesOverNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(RoundingSince(Epochs({nan, nan, nan, nan, nan}), 1), 0);
}

}  // namespace
}  // namespace sven::train::rounding_test
