// SPDX-License-Identifier: MIT
#include "sven/train/interval.h"

#include <gtest/gtest.h>

#include "sven/base/error.h"

namespace sven::train::interval_test {
namespace {

TEST(Interval, TextComesBack) {
  for (const char* text : {"30s", "0.5s", "5epochs", "100steps"}) {
    EXPECT_EQ(Interval::FromText("--x", text).ToText(), text);
  }
  EXPECT_EQ(Interval::FromText("--x", "1epoch").ToText(), "1epochs");
  EXPECT_EQ(Interval::FromText("--x", "1step"),
            (Interval{.count = 1, .unit = Interval::Unit::kSteps}));
}

TEST(Interval, RefusesWhatIsNone) {
  for (const char* text : {"", "s", "10", "0s", "-1s", "1.5steps", "0epochs",
                           "5 s", "nans", "1e400s", "3weeks", "1e30steps"}) {
    EXPECT_THROW(Interval::FromText("--x", text), UsageError) << text;
  }
}

}  // namespace
}  // namespace sven::train::interval_test
