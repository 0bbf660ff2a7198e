// SPDX-License-Identifier: MIT
//
// Records of runs that nobody has trained.
#ifndef SVEN_TESTS_REPORT_RECORDS_H_
#define SVEN_TESTS_REPORT_RECORDS_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sven/train/records.h"

namespace sven::testing {

// One epoch for each validation loss, and a summary.
inline train::RunFile MakeRecord(const std::string& optimizer, int seed,
                                 const std::vector<double>& losses) {
  train::RunFile file;
  file.config = {.version = "0.1.0",
                 .command = "sven train",
                 .settings = {{"task", "toy1d"},
                              {"optimizer", optimizer},
                              {"lr", "0.1"},
                              {"seed", std::to_string(seed)}},
                 .machine = {{"cpu", "none"}}};
  train::RunSummary summary;
  for (const double loss : losses) {
    const Index epoch = std::ssize(file.epochs) + 1;
    file.epochs.push_back({.epoch = epoch,
                           .step = 313 * epoch,
                           .seconds = 0.25 * static_cast<double>(epoch),
                           .train = {.loss = loss / 2},
                           .validation = {.loss = loss},
                           .batch_loss = loss / 3,
                           .learning_rate = 0.1});
    summary.final_train = file.epochs.back().train;
    summary.final_validation = file.epochs.back().validation;
    summary.steps = file.epochs.back().step;
    summary.train_seconds = file.epochs.back().seconds;
  }
  summary.epochs = std::ssize(losses);
  summary.best_validation_loss = summary.final_validation.loss;
  file.summary = summary;
  return file;
}

inline void WriteText(const std::filesystem::path& path,
                      const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline void WriteRecord(const std::filesystem::path& path,
                        const train::RunFile& file) {
  WriteText(path, train::FormatRunFile(file));
}

}  // namespace sven::testing

#endif  // SVEN_TESTS_REPORT_RECORDS_H_
