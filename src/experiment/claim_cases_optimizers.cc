// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "claim_cases.h"

namespace sven::experiment {
namespace {

// ---- What an epoch costs ----

// Of the run that was disturbed least; NaN if there is none.
double EpochSeconds(const ExperimentResult& cost, const std::string& task,
                    const std::string& optimizer, double k = 0) {
  double least = kInfinity;
  for (const PointResult& point : cost.points) {
    if (point.optimizer != optimizer || point.Setting("task") != task ||
        point.seconds.empty() || (k != 0 && point.Number("k") != k)) {
      continue;
    }
    for (const RunOutcome& run : point.runs) {
      if (!std::isfinite(run.val_loss)) continue;
      const double seconds =
          run.seconds / static_cast<double>(point.seconds.size());
      least = std::min(least, seconds);
    }
  }
  return std::isfinite(least) ? least : kNaN;
}

struct CostTask {
  const char* name;
  const char* title;
  double batch_size;
};
constexpr CostTask kCostTasks[] = {{"toy1d", "1-D", 32},
                                   {"polynomial", "polynomial", 32},
                                   {"mnist", "MNIST", 64}};

// An epoch of Sven with k over one of SGD.
double CostRatio(const Results& results, const CostTask& task, double k) {
  const ExperimentResult* cost = results.Find("cost");
  if (cost == nullptr) return kNaN;
  return EpochSeconds(*cost, task.name, "sven", k) /
         EpochSeconds(*cost, task.name, "sgd");
}

// ---- Two points ----

// Two losses of an experiment, and whether the claim holds.
template <class Holds>
void AddComparison(const std::string& what, double mine, double other,
                   const std::string& name, const Holds& holds, Cases& cases) {
  if (std::isnan(mine) || std::isnan(other)) return;
  cases.push_back({fmt::format("{}: {} against {} ({})", what, LossText(mine),
                               LossText(other), name),
                   holds(mine, other)});
}

bool IsLower(double mine, double other) { return mine < other; }

void AddRivalry(const Results& results, const PaperTask& task, Cases& cases) {
  for (const auto& [what, experiment] : ScanAnd(results, "seeds", task)) {
    const Rival rival = BestFirstOrder(*experiment);
    AddComparison(what, LossOf(*experiment, "sven"), rival.loss, rival.name,
                  IsLower, cases);
  }
}

// The first epoch whose loss is at most `loss`; 0 if there is none.
std::size_t EpochOf(const PointResult& point, double loss) {
  const std::vector<double>& curve = MiddleCurve(point.validation);
  const auto found =
      std::ranges::find_if(curve, [&](double value) { return value <= loss; });
  if (found == curve.end()) return 0;
  return static_cast<std::size_t>(found - curve.begin()) + 1;
}

// Sven's way to the loss that its best rival ends with.
struct Race {
  std::string task;
  double goal;
  std::string rival;
  std::size_t epoch;        // 0: never
  std::size_t rival_epoch;  // the first one with it
  double seconds;
  double rival_seconds;
};
std::vector<Race> Races(const Results& results) {
  std::vector<Race> races;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const Rival rival = BestFirstOrder(*experiment);
    if (sven == nullptr || rival.point == nullptr ||
        rival.point->seconds.empty()) {
      continue;
    }
    const double goal = MiddleCurve(rival.point->validation).back();
    const std::size_t epoch = EpochOf(*sven, goal);
    const std::size_t rival_epoch = EpochOf(*rival.point, goal);
    if (rival_epoch == 0) continue;
    races.push_back({.task = std::string(task.title),
                     .goal = goal,
                     .rival = rival.name,
                     .epoch = epoch,
                     .rival_epoch = rival_epoch,
                     .seconds = epoch == 0 ? kNaN : sven->seconds[epoch - 1],
                     .rival_seconds = rival.point->seconds[rival_epoch - 1]});
  }
  return races;
}

ClaimCase JudgeRace(const Race& race, bool by_time) {
  const std::string goal =
      fmt::format("{}: {}", race.task, LossText(race.goal));
  if (race.epoch == 0) {
    return {fmt::format("{} ({}) is never reached", goal, race.rival), false};
  }
  if (by_time) {
    return {fmt::format("{} in {:.2f} s, {} in {:.2f} s", goal, race.seconds,
                        race.rival, race.rival_seconds),
            race.seconds < race.rival_seconds};
  }
  return {fmt::format("{} in epoch {}, {} in epoch {}", goal, race.epoch,
                      race.rival, race.rival_epoch),
          race.epoch < race.rival_epoch};
}

// Sven with cross-entropy as the text has it, over more seeds if there are any,
// and as the published code does; beside the best first-order method by
// validation. NaN for what diverged.
struct CrossEntropy {
  std::string what;
  double validation;
  double train;
  double rival_validation;
  double rival_train;
  std::string rival;
};
std::vector<CrossEntropy> CrossEntropies(const Results& results) {
  std::vector<CrossEntropy> list;
  const ExperimentResult* plain = BestPoints(results, "mnist-ce");
  if (plain == nullptr) return list;
  const Rival rival = BestFirstOrder(*plain);
  if (rival.point == nullptr) return list;
  for (const auto& [what, experiment] :
       {std::pair("as in the text", plain),
        std::pair("as in the code", results.Find("mnist-ce-rms"))}) {
    if (experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    list.push_back({.what = what,
                    .validation = LossOf(*experiment, "sven"),
                    .train = sven == nullptr ? kNaN : sven->MedianTrainLoss(),
                    .rival_validation = rival.loss,
                    .rival_train = rival.point->MedianTrainLoss(),
                    .rival = rival.name});
  }
  return list;
}

}  // namespace

Cases CostIsBounded(const Results& results) {
  Cases cases;
  for (const CostTask& task : kCostTasks) {
    const double k = task.batch_size / 2;
    const double ratio = CostRatio(results, task, k);
    if (std::isnan(ratio)) continue;
    cases.push_back(
        {fmt::format("{}: {:.1f} times SGD with k = {}", task.title, ratio, k),
         ratio <= k});
  }
  return cases;
}

Cases CostGrowsWithK(const Results& results) {
  Cases cases;
  for (const CostTask& task : kCostTasks) {
    const double one = CostRatio(results, task, 1);
    const double all = CostRatio(results, task, task.batch_size);
    if (std::isnan(one) || std::isnan(all)) continue;
    cases.push_back(
        {fmt::format("{}: k = 1 {:.1f} times SGD, k = {} {:.1f} times",
                     task.title, one, task.batch_size, all),
         all >= 2 * one});
  }
  return cases;
}

Cases EpochCostsTwo(const Results& results) {
  Cases cases;
  for (const CostTask& task : kCostTasks) {
    const double ratio = CostRatio(results, task, task.batch_size / 2);
    if (std::isnan(ratio)) continue;
    cases.push_back({fmt::format("{}: {:.1f} times SGD", task.title, ratio),
                     ratio >= 1.5 && ratio <= 2.5});
  }
  return cases;
}

Cases BeatsFirstOrder(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (task.regression) AddRivalry(results, task, cases);
  }
  return cases;
}

