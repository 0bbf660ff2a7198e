// SPDX-License-Identifier: MIT
#include "sven/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sven::optim::schedule_test {
namespace {

using Kind = ScheduleKind;

TEST(Schedule, ConstantIsOne) {
  const Schedule schedule;
  for (const Index t : {0, 1, 1000000}) EXPECT_EQ(schedule.At(t), 1);
}

TEST(Schedule, StepFallsAtMultiplesOfEvery) {
  const Schedule schedule{.kind = Kind::kStep, .every = 10, .factor = 0.5};
  EXPECT_EQ(schedule.At(0), 1);
  EXPECT_EQ(schedule.At(9), 1);
  EXPECT_EQ(schedule.At(10), 0.5);
  EXPECT_EQ(schedule.At(25), 0.25);
}

TEST(Schedule, ExponentialPassesThroughTheSameValues) {
  const Schedule schedule{
      .kind = Kind::kExponential, .every = 10, .factor = 0.5};
  EXPECT_DOUBLE_EQ(schedule.At(10), 0.5);
  EXPECT_DOUBLE_EQ(schedule.At(5), std::sqrt(0.5));
}

TEST(Schedule, CosineGoesFromOneToItsEndAndStaysThere) {
  const Schedule schedule{.kind = Kind::kCosine, .steps = 100, .end = 0.2};
  EXPECT_DOUBLE_EQ(schedule.At(0), 1);
  EXPECT_DOUBLE_EQ(schedule.At(50), 0.6);
  EXPECT_DOUBLE_EQ(schedule.At(100), 0.2);
  EXPECT_DOUBLE_EQ(schedule.At(1000), 0.2);
}

TEST(Schedule, CosineMayRise) {
  const Schedule schedule{.kind = Kind::kCosine, .steps = 10, .end = 3};
  EXPECT_DOUBLE_EQ(schedule.At(5), 2);
  EXPECT_DOUBLE_EQ(schedule.At(10), 3);
}

TEST(Schedule, OneCycleStartsPeaksAndEndsWhereItSays) {
  const Schedule schedule{.kind = Kind::kOneCycle,
                          .steps = 100,
                          .start = 0.1,
                          .rise = 0.3,
                          .end = 0.01};
  EXPECT_DOUBLE_EQ(schedule.At(0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.At(29), 1);
  EXPECT_DOUBLE_EQ(schedule.At(99), 0.01);
  EXPECT_DOUBLE_EQ(schedule.At(5000), 0.01);
  EXPECT_LT(schedule.At(10), schedule.At(11));
  EXPECT_GT(schedule.At(60), schedule.At(61));
}

TEST(Schedule, IsFiniteForEveryLengthAndRise) {
  for (const Index steps : {1, 2, 3, 4, 10}) {
    for (const double rise : {0.0, 0.1, 0.5, 0.99}) {
      for (const Kind kind : {Kind::kCosine, Kind::kOneCycle}) {
        const Schedule schedule{.kind = kind, .steps = steps, .rise = rise};
        for (Index t = 0; t < 2 * steps; ++t) {
          const double value = schedule.At(t);
          EXPECT_TRUE(value >= 0 && value <= 1)
              << Name(kind) << " of " << steps << " steps, rise " << rise
              << ", step " << t << ": " << value;
        }
      }
    }
  }
}

TEST(Schedule, WarmUpRisesToTheFirstValueAndThenTheScheduleBegins) {
  for (const Kind kind :
       {Kind::kConstant, Kind::kStep, Kind::kExponential, Kind::kCosine}) {
    Schedule schedule{.kind = kind, .warmup = 4, .steps = 24};
    EXPECT_DOUBLE_EQ(schedule.At(0), 0.25);
    EXPECT_DOUBLE_EQ(schedule.At(3), 1);
    Schedule later = schedule;
    later.warmup = 0;
    later.steps = 20;
    for (const Index t : {0, 1, 7, 19}) {
      EXPECT_DOUBLE_EQ(schedule.At(4 + t), later.At(t)) << Name(kind);
    }
  }
}

TEST(Schedule, TextGoesThereAndBack) {
  for (const char* text :
       {"constant", "cosine", "step:every=10,factor=0.5",
        "one_cycle:warmup=3,steps=20,start=0.1,rise=0.5,end=0.001"}) {
    EXPECT_EQ(Schedule::FromText("--schedule", text).ToText(), text);
  }
  const Schedule schedule =
      Schedule::FromText("--schedule", "cosine:end=0.5,warmup=7");
  EXPECT_EQ(schedule.kind, Kind::kCosine);
  EXPECT_EQ(schedule.end, 0.5);
  EXPECT_EQ(schedule.warmup, 7);
}

std::string Refusal(const char* text) {
  try {
    Schedule::FromText("--schedule", text).Validate("--schedule");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, WrongTextsAreNamed) {
  EXPECT_EQ(Refusal("cosin"),
            "--schedule = 'cosin': expected constant, step, exponential, "
            "cosine or one_cycle");
  EXPECT_EQ(Refusal("step:every=0"),
            "--schedule: every = 0: must satisfy every >= 1");
  EXPECT_EQ(Refusal("step:factor=x"),
            "--schedule: factor = 'x': expected a number");
  for (const char* text : {"step:speed=1", "step:every", "step:kind=step",
                           "step:,", "step:=1", "step::"}) {
    EXPECT_NE(Refusal(text).find("is not a setting of a schedule"),
              std::string::npos)
        << text << ": " << Refusal(text);
  }
  EXPECT_EQ(Refusal("cosine"),
            "--schedule = cosine: needs the whole number of steps; write "
            "cosine:steps=...");
  EXPECT_EQ(Refusal("cosine:warmup=5,steps=5"),
            "--schedule::warmup = 5: must satisfy warmup < steps, which is 5");
}

}  // namespace
}  // namespace sven::optim::schedule_test
