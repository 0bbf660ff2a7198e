// SPDX-License-Identifier: MIT
#include "sven/base/stopwatch.h"

#include <gtest/gtest.h>

namespace sven::stopwatch_test {
namespace {

// Works until the clock has moved on.
void PassTime() {
  const Stopwatch watch;
  while (watch.Seconds() <= 0) {
  }
}

TEST(StopwatchTest, SecondsGoUpAndReadingDoesNotResetThem) {
  const Stopwatch watch;
  PassTime();
  const double early = watch.Seconds();
  PassTime();
  EXPECT_GT(early, 0);
  EXPECT_GT(watch.Seconds(), early);
}

TEST(StopwatchTest, LapsAddUpToTheWholeTime) {
  const Stopwatch outer;
  Stopwatch watch;
  const Stopwatch inner;
  double sum = 0;
  constexpr int kLaps = 100;
  for (int i = 0; i < kLaps - 1; ++i) sum += watch.Lap();
  const double at_least = inner.Seconds();
  sum += watch.Lap();
  const double at_most = outer.Seconds();
  // Clock readings are whole nanoseconds; each conversion rounds once.
  constexpr double kRounding = kLaps * 1e-15;
  EXPECT_GE(sum, at_least - kRounding);
  EXPECT_LE(sum, at_most + kRounding);
}

TEST(StopwatchTest, LapStartsTheNextOne) {
  Stopwatch watch;
  PassTime();
  const double lap = watch.Lap();
  const Stopwatch later;
  EXPECT_GT(lap, 0);
  const double since_later = later.Seconds();
  EXPECT_GE(watch.Seconds(), since_later);
}

}  // namespace
}  // namespace sven::stopwatch_test
