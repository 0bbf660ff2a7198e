// SPDX-License-Identifier: MIT
//
// A training as its configuration says, with its files. A folder of a run has
//
//   config.toml              what was asked for
//   run.jsonl                records (sven/train/records.h)
//   model.safetensors        the model (sven/data/trained_model.h)
//   checkpoint.safetensors   the whole training, to go on from
//
// Each is written whole or not at all, whatever happens to the process; only
// run.jsonl grows by whole lines in between, at the end of every epoch. The
// record and the model of an earlier run in the folder stay until this one has
// something to put in their place.
#ifndef SVEN_EXPERIMENT_RUN_H_
#define SVEN_EXPERIMENT_RUN_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sven/experiment/run_config.h"
#include "sven/experiment/run_data.h"
#include "sven/train/trainer.h"

namespace sven::experiment {

inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kRunFile = "run.jsonl";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";

// A folder that belongs to one process as long as this lives.
class FolderLock {
 public:
  // Makes the folder if need be. Throws a DataError if another process has it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

struct RunRequest {
  std::string optimizer = "sven";
  // Where files go; without one nothing is written. It must be there.
  std::optional<std::filesystem::path> folder = std::nullopt;
  // Go on from the folder's checkpoint, if it has one.
  bool resume = false;
  std::string command = "";  // for the record
  std::span<train::TrainObserver* const> observers = {};
  // Told of a checkpoint that could not be written; the training goes on.
  std::function<void(const std::string&)> warn = nullptr;
};

struct RunResult {
  std::string optimizer;
  std::optional<std::filesystem::path> folder;
  train::RunSummary summary;
};

// Trains with one of the optimizers of `config`. At the end, also if it was
// interrupted, there are a checkpoint, the records and the model so far.
template <class T>
RunResult RunTraining(const RunConfig& config, const RunData<T>& data,
                      const RunRequest& request);

// Throws what RunTraining would throw before its first step; nothing is written.
template <class T>
void CheckRun(const RunConfig& config, const RunData<T>& data,
              const RunRequest& request);

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_RUN_H_
