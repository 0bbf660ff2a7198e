// SPDX-License-Identifier: MIT
#include "sven/experiment/run.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "sven/base/atomic_file.h"
#include "sven/data/safetensors.h"
#include "testing/files.h"

namespace sven::experiment::run_test {
namespace {

using sven::testing::DataErrorOf;
using sven::testing::Slurp;
using sven::testing::TemporaryFolder;

RunConfig SmallConfig() {
  RunConfig config;
  config.Set("", "task", "toy1d");
  config.Set("", "train_size", "64");
  config.Set("", "val_size", "16");
  config.Set("", "hidden", "4");
  config.Set("", "epochs", "3");
  config.Set("", "checkpoint_every", "1steps");
  return config;
}

class Stop : public train::TrainObserver {
 public:
  explicit Stop(Index step) : step_(step) {}
  void OnStep(const train::TrainProgress& progress,
              const StepReport&) override {
    stop_ = progress.step >= step_;
  }
  bool WantsStop() override { return stop_; }

 private:
  Index step_;
  bool stop_ = false;
};

RunResult RunIn(const TemporaryFolder& folder, const RunConfig& config,
                bool resume = false, Index stop = 1000) {
  const auto data = LoadRunData<double>(config);
  Stop observer(stop);
  train::TrainObserver* observers[] = {&observer};
  return RunTraining<double>(
      config, data,
      {.folder = folder.Path(), .resume = resume, .observers = observers});
}

// What the record says after the first step and after each epoch.
class RecordReader : public train::TrainObserver {
 public:
  explicit RecordReader(std::filesystem::path path) : path_(std::move(path)) {}
  void OnStep(const train::TrainProgress& progress,
              const StepReport&) override {
    if (progress.step == 1) after_step_ = Text();
  }
  void OnEpoch(const train::TrainProgress&,
               const train::EpochRecord&) override {
    after_epochs_.push_back(Text());
  }

  [[nodiscard]] std::string Text() const {
    return std::filesystem::exists(path_) ? ReadTextFile(path_) : "";
  }
  [[nodiscard]] const std::string& AfterStep() const { return after_step_; }
  [[nodiscard]] const std::vector<std::string>& AfterEpochs() const {
    return after_epochs_;
  }

 private:
  std::filesystem::path path_;
  std::string after_step_;
  std::vector<std::string> after_epochs_;
};

RecordReader Watch(const TemporaryFolder& folder, RunConfig config,
                   const std::string& checkpoint_every) {
  config.Set("", "checkpoint_every", checkpoint_every);
  config.Set("", "validate_every", "1");
  const auto data = LoadRunData<double>(config);
  RecordReader reader(folder / kRunFile);
  train::TrainObserver* observers[] = {&reader};
  RunTraining<double>(config, data,
                      {.folder = folder.Path(), .observers = observers});
  return reader;
}

TEST(Run, RecordGrowsLineByLineToWhatItIsInTheEnd) {
  for (const char* checkpoint_every : {"none", "1steps", "2epochs"}) {
    const TemporaryFolder folder;
    const RecordReader reader = Watch(folder, SmallConfig(), checkpoint_every);
    const std::string whole = reader.Text();
    EXPECT_EQ(whole, train::FormatRunFile(train::ParseRunFile(whole, "")));
    ASSERT_EQ(reader.AfterEpochs().size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string& text = reader.AfterEpochs()[i];
      EXPECT_TRUE(whole.starts_with(text)) << text;
      const train::RunFile file = train::ParseRunFile(text, "");
      EXPECT_EQ(file.epochs.size(), i + 1);
      EXPECT_FALSE(file.summary.has_value());
    }
  }
}

TEST(Run, AnEarlierRecordStaysUntilThereIsSomethingNew) {
  const TemporaryFolder folder;
  std::ofstream(folder / kRunFile) << "an earlier one\n";
  RunConfig config = SmallConfig();
  const auto data = LoadRunData<double>(config);
  config.Set("", "checkpoint_every", "none");
  RecordReader reader(folder / kRunFile);
  train::TrainObserver* observers[] = {&reader};
  RunTraining<double>(config, data,
                      {.folder = folder.Path(), .observers = observers});
  EXPECT_EQ(reader.AfterStep(), "an earlier one\n");
  EXPECT_EQ(train::ParseRunFile(reader.AfterEpochs()[0], "").epochs.size(), 1U);
}

// Takes the record away after the first epoch.
class Remover : public train::TrainObserver {
 public:
  explicit Remover(std::filesystem::path path) : path_(std::move(path)) {}
  void OnEpoch(const train::TrainProgress& progress,
               const train::EpochRecord&) override {
    if (progress.epoch == 1) std::filesystem::remove(path_);
  }

