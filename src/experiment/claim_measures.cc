// SPDX-License-Identifier: MIT
#include "claim_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sven/experiment/paper.h"

namespace sven::experiment {
namespace {

// "10 seeds"
std::string SeedCount(const ExperimentResult& experiment) {
  const std::size_t count =
      experiment.points.empty() ? 0 : experiment.points.front().runs.size();
  return fmt::format("{} seed{}", count, count == 1 ? "" : "s");
}

}  // namespace

const PaperTask& FindPaperTask(std::string_view name) {
  const PaperTask* task = kPaperTasks;
  while (task->name != name) ++task;
  return *task;
}

std::string LossText(double loss) {
  if (!std::isfinite(loss)) return "diverged";
  return loss >= 0.01 && loss < 1000 ? fmt::format("{:.4f}", loss)
                                     : fmt::format("{:.1e}", loss);
}

double LossOf(const ExperimentResult& experiment, const std::string& optimizer,
              const ExperimentResult::Filter& filter) {
  if (const PointResult* best = experiment.Best(optimizer, filter)) {
    return best->MedianLoss();
  }
  const bool tried =
      std::ranges::any_of(experiment.points, [&](const PointResult& point) {
        return point.optimizer == optimizer && (!filter || filter(point));
      });
  return tried ? kInfinity : kNaN;
}

double SvenLossAt(const ExperimentResult& experiment, const std::string& name,
                  double value) {
  return LossOf(experiment, "sven", [&](const PointResult& point) {
    return point.Number(name) == value;
  });
}

Rival BestFirstOrder(const ExperimentResult& experiment) {
  Rival rival{.loss = kNaN, .name = "first-order"};
  for (const char* name : {"sgd", "polyak", "rmsprop", "adam"}) {
    const double loss = LossOf(experiment, name);
    if (std::isnan(loss) || loss >= rival.loss) continue;
    rival = {.point = experiment.Best(name), .loss = loss, .name = name};
  }
  return rival;
}

std::vector<Measured> ScanAnd(const Results& results, std::string_view prefix,
                              const PaperTask& task) {
  std::vector<Measured> list;
  if (const auto* scan = results.Find(task.name)) {
    list.push_back({fmt::format("{}, scan", task.title), scan});
  }
  const auto* more = results.Find(fmt::format("{}-{}", prefix, task.name));
  if (more != nullptr) {
    list.push_back({fmt::format("{}, {}", task.title, SeedCount(*more)), more});
  }
  return list;
}

const ExperimentResult* BestPoints(const Results& results,
                                   std::string_view experiment) {
  const auto* seeds = results.Find(SeedsName(experiment));
  return seeds != nullptr ? seeds : results.Find(experiment);
}

const std::vector<double>& MiddleCurve(const Band& band) {
  return band.median.empty() ? band.mean : band.median;
}

const PointResult* WholeSpectra(const ExperimentResult& scan) {
  const PointResult* chosen = nullptr;
  for (const PointResult& point : scan.points) {
    if (point.spectra.empty() ||
        point.Number("k") != static_cast<double>(scan.batch_size)) {
      continue;
    }
    if (chosen == nullptr || point.Number("rtol") < chosen->Number("rtol")) {
      chosen = &point;
    }
  }
  return chosen;
}

}  // namespace sven::experiment
