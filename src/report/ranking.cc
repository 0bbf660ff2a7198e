// SPDX-License-Identifier: MIT
#include "sven/report/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "run_text.h"
#include "sven/experiment/results.h"

namespace sven::report {
namespace {

using Settings = std::map<std::string, std::string>;
using experiment::Quantile;

// What makes a task (web/DATA.md); only named where it is set.
constexpr std::array kTaskSettings = {
    "loss",       "huber_delta", "dimension",       "degree",
    "noise",      "digits",      "train_size",      "val_size",
    "data",       "target_file", "val_data",        "val_target_file",
    "inputs",     "target",      "target_kind",     "classes",
    "validation", "standardise", "task_standardise"};
constexpr std::array kSeeds = {"seed", "shuffle_seed", "data_seed",
                               "split_seed"};

std::string Find(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

bool IsSet(const std::string& value) {
  return !value.empty() && value != "none" && value != "default";
}

// "toy1d", "houses.csv"
std::string TaskName(const Settings& settings) {
  std::string task = Find(settings, "task");
  if (IsSet(task)) return task;
  return std::filesystem::path(Find(settings, "data")).filename().string();
}

Settings TaskSettingsOf(const Settings& settings) {
  Settings chosen;
  for (const char* name : kTaskSettings) {
    const std::string value = Find(settings, name);
    if (IsSet(value)) chosen[name] = value;
  }
  if (Find(settings, "loss") != "huber") chosen.erase("huber_delta");
  return chosen;
}

struct Point {
  Settings settings;
  std::vector<const train::RunFile*> runs;
  double median = 0;
};

struct Task {
  std::string name;
  Settings settings;
  std::size_t runs = 0;
  // By optimizer, in the order of their first runs.
  std::vector<std::pair<std::string, std::vector<Point>>> optimizers;

  std::vector<Point>& PointsOf(const std::string& optimizer) {
    for (auto& [known, points] : optimizers) {
      if (known == optimizer) return points;
    }
    return optimizers.emplace_back(optimizer, std::vector<Point>()).second;
  }
};

double MedianOf(const Point& point, double (*value)(const train::RunFile&),
                double q = 0.5) {
  std::vector<double> values;
  for (const train::RunFile* run : point.runs) values.push_back(value(*run));
  return Quantile(std::move(values), q);
}

double BestLoss(const train::RunFile& run) {
  if (run.summary) return run.summary->best_validation_loss;
  double best = std::numeric_limits<double>::infinity();
  for (const auto& epoch : run.epochs) {
    best = std::fmin(best, epoch.validation.loss);
  }
  return best;
}

double Seconds(const train::RunFile& run) {
  if (run.summary) return run.summary->train_seconds;
  return run.epochs.empty() ? 0 : run.epochs.back().seconds;
}

double Steps(const train::RunFile& run) {
  if (run.summary) return static_cast<double>(run.summary->steps);
  return run.epochs.empty() ? 0 : static_cast<double>(run.epochs.back().step);
}

double Memory(const train::RunFile& run) {
  return run.summary ? static_cast<double>(run.summary->peak_memory) : 0;
}

// As many epochs as all runs have that did not diverge.
std::vector<double> MedianCurve(const Point& point) {
  std::size_t epochs = std::numeric_limits<std::size_t>::max();
  for (const train::RunFile* run : point.runs) {
    if (run->epochs.empty() || std::isnan(LastLoss(*run))) continue;
    epochs = std::min(epochs, run->epochs.size());
  }
  std::vector<double> curve;
  if (epochs == std::numeric_limits<std::size_t>::max()) return curve;
  for (std::size_t e = 0; e < epochs; ++e) {
    std::vector<double> losses;
    for (const train::RunFile* run : point.runs) {
      const bool there = e < run->epochs.size();
      losses.push_back(there ? run->epochs[e].validation.loss
                             : std::numeric_limits<double>::infinity());
    }
    curve.push_back(Quantile(std::move(losses), 0.5));
  }
  return curve;
}

// The settings of `point` in which the points differ.
Settings Varied(const Point& point, const std::vector<Point>& points) {
  Settings varied;
  for (const auto& setting : point.settings) {
    const bool differs = std::ranges::any_of(points, [&](const Point& other) {
      return Find(other.settings, setting.first) != setting.second;
    });
    if (differs) varied.insert(setting);
  }
  return varied;
}

// Its runs had other data or other orders of them, not only other weights.
bool HasOtherData(const Point& point) {
  return std::ranges::any_of(point.runs, [&](const train::RunFile* run) {
    return std::ranges::any_of(kSeeds, [&](const char* seed) {
      return std::string_view(seed) != "seed" &&
             Find(run->config.settings, seed) !=
                 Find(point.runs.front()->config.settings, seed);
    });
  });
}

// Points over other data compare unlike with like: they count only where there
// are no others. One seed says little: points with fewer than half as many runs
// as the largest one do not count.
const Point& BestPoint(const std::vector<Point>& points) {
  const bool all_other = std::ranges::all_of(points, HasOtherData);
  std::size_t most = 0;
  for (const Point& point : points) {
    if (all_other || !HasOtherData(point)) {
      most = std::max(most, point.runs.size());
    }
  }
  const Point* best = nullptr;
  for (const Point& point : points) {
    if (2 * point.runs.size() < most) continue;
    if (!all_other && HasOtherData(point)) continue;
    if (best == nullptr || point.median < best->median) best = &point;
  }
  return *best;
}

RankedOptimizer Rank(const std::string& name,
                     const std::vector<Point>& points) {
  const Point& best = BestPoint(points);
  RankedOptimizer ranked{.optimizer = name,
                         .settings = Varied(best, points),
                         .points = points.size(),
                         .runs = best.runs.size(),
                         .low = MedianOf(best, LastLoss, 0.25),
                         .median = best.median,
                         .high = MedianOf(best, LastLoss, 0.75),
                         .best_loss = MedianOf(best, BestLoss),
                         .seconds = MedianOf(best, Seconds),
                         .steps = MedianOf(best, Steps),
                         .peak_memory = MedianOf(best, Memory),
                         .curve = MedianCurve(best)};
  for (const train::RunFile* run : best.runs) {
    if (std::isnan(LastLoss(*run))) ++ranked.diverged;
  }
  return ranked;
}

std::vector<Task> GroupRuns(const std::vector<CollectedRun>& runs) {
  std::vector<Task> tasks;
  std::map<std::pair<std::string, Settings>, std::size_t> task_places;
  std::map<std::pair<std::pair<std::size_t, std::size_t>, Settings>,
           std::size_t>
      point_places;
  // Seeds are often folders of their own. A scan has its runs together, and two
  // of them stay apart.
  constexpr auto kNoScan = std::numeric_limits<std::size_t>::max();
  for (const CollectedRun& run : runs) {
    if (run.record->epochs.empty() && !run.record->summary) continue;
    Settings settings = run.record->config.settings;
    for (const char* seed : kSeeds) settings.erase(seed);
    const std::pair key(TaskName(settings), TaskSettingsOf(settings));
    const auto [place, fresh] = task_places.try_emplace(key, tasks.size());
    if (fresh) {
      tasks.push_back(
          {.name = key.first, .settings = key.second, .optimizers = {}});
    }
    Task& task = tasks[place->second];
    ++task.runs;
    std::vector<Point>& points = task.PointsOf(Find(settings, "optimizer"));
    const auto [point, first] = point_places.try_emplace(
        {{place->second, run.in_scan ? run.source : kNoScan}, settings},
        points.size());
    if (first) points.push_back({.settings = settings, .runs = {}});
    points[point->second].runs.push_back(run.record.get());
  }
  return tasks;
}

// The name, and the settings in which it differs from others of that name.
std::string FullName(const Task& task, const std::vector<Task>& all) {
  std::set<std::string> names;
  for (const Task& other : all) {
    if (other.name != task.name) continue;
    for (const char* name : kTaskSettings) {
      if (Find(other.settings, name) != Find(task.settings, name)) {
        names.insert(name);
      }
    }
  }
  std::string text = task.name.empty() ? "unnamed" : task.name;
  for (const std::string& name : names) {
    const std::string value = Find(task.settings, name);
    if (!value.empty()) text += fmt::format(", {} {}", name, value);
  }
  return text;
}

}  // namespace

std::vector<TaskRanking> RankOptimizers(const std::vector<CollectedRun>& runs) {
  std::vector<Task> tasks = GroupRuns(runs);
  std::vector<TaskRanking> rankings;
  for (Task& task : tasks) {
    TaskRanking ranking{
        .task = FullName(task, tasks), .runs = task.runs, .optimizers = {}};
    for (auto& [name, points] : task.optimizers) {
      for (Point& point : points) point.median = MedianOf(point, LastLoss);
      ranking.optimizers.push_back(Rank(name, points));
    }
    std::ranges::stable_sort(ranking.optimizers, {}, &RankedOptimizer::median);
    rankings.push_back(std::move(ranking));
  }
  return rankings;
}

}  // namespace sven::report
