// SPDX-License-Identifier: MIT
#include "sven/report/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "records.h"

namespace sven::report::ranking_test {
namespace {

using testing::MakeRecord;

class Runs {
 public:
  train::RunFile& Add(const std::string& optimizer, int seed,
                      const std::vector<double>& losses) {
    auto record =
        std::make_shared<train::RunFile>(MakeRecord(optimizer, seed, losses));
    runs_.push_back({.id = std::to_string(runs_.size()),
                     .source = 0,
                     .path = "",
                     .status = "completed",
                     .record = record});
    return *record;
  }
  CollectedRun& Last() { return runs_.back(); }
  [[nodiscard]] std::vector<TaskRanking> Rank() const {
    return RankOptimizers(runs_);
  }

 private:
  std::vector<CollectedRun> runs_;
};

std::string Format(const std::vector<TaskRanking>& tasks, int width) {
  return FormatRanking(tasks, {}, width);
}

// The longest line, in characters.
std::ptrdiff_t LongestLine(const std::string& text) {
  std::ptrdiff_t longest = 0;
  std::ptrdiff_t length = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++length;
    if (c == '\n') length = 0;
    longest = std::max(longest, length);
  }
  return longest;
}

TEST(Ranking, MediansAndQuartilesAreOverSeeds) {
  Runs runs;
  for (int seed = 1; seed <= 5; ++seed) runs.Add("sven", seed, {1, 0.1 * seed});
  const auto tasks = runs.Rank();
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].task, "toy1d");
  EXPECT_EQ(tasks[0].runs, 5U);
  const RankedOptimizer& sven = tasks[0].optimizers.at(0);
  EXPECT_EQ(sven.runs, 5U);
  EXPECT_EQ(sven.points, 1U);
  EXPECT_DOUBLE_EQ(sven.low, 0.2);
  EXPECT_DOUBLE_EQ(sven.median, 0.3);
  EXPECT_DOUBLE_EQ(sven.high, 0.4);
  EXPECT_EQ(sven.steps, 626);
  EXPECT_EQ(sven.seconds, 0.5);
  ASSERT_EQ(sven.curve.size(), 2U);
  EXPECT_DOUBLE_EQ(sven.curve[1], 0.3);
}

TEST(Ranking, AnOptimizerStandsForItsBestPoint) {
  Runs runs;
  runs.Add("sven", 1, {0.5}).config.settings["lr"] = "0.1";
  runs.Add("sven", 1, {0.2}).config.settings["lr"] = "0.2";
  runs.Add("adam", 1, {0.3});
  const auto tasks = runs.Rank();
  ASSERT_EQ(tasks[0].optimizers.size(), 2U);
  EXPECT_EQ(tasks[0].optimizers[0].optimizer, "sven");
  EXPECT_EQ(tasks[0].optimizers[0].points, 2U);
  EXPECT_EQ(tasks[0].optimizers[0].settings,
            (std::map<std::string, std::string>{{"lr", "0.2"}}));
  EXPECT_TRUE(tasks[0].optimizers[1].settings.empty());
}

TEST(Ranking, PointsOfFewRunsAndOfOtherDataAreLeftAside) {
  Runs runs;
  for (int seed = 1; seed <= 3; ++seed) runs.Add("sven", seed, {0.5});
  runs.Add("sven", 1, {0.1}).config.settings["lr"] = "0.2";
  for (const char* data : {"1", "2", "3"}) {
    auto& settings = runs.Add("sven", 1, {0.01}).config.settings;
    settings["lr"] = "0.3";
    settings["data_seed"] = data;
  }
  const auto tasks = runs.Rank();
  EXPECT_EQ(tasks[0].optimizers[0].points, 3U);
  EXPECT_EQ(tasks[0].optimizers[0].median, 0.5);
}

TEST(Ranking, ARunThatDivergedCountsAsInfinite) {
  Runs runs;
  runs.Add("sgd", 1, {0.1});
  runs.Add("sgd", 2, {0.1}).summary->status = train::RunStatus::kDiverged;
  runs.Add("sgd", 3, {std::nan("")}).summary->status =
      train::RunStatus::kDiverged;
  runs.Add("adam", 1, {9.0});
  const auto tasks = runs.Rank();
  EXPECT_EQ(tasks[0].optimizers[0].optimizer, "adam");
  const RankedOptimizer& sgd = tasks[0].optimizers[1];
  EXPECT_TRUE(std::isinf(sgd.median));
  EXPECT_EQ(sgd.diverged, 2U);
  EXPECT_NE(Format(tasks, 80).find("diverged"), std::string::npos);
}

