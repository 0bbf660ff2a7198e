// SPDX-License-Identifier: MIT
#include "sven/experiment/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "machine.h"
#include "not_measured.h"
#include "sven/base/error.h"
#include "sven/base/fields.h"
#include "sven/train/records.h"

namespace sven::experiment {
namespace {

// To six digits, so that a file with the results holds the very same numbers.
double Rounded(double value) {
  if (!std::isfinite(value)) return kNaN;
  return *internal::ParseDouble(fmt::format("{:.6g}", value));
}

void Round(std::vector<double>& values) {
  for (double& value : values) value = Rounded(value);
}

bool IsSeed(const std::string& name) {
  return name == "seed" || name == "shuffle_seed" || name == "data_seed";
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The standard deviation of a sample.
double Deviation(const std::vector<double>& values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

using Runs = std::vector<train::RunFile>;
using EpochValue = double (*)(const train::EpochRecord&);

// The values of all runs in each epoch that every run has.
std::vector<std::vector<double>> ByEpoch(const Runs& runs, EpochValue value) {
  if (runs.empty()) return {};
  std::size_t epochs = runs.front().epochs.size();
  for (const auto& run : runs) epochs = std::min(epochs, run.epochs.size());
  std::vector<std::vector<double>> values(epochs);
  for (std::size_t e = 0; e < epochs; ++e) {
    for (const auto& run : runs) values[e].push_back(value(run.epochs[e]));
  }
  return values;
}

std::vector<double> MeanByEpoch(const Runs& runs, EpochValue value) {
  std::vector<double> means;
  for (const auto& values : ByEpoch(runs, value)) {
    means.push_back(Rounded(Mean(values)));
  }
  return means;
}

Band BandOf(const Runs& runs, EpochValue value) {
  Band band;
  for (const auto& values : ByEpoch(runs, value)) {
    band.mean.push_back(Rounded(Mean(values)));
    if (values.size() < 2) continue;
    band.deviation.push_back(Rounded(Deviation(values)));
    band.median.push_back(Rounded(Quantile(values, 0.5)));
  }
  return band;
}

RunOutcome Outcome(const train::RunSummary& summary) {
  RunOutcome outcome{.train_loss = kNaN,
                     .val_loss = kNaN,
                     .accuracy = kNaN,
                     .seconds = Rounded(summary.train_seconds),
                     .diverged_at_step = summary.diverged_at_step};
  if (summary.status == train::RunStatus::kDiverged) return outcome;
  const auto& validation = summary.final_validation;
  outcome.train_loss = Rounded(summary.final_train.loss);
  outcome.val_loss = Rounded(validation.loss);
  outcome.accuracy = Rounded(validation.accuracy.value_or(kNaN));
  return outcome;
}

// A point's runs, as they are read.
struct Gathered {
  PointResult point;
  Runs whole;     // those that did not diverge
  bool has_kept;  // the method has singular values
};

void Finish(Gathered& gathered) {
  PointResult& point = gathered.point;
  using Record = train::EpochRecord;
  point.validation =
      BandOf(gathered.whole, [](const Record& r) { return r.validation.loss; });
  point.train =
      BandOf(gathered.whole, [](const Record& r) { return r.train.loss; });
  point.seconds =
      MeanByEpoch(gathered.whole, [](const Record& r) { return r.seconds; });
  if (!gathered.has_kept) return;
  point.kept =
      MeanByEpoch(gathered.whole, [](const Record& r) { return r.kept; });
}

// The spectra worth keeping are those of Sven's best point, and of the best
// points with the largest k, for every rtol: what a cut by k does not hide.
void KeepSpectra(const std::vector<Gathered>& gathered,
                 ExperimentResult& result) {
  double largest = 0;
  std::set<std::string> cutoffs;
  for (const PointResult& point : result.points) {
    if (point.optimizer != "sven") continue;
    if (point.Number("k") > largest) largest = point.Number("k");
    cutoffs.insert(point.Setting("rtol"));
  }
  std::set<const PointResult*> chosen = {result.Best("sven")};
  for (const std::string& rtol : cutoffs) {
    chosen.insert(result.Best("sven", [&](const PointResult& point) {
      return point.Setting("rtol") == rtol &&
             (largest == 0 || point.Number("k") == largest);
    }));
  }
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    PointResult& point = result.points[i];
    if (!chosen.contains(&point) || gathered[i].whole.empty()) continue;
    for (const auto& epoch : gathered[i].whole.front().epochs) {
      point.spectra.push_back(epoch.spectrum);
      Round(point.spectra.back());
    }
  }
}

// The record of a run that is over.
std::optional<train::RunFile> ReadWhole(const std::filesystem::path& path) {
  try {
    train::RunFile file = train::ReadRunFile(path);
    if (file.summary) return file;
  } catch (const DataError&) {
  }
  return std::nullopt;
}

}  // namespace

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return kNaN;
  for (double& value : values) {
    if (std::isnan(value)) value = kInfinity;
  }
  std::ranges::sort(values);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  if (share == 0 || values[below] == values[below + 1]) return values[below];
  return values[below] + share * (values[below + 1] - values[below]);
}

std::string PointResult::Setting(const std::string& name) const {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

double PointResult::Number(const std::string& name) const {
  return internal::ParseDouble(Setting(name)).value_or(kNaN);
}

double PointResult::LossQuantile(double q) const {
  std::vector<double> losses;
  for (const RunOutcome& run : runs) losses.push_back(run.val_loss);
  return Quantile(losses, q);
}

double PointResult::MedianLoss() const { return LossQuantile(0.5); }

double PointResult::MedianTrainLoss() const {
  std::vector<double> losses;
  for (const RunOutcome& run : runs) losses.push_back(run.train_loss);
  return Quantile(losses, 0.5);
}

double PointResult::MedianSeconds() const {
  std::vector<double> times;
  for (const RunOutcome& run : runs) times.push_back(run.seconds);
  return Quantile(times, 0.5);
}

const PointResult* ExperimentResult::Best(const std::string& optimizer,
                                          const Filter& filter) const {
  const PointResult* best = nullptr;
  double least = kInfinity;
  for (const PointResult& point : points) {
    if (point.optimizer != optimizer || (filter && !filter(point))) continue;
    const double loss = point.MedianLoss();
    if (!(loss < least)) continue;
    least = loss;
    best = &point;
  }
  return best;
}

std::vector<std::string> ExperimentResult::Optimizers() const {
  std::vector<std::string> names;
  for (const PointResult& point : points) {
    if (std::ranges::find(names, point.optimizer) == names.end()) {
      names.push_back(point.optimizer);
    }
  }
  return names;
}

Index ExperimentResult::NumRuns() const {
  Index count = 0;
  for (const PointResult& point : points) count += std::ssize(point.runs);
  return count;
}

Index ExperimentResult::NumDiverged() const {
  Index count = 0;
  for (const PointResult& point : points) {
    for (const RunOutcome& run : point.runs) {
      if (!std::isfinite(run.val_loss)) ++count;
    }
  }
  return count;
}

const ExperimentResult* Results::Find(std::string_view name) const {
  for (const ExperimentResult& experiment : experiments) {
    if (experiment.name == name) return &experiment;
  }
  return nullptr;
}

Results StartResults() {
  Results results;
  results.version = Version();
  results.machine = DescribeMachine(1);
  return results;
}

ExperimentResult AnalyseScan(const std::string& name, const Scan& scan,
                             const std::filesystem::path& folder) {
  ExperimentResult result;
  result.name = name;
  result.title = scan.title;
  if (!scan.points.empty()) {
    const RunConfig& config = scan.points.front().config;
    result.task = config.Data().task;
    result.batch_size = config.Training().batch_size;
  }
  result.initial_loss = kNaN;
  std::vector<Gathered> gathered;
  std::map<std::pair<std::string, std::map<std::string, std::string>>,
           std::size_t>
      places;
  for (const ScanPoint& scan_point : scan.points) {
    if (scan_point.config.Data().task != result.task) result.task.clear();
    std::map<std::string, std::string> settings(scan_point.varied.begin(),
                                                scan_point.varied.end());
    std::erase_if(settings,
                  [](const auto& item) { return IsSeed(item.first); });
    const auto [place, fresh] =
        places.try_emplace({scan_point.optimizer, settings}, gathered.size());
    if (fresh) {
      gathered.push_back(
          {.point = {.optimizer = scan_point.optimizer, .settings = settings},
           .whole = {},
           .has_kept = false});
    }
    const auto file = ReadWhole(ScanRecord(folder, scan_point));
    if (!file) {
      ++result.missing;
      continue;
    }
    Gathered& group = gathered[place->second];
    group.point.runs.push_back(Outcome(*file->summary));
    result.run_seconds += file->summary->total_seconds;
    if (std::isnan(result.initial_loss)) {
      result.initial_loss = Rounded(file->summary->initial_validation.loss);
    }
    for (const auto& epoch : file->epochs) {
      if (!epoch.spectrum.empty()) group.has_kept = true;
    }
    if (file->summary->status != train::RunStatus::kDiverged) {
      group.whole.push_back(*file);
    }
  }
  result.run_seconds = Rounded(result.run_seconds);
  std::erase_if(gathered,
                [](const Gathered& group) { return group.point.runs.empty(); });
  for (Gathered& group : gathered) {
    Finish(group);
    result.points.push_back(group.point);
  }
  KeepSpectra(gathered, result);
  return result;
}

}  // namespace sven::experiment
