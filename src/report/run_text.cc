// SPDX-License-Identifier: MIT
#include "run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "json_text.h"

namespace sven::report {
namespace {

using train::EpochRecord;
using Epochs = std::vector<EpochRecord>;
using EpochValue = double (*)(const EpochRecord&);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> Column(const Epochs& epochs, EpochValue value) {
  std::vector<double> column;
  for (const EpochRecord& epoch : epochs) column.push_back(value(epoch));
  return column;
}

// One number for all epochs if it is the same in all.
std::string ColumnText(const std::vector<double>& column, int digits) {
  const bool constant = column.size() > 1 && std::isfinite(column.front()) &&
                        std::ranges::all_of(column, [&](double x) {
                          return x == column.front();
                        });
  return constant ? NumberText(column.front(), digits)
                  : ListText(column, digits);
}

// Whole numbers keep all their digits.
constexpr int kAllDigits = 17;

// 1, 2, ... need not be said.
bool IsCounted(const Epochs& epochs) {
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (epochs[i].epoch != static_cast<Index>(i) + 1) return false;
  }
  return true;
}

// Steps since the start: one number if all epochs have as many.
std::string StepsText(const Epochs& epochs) {
  const Index each = epochs.front().step;
  const bool regular =
      IsCounted(epochs) &&
      std::ranges::all_of(epochs, [&](const EpochRecord& epoch) {
        return epoch.step / epoch.epoch == each &&
               epoch.step % epoch.epoch == 0;
      });
  if (regular) return std::to_string(each);
  const auto steps = Column(
      epochs, [](const EpochRecord& e) { return static_cast<double>(e.step); });
  return ListText(steps, kAllDigits);
}

bool HasSpectra(const Epochs& epochs) {
  return std::ranges::any_of(
      epochs, [](const EpochRecord& e) { return !e.spectrum.empty(); });
}

std::string EpochsText(const Epochs& epochs) {
  ObjectText text;
  if (!IsCounted(epochs)) {
    const auto numbers = Column(epochs, [](const EpochRecord& e) {
      return static_cast<double>(e.epoch);
    });
    text.Add("epoch", ListText(numbers, kAllDigits));
  }
  text.Add("step", StepsText(epochs));
  const auto add = [&](const char* name, int digits, EpochValue value) {
    text.Add(name, ColumnText(Column(epochs, value), digits));
  };
  const auto add_list = [&](const char* name, int digits, EpochValue value) {
    text.Add(name, ListText(Column(epochs, value), digits));
  };
  add_list("seconds", kTimeDigits,
           [](const EpochRecord& e) { return e.seconds; });
  add_list("train_loss", kLossDigits,
           [](const EpochRecord& e) { return e.train.loss; });
  add_list("val_loss", kLossDigits,
           [](const EpochRecord& e) { return e.validation.loss; });
  if (epochs.front().train.accuracy) {
    add("train_accuracy", kLossDigits,
        [](const EpochRecord& e) { return e.train.accuracy.value_or(kNaN); });
  }
  if (epochs.front().validation.accuracy) {
    add("val_accuracy", kLossDigits, [](const EpochRecord& e) {
      return e.validation.accuracy.value_or(kNaN);
    });
  }
  add("batch_loss", kLossDigits,
      [](const EpochRecord& e) { return e.batch_loss; });
  add("learning_rate", kTimeDigits,
      [](const EpochRecord& e) { return e.learning_rate; });
  add("update_norm", kTimeDigits,
      [](const EpochRecord& e) { return e.update_norm; });
  if (HasSpectra(epochs)) {
    add("kept", kTimeDigits, [](const EpochRecord& e) { return e.kept; });
  }
  return text.Text();
}

std::string PhasesText(const Epochs& epochs) {
  core::PhaseSeconds sum;
  for (const EpochRecord& epoch : epochs) sum += epoch.phases;
  ObjectText text;
  for (const auto& [name, seconds] :
       {std::pair{"forward", sum.forward}, std::pair{"backward", sum.backward},
        std::pair{"gram", sum.gram}, std::pair{"weights", sum.weights},
        std::pair{"pull_back", sum.pull_back}, std::pair{"apply", sum.apply}}) {
    if (seconds > 0) text.Add(name, NumberText(seconds, kTimeDigits));
  }
  return text.Text();
}

std::string ChecksText(const std::vector<train::ValidationRecord>& checks) {
  std::vector<double> steps;
  std::vector<double> seconds;
  std::vector<double> losses;
  for (const train::ValidationRecord& check : checks) {
    steps.push_back(static_cast<double>(check.step));
    seconds.push_back(check.seconds);
    losses.push_back(check.validation.loss);
  }
  ObjectText text;
  text.Add("step", ListText(steps, kAllDigits));
  text.Add("seconds", ListText(seconds, kTimeDigits));
  text.Add("val_loss", ListText(losses));
  return text.Text();
}

std::string SpectraText(const Epochs& epochs) {
  std::vector<double> numbers;
  std::string values;
  for (const EpochRecord& epoch : epochs) {
    if (epoch.spectrum.empty()) continue;
    numbers.push_back(static_cast<double>(epoch.epoch));
    if (!values.empty()) values += ',';
    values += ListText(epoch.spectrum, kSpectrumDigits);
  }
  ObjectText text;
  text.Add("epoch", ListText(numbers, kAllDigits));
  text.Add("values", fmt::format("[{}]", values));
  return text.Text();
}

void AddSummary(const train::RunSummary& summary, ObjectText& text) {
  const auto add = [&](const char* name, double value) {
    text.Add(name, NumberText(value));
  };
  const auto add_whole = [&](const char* name, Index value) {
    text.Add(name, std::to_string(value));
  };
  add("final_train_loss", summary.final_train.loss);
  add("final_val_loss", summary.final_validation.loss);
  if (summary.final_validation.accuracy) {
    add("final_val_accuracy", *summary.final_validation.accuracy);
  }
  add("initial_val_loss", summary.initial_validation.loss);
  add("best_val_loss", summary.best_validation_loss);
  add_whole("best_epoch", summary.best_epoch);
  add_whole("steps", summary.steps);
  add("train_seconds", summary.train_seconds);
  add("total_seconds", summary.total_seconds);
  if (summary.diverged_at_step > 0) {
    add_whole("diverged_at_step", summary.diverged_at_step);
  }
  if (summary.peak_memory > 0) add_whole("peak_memory", summary.peak_memory);
}

Index Refused(const Epochs& epochs) {
  Index count = 0;
  for (const EpochRecord& epoch : epochs) count += epoch.refused;
  return count;
}

}  // namespace