Cases BeatsFirstOrderOnMnist(const Results& results) {
  Cases cases;
  AddRivalry(results, FindPaperTask("mnist"), cases);
  return cases;
}

Cases TrainsLower(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (!task.regression || experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const Rival rival = BestFirstOrder(*experiment);
    if (sven == nullptr || rival.point == nullptr) continue;
    AddComparison(std::string(task.title), sven->MedianTrainLoss(),
                  rival.point->MedianTrainLoss(), rival.name, IsLower, cases);
  }
  return cases;
}

Cases FasterByEpoch(const Results& results) {
  Cases cases;
  for (const Race& race : Races(results)) {
    cases.push_back(JudgeRace(race, false));
  }
  return cases;
}

Cases FasterByTime(const Results& results) {
  Cases cases;
  for (const Race& race : Races(results)) {
    cases.push_back(JudgeRace(race, true));
  }
  return cases;
}

Cases MatchesAdam(const Results& results) {
  Cases cases;
  for (const auto& [what, experiment] :
       ScanAnd(results, "seeds", FindPaperTask("mnist"))) {
    AddComparison(
        what, LossOf(*experiment, "sven"), LossOf(*experiment, "adam"), "adam",
        [](double mine, double other) {
          return mine > 0.9 * other && mine < 1.1 * other;
        },
        cases);
  }
  return cases;
}

