// SPDX-License-Identifier: MIT
//
// What came out of scans, small enough to keep: every point with its losses and
// curves, over its seeds. This is all that the claims (claims.h), the figures
// and the report are made from.
#ifndef SVEN_EXPERIMENT_RESULTS_H_
#define SVEN_EXPERIMENT_RESULTS_H_

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/types.h"
#include "sven/experiment/identities.h"
#include "sven/experiment/scan_config.h"

namespace sven::experiment {

// Numbers are kept to six digits; what is not finite is NaN.

// How one run ended. What a run that diverged came to is NaN.
struct RunOutcome {
  double train_loss = 0;
  double val_loss = 0;
  double accuracy = 0;  // of validation; NaN for regression
  double seconds = 0;   // spent in training
  Index diverged_at_step = 0;
};

// Over the runs that did not diverge, by epoch.
struct Band {
  std::vector<double> mean;
  std::vector<double> deviation;  // none for a single run
  std::vector<double> median;     // the same
};

// The runs that differ in nothing but their seeds.
struct PointResult {
  std::string optimizer;
  std::map<std::string, std::string> settings;  // what varies, without seeds
  std::vector<RunOutcome> runs = {};
  Band validation = {};
  Band train = {};
  std::vector<double> seconds = {};  // spent in training, by epoch, mean
  // Singular values kept per step, by epoch, mean.
  std::vector<double> kept = {};
  // Of the first run, for some points: the mean of s_i / s_1 over an epoch, one
  // list per epoch.
  std::vector<std::vector<double>> spectra = {};

  // Empty if it does not vary.
  [[nodiscard]] std::string Setting(const std::string& name) const;
  // As a number; NaN if there is none.
  [[nodiscard]] double Number(const std::string& name) const;

  // Over all runs; one that diverged counts as infinite, and half of them make
  // the median infinite.
  [[nodiscard]] double MedianLoss() const;
  [[nodiscard]] double MedianTrainLoss() const;
  [[nodiscard]] double MedianSeconds() const;
  // Quantile q of the validation loss, between neighbours linear.
  [[nodiscard]] double LossQuantile(double q) const;
};

struct ExperimentResult {
  std::string name;
  std::string title;
  std::string task;  // empty if it varies
  Index batch_size = 0;
  double initial_loss = 0;  // of validation, first run
  Index missing = 0;        // runs without a record
  double run_seconds = 0;   // of all runs, evaluation included
  std::vector<PointResult> points;

  using Filter = std::function<bool(const PointResult&)>;
  // The point with the smallest MedianLoss; none if all diverged.
  [[nodiscard]] const PointResult* Best(const std::string& optimizer,
                                        const Filter& filter = nullptr) const;
  // In order of their first appearance.
  [[nodiscard]] std::vector<std::string> Optimizers() const;
  [[nodiscard]] Index NumRuns() const;
  [[nodiscard]] Index NumDiverged() const;
};

struct Results {
  std::string version;
  std::map<std::string, std::string> machine;
  Identities identities;
  std::vector<ExperimentResult> experiments;

  // Null if it is not there.
  [[nodiscard]] const ExperimentResult* Find(std::string_view name) const;
};

// Version and machine of this process; no experiments yet.
Results StartResults();

// From the records in the folder of a scan. Runs whose record is missing or not
// whole are counted as such.
ExperimentResult AnalyseScan(const std::string& name, const Scan& scan,
                             const std::filesystem::path& folder);

// JSON. ParseResults throws a DataError that names `source`.
std::string FormatResults(const Results& results);
Results ParseResults(std::string_view text, const std::string& source);
Results ReadResults(const std::filesystem::path& path);

// q-quantile of values that need not be sorted, between neighbours linear; NaN
// counts as infinite. NaN for no values.
double Quantile(std::vector<double> values, double q);

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_RESULTS_H_
