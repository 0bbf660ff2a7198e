// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "claim_measures.h"
#include "sven/experiment/claims.h"
#include "sven/experiment/paper.h"

namespace sven::experiment {
namespace {

// What the authors' package reaches with model seed 1, by final validation loss.
struct Published {
  std::string_view experiment;
  std::string_view optimizer;
  double loss;
};
constexpr Published kPublished[] = {
    {"toy1d", "sven", 4.1e-7},
    {"toy1d", "adam", 2.3e-6},
    {"lbfgs-plain", "lbfgs", 3.6e-5},
    {"toy1d", "sgd", 4.4e-5},
    {"toy1d", "rmsprop", 5.6e-5},
    {"toy1d", "polyak", 2.7e-4},
    {"polynomial-additive", "sven", 1.9e-3},
    {"polynomial-additive", "rmsprop", 3.2e-3},
    {"polynomial-additive", "sgd", 4.1e-3},
    {"polynomial-additive", "polyak", 4.1e-3},
    {"polynomial-additive", "adam", 4.8e-3},
};

// "k 16, lr 0.05, rtol 0.001": what the points of an optimizer differ in.
std::string SettingsText(const ExperimentResult& scan,
                         const PointResult& chosen) {
  std::string text;
  for (const auto& [name, value] : chosen.settings) {
    const bool varies = std::ranges::any_of(
        scan.points, [&, &key = name, &own = value](const PointResult& point) {
          return point.optimizer == chosen.optimizer &&
                 point.Setting(key) != own;
        });
    if (!varies) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// The best points of a task over their seeds, best first.
std::string SeedsTable(const Results& results, const std::string& task) {
  const ExperimentResult* seeds = results.Find(SeedsName(task));
  const ExperimentResult* scan = results.Find(task);
  if (seeds == nullptr || scan == nullptr) return "";
  std::vector<const PointResult*> points;
  for (const PointResult& point : seeds->points) points.push_back(&point);
  std::ranges::sort(points, {}, &PointResult::MedianLoss);
  std::string text = fmt::format(
      "### {}\n\n| optimizer | best point of the scan | its loss | median of "
      "the seeds | quartiles | diverged | time |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
      scan->title);
  for (const PointResult* point : points) {
    const PointResult* best = scan->Best(point->optimizer);
    if (best == nullptr) continue;
    const auto diverged = std::ranges::count_if(
        point->runs,
        [](const RunOutcome& run) { return !std::isfinite(run.val_loss); });
    text +=
        fmt::format("| {} | {} | {} | {} | {} – {} | {} of {} | {:.2f} s |\n",
                    point->optimizer, SettingsText(*scan, *best),
                    LossText(best->MedianLoss()), LossText(point->MedianLoss()),
                    LossText(point->LossQuantile(0.25)),
                    LossText(point->LossQuantile(0.75)), diverged,
                    point->runs.size(), point->MedianSeconds());
  }
  return text + "\n";
}

// "1.3e-06 (2.6e-07 – 1.8e-04)": median and range.
std::string Spread(const ExperimentResult* experiment,
                   const std::string& optimizer) {
  const PointResult* point =
      experiment == nullptr ? nullptr : experiment->Best(optimizer);
  if (point == nullptr) return "";
  return fmt::format("{} ({} – {})", LossText(point->MedianLoss()),
                     LossText(point->LossQuantile(0)),
                     LossText(point->LossQuantile(1)));
}

std::string PublishedTable(const Results& results) {
  std::string text =
      "Final validation losses. Published: the authors' package with model "
      "seed 1. Scan: the best point of ours, also seed 1. Then that point with "
      "other seeds, orders and data: median (least – greatest).\n\n"
      "| experiment | optimizer | published | scan | seeds | orders of batches "
      "| draws of the data |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Published& published : kPublished) {
    const std::string name(published.experiment);
    const std::string optimizer(published.optimizer);
    const ExperimentResult* scan = results.Find(name);
    text += fmt::format(
        "| `{}` | {} | {} | {} |", name, optimizer, LossText(published.loss),
        scan == nullptr ? "" : LossText(LossOf(*scan, optimizer)));
    for (const Repeat& repeat : Repeats()) {
      text += fmt::format(
          " {} |",
          Spread(results.Find(fmt::format("{}-{}", repeat.prefix, name)),
                 optimizer));
    }
    text += '\n';
  }
  return text;
}

double LbfgsSeconds(const ExperimentResult& experiment) {
  double seconds = 0;
  for (const PointResult& point : experiment.points) {
    if (point.optimizer != "lbfgs") continue;
    for (const RunOutcome& run : point.runs) seconds += run.seconds;
  }
  return seconds;
}

std::string ExperimentsTable(const Results& results) {
  std::string text =
      "| experiment | | runs | diverged | missing | time of all runs | of it "
      "training by LBFGS |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
  Index runs = 0;
  Index diverged = 0;
  Index missing = 0;
  double seconds = 0;
  double lbfgs = 0;
  for (const ExperimentResult& experiment : results.experiments) {
    runs += experiment.NumRuns();
    diverged += experiment.NumDiverged();
    missing += experiment.missing;
    seconds += experiment.run_seconds;
    lbfgs += LbfgsSeconds(experiment);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {:.0f} s | {:.0f} s |\n",
                        experiment.name, experiment.title, experiment.NumRuns(),
                        experiment.NumDiverged(), experiment.missing,
                        experiment.run_seconds, LbfgsSeconds(experiment));
  }
  return text + fmt::format("| all | | {} | {} | {} | {:.0f} s | {:.0f} s |\n",
                            runs, diverged, missing, seconds, lbfgs);
}

}  // namespace

std::string FormatClaims(const std::vector<Claim>& claims) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Claim& claim : claims) {
    nlohmann::ordered_json cases = nlohmann::ordered_json::array();
    for (const ClaimCase& one : claim.cases) {
      cases.push_back({{"measured", one.measured}, {"holds", one.holds}});
    }
    list.push_back({{"id", claim.id},
                    {"statement", claim.statement},
                    {"place", claim.place},
                    {"rule", claim.rule},
                    {"cases", cases},
                    {"verdict", Name(claim.Judge())}});
  }
  return list.dump(1) + "\n";
}

std::string ClaimsMarkdown(const std::vector<Claim>& claims) {
  std::string text =
      "| the paper says | where | holds if | measured | verdict |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const Claim& claim : claims) {
    std::string cases;
    for (const ClaimCase& one : claim.cases) {
      cases += fmt::format("{}{} {}", cases.empty() ? "" : "<br>",
                           one.holds ? "✓" : "✗", one.measured);
    }
    text += fmt::format("| {} | {} | {} | {} | **{}** |\n", claim.statement,
                        claim.place, claim.rule, cases, Name(claim.Judge()));
  }
  return text;
}

std::string TablesMarkdown(const Results& results) {
  std::string text = "## Best points over their seeds\n\n";
  for (const PaperExperiment& experiment : PaperExperiments()) {
    if (!experiment.repeated) continue;
    text += SeedsTable(results, std::string(experiment.name));
  }
  text += "## Beside the published package\n\n" + PublishedTable(results);
  text += "\n## Runs\n\n" + ExperimentsTable(results);
  return text;
}

}  // namespace sven::experiment
