// SPDX-License-Identifier: MIT
//
// What a training has to tell: a line of JSON for every epoch and a summary.
// A run file has one record a line,
//
//   {"type": "config", ...}        settings, version, machine
//   {"type": "epoch", ...}         one per epoch
//   {"type": "validation", ...}    one per validation between epochs, if asked
//   {"type": "summary", ...}       once the run is over
//
// with numbers that come back bit for bit. What is not finite is null, and NaN
// when it is read.
#ifndef SVEN_TRAIN_RECORDS_H_
#define SVEN_TRAIN_RECORDS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/core/step.h"
#include "sven/train/evaluate.h"

namespace sven::train {

struct EpochRecord {
  Index epoch = 0;     // from 1
  Index step = 0;      // steps done since the start
  double seconds = 0;  // spent in training since the start, evaluation excluded
  // At the end of the epoch, over the whole part, with the weights to evaluate
  // with.
  Metrics train = {};
  Metrics validation = {};
  // Mean over the epoch's batches, each before its step.
  double batch_loss = 0;
  double learning_rate = 0;        // of the last step
  double update_norm = 0;          // of the last step
  Index refused = 0;               // steps of this epoch that were not applied
  double evaluation_seconds = 0;   // of this epoch
  core::PhaseSeconds phases = {};  // of this epoch
  // For methods with singular values: kept ones per step, mean; and the mean
  // of s_i / s_1 over the steps in which s_i was kept.
  double kept = 0;
  std::vector<double> spectrum = {};
};

// Between epochs.
struct ValidationRecord {
  Index epoch = 0;  // complete ones
  Index step = 0;
  double seconds = 0;
  Metrics validation = {};
};

enum class RunStatus {
  kCompleted,     // all epochs done
  kTargetLoss,    // validation loss reached the target
  kEarlyStopped,  // patience is over
  kRounding,      // nothing but rounding was left to gain
  kTimeLimit,
  kDiverged,     // NaN or infinity that does not go away
  kInterrupted,  // by the user; can be resumed
};

struct RunSummary {
  RunStatus status = RunStatus::kCompleted;
  Index epochs = 0;
  Index steps = 0;
  Metrics final_train = {};
  Metrics final_validation = {};
  Metrics initial_validation = {};
  double best_validation_loss = 0;
  Index best_epoch = 0;        // 0: before the first one ended
  double train_seconds = 0;    // as EpochRecord::seconds
  double total_seconds = 0;    // all of it, over all sessions
  Index diverged_at_step = 0;  // 0 unless diverged
  // From when on nothing but rounding was left to gain; 0 if there was more.
  Index rounding_since_epoch = 0;
  // The most memory that the process had during the run, in bytes; 0 if nobody
  // knows.
  Index peak_memory = 0;
};

// How the run came about; values as text.
struct RunConfigRecord {
  std::string version;
  std::string command;
  std::map<std::string, std::string> settings;
  std::map<std::string, std::string> machine;
};

struct RunFile {
  RunConfigRecord config;
  std::vector<EpochRecord> epochs;
  std::vector<ValidationRecord> validations;
  std::optional<RunSummary> summary;
};

// One line each, without the line break.
std::string FormatRecord(const RunConfigRecord& record);
std::string FormatRecord(const EpochRecord& record);
std::string FormatRecord(const ValidationRecord& record);
std::string FormatRecord(const RunSummary& record);

// The whole file.
std::string FormatRunFile(const RunFile& file);

// The text without a last line that is not complete, as in a file that is being
// written or whose writer was killed.
std::string_view CompleteLines(std::string_view text);

// Throws a DataError that names `source` and the line. Records of a type that
// is not known are passed over, and so are fields. A file without summary is
// that of a run that is not over.
RunFile ParseRunFile(std::string_view text, std::string_view source);
RunFile ReadRunFile(const std::filesystem::path& path);

}  // namespace sven::train

template <>
struct sven::EnumNames<sven::train::RunStatus> {
  using RunStatus = sven::train::RunStatus;
  static constexpr std::pair<std::string_view, RunStatus> kTable[] = {
      {"completed", RunStatus::kCompleted},
      {"target_loss", RunStatus::kTargetLoss},
      {"early_stopped", RunStatus::kEarlyStopped},
      {"rounding", RunStatus::kRounding},
      {"time_limit", RunStatus::kTimeLimit},
      {"diverged", RunStatus::kDiverged},
      {"interrupted", RunStatus::kInterrupted},
  };
};

#endif  // SVEN_TRAIN_RECORDS_H_
