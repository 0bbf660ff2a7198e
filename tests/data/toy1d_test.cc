// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "sven/base/error.h"
#include "sven/data/tasks.h"

namespace sven::data::toy1d_test {
namespace {

double Function(double x) { return std::exp(-10 * x * x) * std::sin(2 * x); }

double Mean(const Matrix<double>& values) {
  double sum = 0;
  for (Index a = 0; a < values.rows(); ++a) sum += values(a, 0);
  return sum / static_cast<double>(values.rows());
}

double Deviation(const Matrix<double>& values) {
  const double mean = Mean(values);
  double sum = 0;
  for (Index a = 0; a < values.rows(); ++a) {
    sum += (values(a, 0) - mean) * (values(a, 0) - mean);
  }
  return std::sqrt(sum / static_cast<double>(values.rows() - 1));
}

Task<double> Small(TaskStandardise standardise, std::uint64_t seed = 7) {
  return MakeToy1d<double>({.train = 500,
                            .validation = 300,
                            .seed = seed,
                            .standardise = standardise});
}

TEST(Toy1d, RawValuesAreTheFunction) {
  const Task<double> task = Small(TaskStandardise::kNone);
  EXPECT_EQ(task.train.Size(), 500);
  EXPECT_EQ(task.validation.Size(), 300);
  EXPECT_EQ(task.normalisation, Normalisation{});
  EXPECT_TRUE(task.class_names.empty());
  for (const auto* part : {&task.train, &task.validation}) {
    for (Index a = 0; a < part->Size(); ++a) {
      ASSERT_LE(std::abs(part->x(a, 0)), 1);
      ASSERT_DOUBLE_EQ(part->y(a, 0), Function(part->x(a, 0)));
    }
  }
}

TEST(Toy1d, TargetsAreStandardisedByDefaultWithTheTrainingPartsNumbers) {
  const Task<double> raw = Small(TaskStandardise::kNone);
  const Task<double> task = Small(TaskStandardise::kDefault);
  EXPECT_EQ(task.train.y, Small(TaskStandardise::kTargets).train.y);
  EXPECT_EQ(task.train.x, raw.train.x);
  EXPECT_TRUE(task.normalisation.inputs.IsIdentity());
  const double mean = Mean(raw.train.y);
  const double deviation = Deviation(raw.train.y);
  EXPECT_NEAR(task.normalisation.targets.mean.at(0), mean, 1e-15);
  EXPECT_NEAR(task.normalisation.targets.deviation.at(0), deviation, 1e-15);
  for (Index a = 0; a < raw.validation.Size(); ++a) {
    ASSERT_NEAR(task.validation.y(a, 0),
                (raw.validation.y(a, 0) - mean) / deviation, 1e-13);
  }
}

TEST(Toy1d, InputsAreStandardisedIfThatIsAskedFor) {
  const Task<double> raw = Small(TaskStandardise::kNone);
  const Task<double> task = Small(TaskStandardise::kInputs);
  EXPECT_EQ(task.train.y, raw.train.y);
  EXPECT_TRUE(task.normalisation.targets.IsIdentity());
  EXPECT_NEAR(Mean(task.train.x), 0, 1e-14);
  EXPECT_NEAR(Deviation(task.train.x), 1, 1e-13);
  const double mean = Mean(raw.train.x);
  const double deviation = Deviation(raw.train.x);
  for (Index a = 0; a < raw.validation.Size(); ++a) {
    ASSERT_NEAR(task.validation.x(a, 0),
                (raw.validation.x(a, 0) - mean) / deviation, 1e-13);
  }
}

// Numbers in the documentation come from these samples.
TEST(Toy1d, TheDefaultSamplesStayWhatTheyAre) {
  const Task<double> task = MakeToy1d<double>();
  EXPECT_DOUBLE_EQ(task.train.x(0, 0), 0.31014799190135589);
  EXPECT_DOUBLE_EQ(task.train.x(9999, 0), -0.36004071116409198);
  EXPECT_DOUBLE_EQ(task.validation.x(9999, 0), 0.79977900224848875);
  EXPECT_NEAR(task.train.y(0, 0), 1.6638822948003913, 1e-12);
  EXPECT_NEAR(task.validation.y(9999, 0), 0.011918569906446578, 1e-12);
}

TEST(Toy1d, TheSeedDecides) {
  const auto x = [](std::uint64_t seed) {
    return Small(TaskStandardise::kDefault, seed).train.x;
  };
  EXPECT_EQ(x(1), x(1));
  EXPECT_NE(x(1), x(2));
}

TEST(Toy1d, ValidationSamplesAreOthers) {
  const Task<double> task = Small(TaskStandardise::kNone);
  for (Index a = 0; a < task.validation.Size(); ++a) {
    ASSERT_EQ((task.train.x.array() == task.validation.x(a, 0)).count(), 0);
  }
}

TEST(Toy1d, FloatsAreTheDoublesRounded) {
  const Toy1dOptions options{.train = 50, .validation = 20};
  const Task<double> wide = MakeToy1d<double>(options);
  const Task<float> task = MakeToy1d<float>(options);
  EXPECT_EQ(task.train.x, wide.train.x.cast<float>());
  EXPECT_EQ(task.validation.y, wide.validation.y.cast<float>());
  EXPECT_EQ(task.normalisation, wide.normalisation);
}

TEST(Toy1d, SizesThatCannotBeAreRefused) {
  EXPECT_THROW(MakeToy1d<float>({.train = 1}), UsageError);
  EXPECT_THROW(MakeToy1d<float>({.validation = 0}), UsageError);
}

}  // namespace
}  // namespace sven::data::toy1d_test
