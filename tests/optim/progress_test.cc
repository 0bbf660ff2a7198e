// SPDX-License-Identifier: MIT
#include "sven/optim/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sven/base/random.h"

namespace sven::optim::progress_test {
namespace {

// A loss that falls by `rate` per step, seen with noise of a factor 2 or so.
Progress After(int steps, double rate) {
  Progress progress;
  RandomStream random(1, RandomUse::kData);
  for (int i = 0; i < steps; ++i) {
    progress.Add(std::exp(-rate * i + 0.5 * random.Normal()));
  }
  return progress;
}

TEST(Progress, SeesALossThatFallsThroughTheNoise) {
  for (const int steps : {300, 1000, 20000}) {
    EXPECT_FALSE(After(steps, 0.01).Stalled()) << steps;
  }
}

TEST(Progress, SeesThatALossHasStoppedFallingOrRises) {
  for (const int steps : {300, 1000, 20000}) {
    EXPECT_TRUE(After(steps, -0.01).Stalled()) << steps;
  }
  // Without a trend the noise alone decides; over many steps it is averaged out.
  EXPECT_TRUE(After(100000, 0).Stalled());
}

TEST(Progress, MeansAreThoseOfAPlainLoop) {
  Progress progress;
  double fast = 0;
  double slow = 0;
  RandomStream random(3, RandomUse::kData);
  for (int n = 1; n <= 5000; ++n) {
    const double loss = std::exp(random.Normal() - 0.0004 * n);
    progress.Add(loss);
    const double a = 1 / std::min<double>(n, std::max(50.0, n / 50.0));
    const double b = 1 / std::min<double>(n, std::max(200.0, n / 10.0));
    fast = (1 - a) * fast + a * std::log(loss);
    slow = (1 - b) * slow + b * std::log(loss);
    if (std::abs(fast - slow + 0.05) > 1e-9) {
      EXPECT_EQ(progress.Stalled(), n > 50 && fast > slow - 0.05) << n;
    }
  }
  EXPECT_EQ(progress.Count(), 5000);
}

TEST(Progress, WhatIsLeftIsTheMeanOfLateOverTheHighestThatItWas) {
  Progress progress;
  double late = 0;
  double highest = -1e300;
  RandomStream random(5, RandomUse::kData);
  for (int n = 1; n <= 300; ++n) {
    // Rises at first.
    const double log = random.Normal() + (n < 20 ? 0.2 * n : -0.03 * n);
    progress.Add(std::exp(log));
    const double share = 1.0 / std::min(n, 10);
    late = (1 - share) * late + share * log;
    highest = std::max(highest, late);
    EXPECT_NEAR(progress.Left(), std::exp(late - highest), 1e-12) << n;
  }
  EXPECT_LT(progress.Left(), 1e-3);
}

TEST(Progress, PassesOverWhatHasNoLogarithm) {
  Progress progress = After(10, 0.1);
  const Progress before = progress;
  for (const double loss : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    progress.Add(loss);
  }
  EXPECT_EQ(progress, before);
}

}  // namespace
}  // namespace sven::optim::progress_test