Cases DoesNotBeatAdam(const Results& results) {
  Cases cases;
  for (const auto& [what, experiment] :
       ScanAnd(results, "seeds", FindPaperTask("mnist"))) {
    AddComparison(
        what, LossOf(*experiment, "sven"), LossOf(*experiment, "adam"), "adam",
        [](double mine, double other) { return mine >= other; }, cases);
  }
  return cases;
}

Cases PolyakHastens(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (experiment == nullptr) continue;
    AddComparison(std::string(task.title), LossOf(*experiment, "polyak"),
                  LossOf(*experiment, "sgd"), "sgd", IsLower, cases);
  }
  return cases;
}

Cases OnlyLbfgsTrainsLower(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (!task.regression || experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const PointResult* lbfgs = experiment->Best("lbfgs");
    if (sven == nullptr || lbfgs == nullptr) continue;
    const double mine = sven->MedianTrainLoss();
    std::string below;
    for (const std::string& name : experiment->Optimizers()) {
      const PointResult* point = experiment->Best(name);
      if (point == nullptr || point->MedianTrainLoss() >= mine) continue;
      below += fmt::format("{}{} {}", below.empty() ? "" : ", ", name,
                           LossText(point->MedianTrainLoss()));
    }
    cases.push_back(
        {fmt::format("{}: {}, below it: {}", task.title, LossText(mine),
                     below.empty() ? "none" : below),
         below.starts_with("lbfgs") && below.find(',') == std::string::npos});
  }
  return cases;
}

Cases CompetitiveWithLbfgs(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (experiment == nullptr) continue;
    AddComparison(
        std::string(task.title), LossOf(*experiment, "sven"),
        LossOf(*experiment, "lbfgs"), "lbfgs",
        [](double mine, double other) { return mine <= 2 * other; }, cases);
  }
  return cases;
}

Cases LbfgsIsSlow(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    if (experiment == nullptr) continue;
    const PointResult* lbfgs = experiment->Best("lbfgs");
    double slowest = 0;
    for (const std::string& name : experiment->Optimizers()) {
      const PointResult* other = experiment->Best(name);
      if (name == "lbfgs" || other == nullptr) continue;
      slowest = std::max(slowest, other->MedianSeconds());
    }
    if (lbfgs == nullptr || slowest == 0) continue;
    const double ratio = lbfgs->MedianSeconds() / slowest;
    cases.push_back(
        {fmt::format("{}: {:.1f} times the slowest other", task.title, ratio),
         ratio >= 10});
  }
  return cases;
}

Cases EnoughEpochs(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task.name);
    const PointResult* sven =
        experiment == nullptr ? nullptr : experiment->Best("sven");
    if (sven == nullptr) continue;
    const std::vector<double>& curve = MiddleCurve(sven->validation);
    if (curve.size() < 6) continue;
    const double change = curve.back() / curve[curve.size() - 6] - 1;
    cases.push_back({fmt::format("{}: {:+.0f} % in the last five epochs",
                                 task.title, 100 * change),
                     std::abs(change) < 0.1});
  }
  return cases;
}

Cases SimilarValidation(const Results& results) {
  Cases cases;
  for (const CrossEntropy& one : CrossEntropies(results)) {
    AddComparison(
        one.what, one.validation, one.rival_validation, one.rival,
        [](double mine, double other) { return mine < 1.1 * other; }, cases);
  }
  return cases;
}

Cases WorseTraining(const Results& results) {
  Cases cases;
  for (const CrossEntropy& one : CrossEntropies(results)) {
    AddComparison(
        one.what, one.train, one.rival_train, one.rival,
        [](double mine, double other) { return mine > 1.1 * other; }, cases);
  }
  return cases;
}

Cases OthersOverfit(const Results& results) {
  Cases cases;
  for (const CrossEntropy& one : CrossEntropies(results)) {
    const double mine = one.validation / one.train;
    const double other = one.rival_validation / one.rival_train;
    if (!std::isfinite(mine) || !std::isfinite(other)) continue;
    cases.push_back({fmt::format("{}: validation {:.2f} times training, {} "
                                 "{:.2f} times",
                                 one.what, mine, one.rival, other),
                     other > mine});
  }
  return cases;
}

}  // namespace sven::experiment