TEST(Ranking, TasksDifferInDataAndLoss) {
  Runs runs;
  runs.Add("sven", 1, {1});
  runs.Add("sven", 1, {1}).config.settings["loss"] = "huber";
  runs.Add("sven", 1, {1}).config.settings["train_size"] = "none";
  auto& own = runs.Add("sven", 1, {1}).config.settings;
  own["task"] = "";
  own["data"] = "/tmp/houses.csv";
  const auto tasks = runs.Rank();
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[0].task, "toy1d");
  EXPECT_EQ(tasks[1].task, "toy1d, loss huber");
  EXPECT_EQ(tasks[2].task, "houses.csv");
}

TEST(Ranking, WhatChangesDataOrLossMakesAnotherTask) {
  for (const char* name :
       {"noise", "standardise", "validation", "inputs", "target_kind",
        "classes", "target_file", "val_target_file"}) {
    Runs runs;
    runs.Add("sven", 1, {1}).config.settings[name] = "1";
    runs.Add("sven", 1, {1}).config.settings[name] = "2";
    EXPECT_EQ(runs.Rank().size(), 2U) << name;
  }
  for (const char* loss : {"mse", "huber"}) {
    Runs runs;
    for (const char* delta : {"1", "0.01"}) {
      auto& settings = runs.Add("sven", 1, {1}).config.settings;
      settings["loss"] = loss;
      settings["huber_delta"] = delta;
    }
    EXPECT_EQ(runs.Rank().size(), std::string(loss) == "mse" ? 1U : 2U);
  }
}

TEST(Ranking, FilesOfTheSameNameAreOtherDataAndShowTheirPlace) {
  Runs runs;
  for (const char* data : {"a/data.csv", "b/data.csv"}) {
    auto& settings = runs.Add("sven", 1, {1}).config.settings;
    settings["task"] = "";
    settings["data"] = data;
  }
  const auto tasks = runs.Rank();
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].task, "data.csv, data a/data.csv");
  EXPECT_EQ(tasks[1].task, "data.csv, data b/data.csv");
}

TEST(Ranking, SeedsInDifferentFoldersAreOnePointUnlessInScans) {
  for (const bool in_scan : {false, true}) {
    Runs runs;
    for (int seed = 1; seed <= 3; ++seed) {
      runs.Add("sven", seed, {0.1 * seed});
      runs.Last().source = static_cast<std::size_t>(seed);
      runs.Last().in_scan = in_scan;
    }
    const auto tasks = runs.Rank();
    const RankedOptimizer& sven = tasks[0].optimizers.at(0);
    EXPECT_EQ(sven.runs, in_scan ? 1U : 3U);
    EXPECT_EQ(sven.points, in_scan ? 3U : 1U);
    EXPECT_DOUBLE_EQ(sven.median, in_scan ? 0.1 : 0.2);
  }
}

TEST(Ranking, ARunThatGoesOnHasItsLastEpochsLoss) {
  Runs runs;
  runs.Add("sven", 1, {1, 0.5, 0.75}).summary.reset();
  runs.Add("adam", 1, {}).summary.reset();
  const auto tasks = runs.Rank();
  ASSERT_EQ(tasks[0].optimizers.size(), 1U);
  EXPECT_EQ(tasks[0].optimizers[0].median, 0.75);
  EXPECT_EQ(tasks[0].optimizers[0].best_loss, 0.5);
}

TEST(RankingText, LinesFitTheWidth) {
  Runs runs;
  std::vector<double> losses;
  for (int i = 0; i < 200; ++i) losses.push_back(std::exp(-0.05 * i));
  for (int seed = 1; seed <= 3; ++seed) {
    runs.Add("sven-adaptive", seed, losses).summary->peak_memory = 50'000'000;
  }
  for (const int width : {80, 100, 200}) {
    const std::string text = Format(runs.Rank(), width);
    EXPECT_LE(LongestLine(text), width) << text;
    EXPECT_NE(text.find("█"), std::string::npos) << text;
    EXPECT_NE(text.find("▁"), std::string::npos) << text;
  }
  // Too narrow for table and curve: one below the other.
  EXPECT_NE(Format(runs.Rank(), 60).find("\n  █"), std::string::npos);
}

TEST(RankingText, CurvesFallWhereLossesFall) {
  Runs runs;
  runs.Add("sven", 1, {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7});
  EXPECT_NE(Format(runs.Rank(), 80).find("█▇▆▅▄▃▂▁"), std::string::npos)
      << Format(runs.Rank(), 80);
}

TEST(RankingText, TextFromFilesCannotSteerTheTerminal) {
  Runs runs;
  runs.Add("\x1b[31msven", 1, {1}).config.settings["task"] = "a\x1b]0;x\x07";
  const std::string text = FormatRanking(
      runs.Rank(), {{.path = "\x1b[2J", .reason = "\x1b[2J"}}, 80);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sven::report::ranking_test