std::string RunText(const CollectedRun& run, std::size_t base,
                    const std::map<std::string, std::string>& base_settings,
                    bool with_spectra) {
  const train::RunFile& record = *run.record;
  ObjectText text;
  text.AddQuoted("id", run.id);
  text.Add("source", std::to_string(run.source));
  text.Add("base", std::to_string(base));
  std::map<std::string, std::string> own;
  for (const auto& [name, value] : record.config.settings) {
    const auto same = base_settings.find(name);
    if (same == base_settings.end() || same->second != value) own[name] = value;
  }
  if (!own.empty()) text.Add("settings", SettingsText(own));
  text.AddQuoted("status", run.status);
  if (record.summary) AddSummary(*record.summary, text);
  if (const Index refused = Refused(record.epochs)) {
    text.Add("refused", std::to_string(refused));
  }
  if (!record.epochs.empty()) {
    text.Add("epochs", EpochsText(record.epochs));
    text.Add("phases", PhasesText(record.epochs));
  }
  if (!record.validations.empty()) {
    text.Add("checks", ChecksText(record.validations));
  }
  if (with_spectra && HasSpectra(record.epochs)) {
    text.Add("spectra", SpectraText(record.epochs));
  }
  // That of a worker of a scan names files that are gone.
  const std::string& command = record.config.command;
  if (!command.empty() && command.find("/.work/") == std::string::npos) {
    text.AddQuoted("command", command);
  }
  return text.Text();
}

double LastLoss(const train::RunFile& record) {
  if (record.summary) {
    return record.summary->status == train::RunStatus::kDiverged
               ? kNaN
               : record.summary->final_validation.loss;
  }
  return record.epochs.empty() ? kNaN : record.epochs.back().validation.loss;
}

}  // namespace sven::report