 private:
  std::filesystem::path path_;
};

TEST(Run, ARecordThatWasTakenAwayIsWrittenAnewFromItsFirstLine) {
  const TemporaryFolder folder;
  RunConfig config = SmallConfig();
  config.Set("", "checkpoint_every", "none");
  const auto data = LoadRunData<double>(config);
  Remover remover(folder / kRunFile);
  RecordReader reader(folder / kRunFile);
  train::TrainObserver* observers[] = {&remover, &reader};
  RunTraining<double>(config, data,
                      {.folder = folder.Path(), .observers = observers});
  ASSERT_EQ(reader.AfterEpochs().size(), 3U);
  EXPECT_EQ(reader.AfterEpochs()[0], "");
  const auto file = train::ParseRunFile(reader.AfterEpochs()[1], "");
  EXPECT_FALSE(file.config.settings.empty());
  EXPECT_EQ(file.epochs.size(), 2U);
}

TEST(Run, ARecordThatCannotGrowIsToldOnceAndTheTrainingGoesOn) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / kRunFile);
  RunConfig config = SmallConfig();
  config.Set("", "checkpoint_every", "none");
  const auto data = LoadRunData<double>(config);
  int warnings = 0;
  // At the end it is an error.
  EXPECT_NE(DataErrorOf([&] {
              RunTraining<double>(
                  config, data,
                  {.folder = folder.Path(),
                   .warn = [&](const std::string&) { ++warnings; }});
            }).find(kRunFile),
            std::string::npos);
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(std::filesystem::exists(folder / kModelFile));
}

TEST(Run, SummaryHasThePeakOfTheMemory) {
  const TemporaryFolder folder;
  const RunResult result = RunIn(folder, SmallConfig());
  EXPECT_GT(result.summary.peak_memory, 1'000'000);
  EXPECT_EQ(train::ReadRunFile(folder / kRunFile).summary->peak_memory,
            result.summary.peak_memory);
}

TEST(Run, WhatWasInMemoryBeforeTheRunIsNotItsPeak) {
  if (::access("/proc/self/clear_refs", W_OK) != 0) {
    GTEST_SKIP() << "the system cannot begin anew";
  }
  constexpr std::size_t kSize = std::size_t{1} << 29;
  void* memory = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::munmap(memory, kSize), 0);
  const TemporaryFolder folder;
  const RunResult result = RunIn(folder, SmallConfig());
  EXPECT_LT(result.summary.peak_memory, static_cast<Index>(kSize));
}

TEST(Run, FolderHasModelRecordsAndCheckpoint) {
  const TemporaryFolder folder;
  const RunResult result = RunIn(folder, SmallConfig());
  EXPECT_EQ(result.summary.status, train::RunStatus::kCompleted);
  const train::RunFile records = train::ReadRunFile(folder / kRunFile);
  EXPECT_EQ(records.epochs.size(), 3U);
  EXPECT_EQ(records.summary->final_validation.loss,
            result.summary.final_validation.loss);
  EXPECT_EQ(records.config.settings.at("hidden"), "4");
  EXPECT_EQ(records.config.settings.at("optimizer"), "sven");
  const data::SafetensorsFile file = data::ReadSafetensors(folder / kModelFile);
  // Only parameters: PyTorch loads strictly.
  EXPECT_EQ(file.tensors.size(), 4U);
  const auto model = data::ParseModel<double>(file, "m");
  EXPECT_EQ(model.card.normalisation.targets.mean.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(folder / kCheckpointFile));
}

