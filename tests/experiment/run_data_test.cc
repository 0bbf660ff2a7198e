// SPDX-License-Identifier: MIT
#include "sven/experiment/run_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "sven/data/npy.h"
#include "testing/files.h"
#include "testing/optimizers.h"

namespace sven::experiment::run_data_test {
namespace {

using sven::testing::DataErrorOf;
using sven::testing::TemporaryFolder;
using sven::testing::UsageErrorOf;

RunConfig Config(std::vector<std::pair<std::string, std::string>> settings) {
  RunConfig config;
  for (const auto& [name, text] : settings) config.Set(name, name, text);
  return config;
}

// Rows i, 10 i, with the target 100 i + 7.
void WriteTable(const std::filesystem::path& path, int first, int rows) {
  std::ofstream file(path);
  file << "u,v,w\n";
  for (int i = first; i < first + rows; ++i) {
    file << i << "," << 10 * i << "," << 100 * i + 7 << "\n";
  }
}

class RunDataTest : public ::testing::Test {
 protected:
  void SetUp() override { WriteTable(folder_ / "t.csv", 0, 40); }
  [[nodiscard]] std::string Path(const char* name) const {
    return (folder_ / name).string();
  }
  TemporaryFolder folder_;
};

TEST_F(RunDataTest, SplitTakesEverySampleOnceAndKeepsRowsTogether) {
  const auto run = LoadRunData<double>(Config({{"data", Path("t.csv")},
                                               {"target", "w"},
                                               {"validation", "0.25"},
                                               {"standardise", "none"}}));
  EXPECT_EQ(run.Train().Size(), 30);
  EXPECT_EQ(run.Validation().Size(), 10);
  std::set<double> seen;
  for (const auto& part : {run.Train(), run.Validation()}) {
    for (Index a = 0; a < part.Size(); ++a) {
      const double i = part.x(a, 0);
      EXPECT_EQ(part.x(a, 1), 10 * i);
      EXPECT_EQ(part.y(a, 0), 100 * i + 7);
      seen.insert(i);
    }
  }
  EXPECT_EQ(seen.size(), 40U);
  EXPECT_EQ(run.card.input_names, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(run.card.target_names, (std::vector<std::string>{"w"}));
}

TEST_F(RunDataTest, SplitIsTheSameForASeedAndAnotherForAnother) {
  const auto first_of = [&](const char* seed) {
    return LoadRunData<double>(Config({{"data", Path("t.csv")},
                                       {"target", "w"},
                                       {"split_seed", seed}}))
        .checksum;
  };
  EXPECT_EQ(first_of("1"), first_of("1"));
  EXPECT_NE(first_of("1"), first_of("2"));
}

TEST_F(RunDataTest, StandardisationIsLearntOnTheTrainingPartAlone) {
  WriteTable(folder_ / "v.csv", 1000, 5);
  const auto run = LoadRunData<double>(Config(
      {{"data", Path("t.csv")}, {"val_data", Path("v.csv")}, {"target", "w"}}));
  const auto train = run.Train();
  EXPECT_NEAR(train.x.col(0).mean(), 0, 1e-12);
  EXPECT_NEAR(train.x.col(1).squaredNorm() / 39, 1, 1e-12);
  EXPECT_NEAR(train.y.col(0).squaredNorm() / 39, 1, 1e-12);
  const data::Normalisation& n = run.card.normalisation;
  EXPECT_NEAR(n.inputs.mean[0], 19.5, 1e-12);
  EXPECT_NEAR(n.targets.mean[0], 1957, 1e-12);
  EXPECT_NEAR(run.Validation().x(0, 0), (1000 - 19.5) / n.inputs.deviation[0],
              1e-10);
}

TEST_F(RunDataTest, ConstantColumnsKeepTheirScale) {
  std::ofstream(folder_ / "c.csv") << "a,b,y\n3,1,1\n3,2,2\n3,3,3\n3,4,5\n";
  const auto run = LoadRunData<float>(
      Config({{"data", Path("c.csv")}, {"target", "y"}, {"validation", "0"}}));
  EXPECT_EQ(run.card.normalisation.inputs.deviation[0], 1);
  EXPECT_EQ(run.Train().x(0, 0), 0);
  EXPECT_EQ(run.Validation().Size(), 0);
}

TEST_F(RunDataTest, ClassesOfTheValidationFileMeanTheSame) {
  std::ofstream(folder_ / "a.csv") << "x,k\n1,cat\n2,dog\n3,ape\n";
  std::ofstream(folder_ / "b.csv") << "x,k\n1,dog\n2,dog\n";
  const auto run = LoadRunData<float>(Config(
      {{"data", Path("a.csv")}, {"val_data", Path("b.csv")}, {"target", "k"}}));
  EXPECT_EQ(run.outputs, 3);
  EXPECT_EQ(run.card.class_names,
            (std::vector<std::string>{"ape", "cat", "dog"}));
  EXPECT_EQ(run.Validation().labels[0], 2);
  EXPECT_EQ(run.card.loss.kind, nn::Loss::kCrossEntropy);
}

TEST_F(RunDataTest, ModelFindsItsColumnsAndScalesThem) {
  data::TrainedModel<double> model{
      .net = nn::Mlp<double>({2, 1}, nn::Activation::kGelu, 1), .card = {}};
  model.card.input_names = {"v", "u"};
  model.card.target_names = {"w"};
  model.card.normalisation.inputs = {.mean = {10, 1}, .deviation = {10, 2}};
  model.card.normalisation.targets = {.mean = {7}, .deviation = {100}};
  const auto data = LoadForModel<double>(Config({{"data", Path("t.csv")}}),
                                         model, /*need_targets=*/true);
  EXPECT_EQ(data.x(3, 0), 2);  // v = 30
  EXPECT_EQ(data.x(3, 1), 1);  // u = 3
  EXPECT_EQ(data.y(3, 0), 3);  // w = 307
}

TEST_F(RunDataTest, TaskIsScaledAsTheModelWants) {
  data::TrainedModel<double> model{
      .net = nn::Mlp<double>({1, 1}, nn::Activation::kGelu, 1), .card = {}};
  model.card.normalisation.targets = {.mean = {2}, .deviation = {4}};
  const auto data =
      LoadForModel<double>(Config({{"task", "toy1d"}, {"val_size", "5"}}),
                           model, /*need_targets=*/true);
  const double x = data.x(0, 0);
  const double raw = std::exp(-10 * x * x) * std::sin(2 * x);
  EXPECT_NEAR(data.y(0, 0), (raw - 2) / 4, 1e-12);
}

TEST_F(RunDataTest, WhatDoesNotFitIsSaidWithItsFile) {
  std::ofstream(folder_ / "one.csv") << "x,y\n1,2\n";
  EXPECT_NE(DataErrorOf([&] {
              LoadRunData<float>(
                  Config({{"data", Path("one.csv")}, {"target", "y"}}));
            }).find("one.csv: 1 sample; a split needs two"),
            std::string::npos);
  std::ofstream(folder_ / "same.csv") << "x,k\n1,a\n2,a\n";
  EXPECT_NE(DataErrorOf([&] {
              LoadRunData<float>(
                  Config({{"data", Path("same.csv")}, {"target", "k"}}));
            }).find("same class"),
            std::string::npos);
  std::ofstream(folder_ / "other.csv") << "u,w\n1,2\n";
  EXPECT_NE(DataErrorOf([&] {
              LoadRunData<float>(Config({{"data", Path("t.csv")},
                                         {"val_data", Path("other.csv")},
                                         {"target", "w"}}));
            }).find("other.csv: 1 inputs and 1 targets: expected 2 and 1"),
            std::string::npos);
  EXPECT_NE(UsageErrorOf([&] {
              LoadRunData<float>(Config({{"data", Path("t.csv")}}));
            }).find("--target"),
            std::string::npos);
  data::TrainedModel<float> model{
      .net = nn::Mlp<float>({5, 1}, nn::Activation::kGelu, 1), .card = {}};
  EXPECT_NE(DataErrorOf([&] {
              LoadForModel<float>(Config({{"data", Path("t.csv")}}), model,
                                  /*need_targets=*/false);
            }).find("3 inputs: expected 5"),
            std::string::npos);
}

// A line of /proc/self/status in bytes, such as VmHWM, the most memory that the
// process ever had.
double MemoryOf(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != name + ":") continue;
    double kilobytes = 0;
    status >> kilobytes;
    return 1024 * kilobytes;
  }
  return 0;
}

TEST_F(RunDataTest, MemoryStaysNearTheSizeOfTheDataInTheirType) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer takes memory of its own";
#endif
  const Index rows = 400'000;
  const Index columns = 64;
  const double size = static_cast<double>(rows * columns) * sizeof(float);
  {
    Matrix<float> table(rows, columns);
    for (Index a = 0; a < rows; ++a) {
      for (Index j = 0; j < columns; ++j) {
        table(a, j) = static_cast<float>((a * 31 + j * 17) % 1001);
      }
    }
    data::WriteNpy<float>(folder_ / "large.npy", table);
  }
  // Forgets the most that there was until now.
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = MemoryOf("VmRSS");
  if (MemoryOf("VmHWM") > before + size / 10) {
    GTEST_SKIP() << "this system does not forget the peak";
  }
  const auto run = LoadRunData<float>(
      Config({{"data", Path("large.npy")}, {"target", "-1"}}));
  EXPECT_EQ(run.Train().Size() + run.Validation().Size(), rows);
  EXPECT_LT(MemoryOf("VmHWM") - before, 1.3 * size);
}

}  // namespace
}  // namespace sven::experiment::run_data_test