TEST(Run, InterruptedRunGoesOnToTheSameModel) {
  const TemporaryFolder whole;
  const TemporaryFolder broken;
  RunIn(whole, SmallConfig());
  const RunResult stopped = RunIn(broken, SmallConfig(), false, 3);
  EXPECT_EQ(stopped.summary.status, train::RunStatus::kInterrupted);
  EXPECT_FALSE(train::ReadRunFile(broken / kRunFile).summary.has_value());
  RunIn(broken, SmallConfig(), true);
  EXPECT_EQ(Slurp(whole / kModelFile), Slurp(broken / kModelFile));
}

TEST(Run, OtherSettingsOrDataAreRefused) {
  const TemporaryFolder folder;
  RunIn(folder, SmallConfig(), false, 3);
  RunConfig other = SmallConfig();
  other.Set("", "lr", "0.5");
  EXPECT_NE(DataErrorOf([&] {
              RunIn(folder, other, true);
            }).find("it was saved with lr ="),
            std::string::npos);
  other = SmallConfig();
  other.Set("", "batch_size", "7");
  EXPECT_NE(DataErrorOf([&] { RunIn(folder, other, true); }).find("batch_size"),
            std::string::npos);
}

TEST(Run, ChangedFileIsNoticed) {
  const TemporaryFolder folder;
  const auto config = [&] {
    RunConfig file;
    file.Set("", "data", (folder / "d.csv").string());
    file.Set("", "target", "y");
    file.Set("", "epochs", "2");
    return file;
  }();
  const auto write = [&](int last) {
    std::ofstream(folder / "d.csv") << "x,y\n1,2\n2,3\n3,5\n4,4\n5," << last;
  };
  write(1);
  RunIn(folder, config, false, 1);
  write(2);
  EXPECT_NE(DataErrorOf([&] {
              RunIn(folder, config, true);
            }).find("the data are not those"),
            std::string::npos);
}

TEST(Run, DamagedCheckpointsAreErrorsThatNameTheFile) {
  const TemporaryFolder folder;
  RunIn(folder, SmallConfig(), false, 3);
  const auto path = folder / kCheckpointFile;
  const std::vector<std::byte> good = Slurp(path);
  for (std::size_t keep = 0; keep < good.size(); keep += good.size() / 37) {
    sven::testing::Spill(path, {good.begin(), good.begin() + keep});
    EXPECT_NE(DataErrorOf([&] {
                RunIn(folder, SmallConfig(), true);
              }).find("checkpoint.safetensors"),
              std::string::npos);
  }
}

TEST(Run, StartsFromWeightsOfAFile) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  RunIn(first, SmallConfig());
  RunConfig config;
  for (const char* name : {"train_size", "val_size"}) {
    config.Set("", name, "32");
  }
  config.Set("", "task", "toy1d");
  config.Set("", "init", (first / kModelFile).string());
  config.Set("", "optimizer", "sgd");
  config.Set("", "lr", "1e-300");
  config.Set("", "epochs", "1");
  const auto data = LoadRunData<double>(config);
  RunTraining<double>(config, data,
                      {.optimizer = "sgd", .folder = second.Path()});
  const auto read = [](const TemporaryFolder& folder) {
    return data::ReadSafetensors(folder / kModelFile).tensors;
  };
  EXPECT_EQ(read(first), read(second));
  config.Set("", "task", "polynomial");
  const auto wide = LoadRunData<double>(config);
  EXPECT_NE(DataErrorOf([&] {
              RunTraining<double>(config, wide, {.optimizer = "sgd"});
            }).find("1 inputs and 1 outputs: expected 6 and 1"),
            std::string::npos);
}

TEST(FolderLock, BelongsToOneAtATime) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder / "run");
    EXPECT_NE(DataErrorOf([&] {
                FolderLock again(folder / "run");
              }).find("another process"),
              std::string::npos);
  }
  const FolderLock lock(folder / "run");
}

}  // namespace
}  // namespace sven::experiment::run_test
