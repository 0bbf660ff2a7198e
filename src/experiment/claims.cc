// SPDX-License-Identifier: MIT
//
// A function per claim gathers its cases. Names of experiments are those of
// paper.h.
#include "sven/experiment/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "paper_tasks.h"
#include "sven/experiment/paper.h"

namespace sven::experiment {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Cases = std::vector<ClaimCase>;

// The point with a setting at a value, at its best over the other settings.
const PointResult* BestAt(const ExperimentResult& experiment,
                          const std::string& name, double value) {
  return experiment.Best("sven", [&](const PointResult& point) {
    return point.Number(name) == value;
  });
}

double LossAt(const ExperimentResult& experiment, const std::string& name,
              double value) {
  const PointResult* point = BestAt(experiment, name, value);
  return point == nullptr ? kNaN : point->MedianLoss();
}

const PointResult* BestFirstOrder(const ExperimentResult& experiment) {
  const PointResult* best = nullptr;
  for (const char* name : kFirstOrder) {
    const PointResult* point = experiment.Best(name);
    if (point == nullptr) continue;
    if (best == nullptr || point->MedianLoss() < best->MedianLoss()) {
      best = point;
    }
  }
  return best;
}

// "10 seeds"
std::string SeedCount(const ExperimentResult& experiment) {
  const std::size_t count =
      experiment.points.empty() ? 0 : experiment.points.front().runs.size();
  return fmt::format("{} seed{}", count, count == 1 ? "" : "s");
}

// The scan of a task and its best points over more seeds.
struct Measured {
  std::string what;
  const ExperimentResult* experiment;
};
std::vector<Measured> ScanAndSeeds(const Results& results,
                                   const PaperTask& task) {
  std::vector<Measured> list;
  if (const auto* scan = results.Find(task.name)) {
    list.push_back({fmt::format("{}, scan", task.title), scan});
  }
  if (const auto* seeds = results.Find(SeedsName(task.name))) {
    list.push_back(
        {fmt::format("{}, {}", task.title, SeedCount(*seeds)), seeds});
  }
  return list;
}

// The scan of a task and the sweep over k and rtol with more seeds.
std::vector<Measured> ScanAndSweep(const Results& results,
                                   const PaperTask& task) {
  std::vector<Measured> list;
  if (const auto* scan = results.Find(task.name)) {
    list.push_back({fmt::format("{}, scan", task.title), scan});
  }
  if (const auto* sweep = results.Find(fmt::format("sweep-{}", task.name))) {
    list.push_back(
        {fmt::format("{}, {}", task.title, SeedCount(*sweep)), sweep});
  }
  return list;
}

// The best points over more seeds, or those of the scan if there are no others.
const ExperimentResult* BestPoints(const Results& results,
                                   const PaperTask& task) {
  const ExperimentResult* seeds = results.Find(SeedsName(task.name));
  return seeds != nullptr ? seeds : results.Find(task.name);
}

// ---- Figure 1 ----

Cases BeatsFirstOrder(const Results& results, bool regression) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (task.regression != regression) continue;
    for (const auto& [what, experiment] : ScanAndSeeds(results, task)) {
      const PointResult* sven = experiment->Best("sven");
      const PointResult* other = BestFirstOrder(*experiment);
      if (sven == nullptr || other == nullptr) continue;
      cases.push_back({fmt::format("{}: {:.2e} against {:.2e} ({})", what,
                                   sven->MedianLoss(), other->MedianLoss(),
                                   other->optimizer),
                       sven->MedianLoss() < other->MedianLoss()});
    }
  }
  return cases;
}

const std::vector<double>& MiddleCurve(const Band& band) {
  return band.median.empty() ? band.mean : band.median;
}

// The first epoch whose loss is at most `loss`; 0 if there is none.
std::size_t EpochOf(const PointResult& point, double loss) {
  const std::vector<double>& curve = MiddleCurve(point.validation);
  const auto found =
      std::ranges::find_if(curve, [&](double value) { return value <= loss; });
  if (found == curve.end()) return 0;
  return static_cast<std::size_t>(found - curve.begin()) + 1;
}

Cases ConvergesFaster(const Results& results, bool by_time) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (!task.regression) continue;
    const ExperimentResult* experiment = BestPoints(results, task);
    if (experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const PointResult* other = BestFirstOrder(*experiment);
    if (sven == nullptr || other == nullptr || other->seconds.empty()) {
      continue;
    }
    const std::size_t epochs = other->seconds.size();
    const double goal = MiddleCurve(other->validation).back();
    const std::size_t epoch = EpochOf(*sven, goal);
    if (epoch == 0) {
      cases.push_back({fmt::format("{}: never reaches {:.2e} ({})", task.title,
                                   goal, other->optimizer),
                       false});
    } else if (by_time) {
      const double mine = sven->seconds[epoch - 1];
      const double theirs = other->seconds.back();
      cases.push_back(
          {fmt::format("{}: reaches {:.2e} in {:.2f} s, {} in {:.2f} s",
                       task.title, goal, mine, other->optimizer, theirs),
           mine < theirs});
    } else {
      cases.push_back(
          {fmt::format("{}: reaches {:.2e} in epoch {}, {} in epoch {}",
                       task.title, goal, epoch, other->optimizer, epochs),
           epoch < epochs});
    }
  }
  return cases;
}

Cases MatchesAdam(const Results& results) {
  Cases cases;
  for (const auto& [what, experiment] :
       ScanAndSeeds(results, FindPaperTask("mnist"))) {
    const PointResult* sven = experiment->Best("sven");
    const PointResult* adam = experiment->Best("adam");
    if (sven == nullptr || adam == nullptr) continue;
    const double ratio = sven->MedianLoss() / adam->MedianLoss();
    cases.push_back(
        {fmt::format("{}: {:.4f} against {:.4f}, ratio {:.2f}", what,
                     sven->MedianLoss(), adam->MedianLoss(), ratio),
         ratio > 0.9 && ratio < 1.1});
  }
  return cases;
}

Cases LbfgsTrainsLower(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (!task.regression) continue;
    const ExperimentResult* experiment = BestPoints(results, task);
    if (experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const PointResult* lbfgs = experiment->Best("lbfgs");
    if (sven == nullptr || lbfgs == nullptr) continue;
    cases.push_back(
        {fmt::format("{}: LBFGS {:.2e}, Sven {:.2e}", task.title,
                     lbfgs->MedianTrainLoss(), sven->MedianTrainLoss()),
         lbfgs->MedianTrainLoss() < sven->MedianTrainLoss()});
  }
  return cases;
}

Cases CompetitiveWithLbfgs(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task);
    if (experiment == nullptr) continue;
    const PointResult* sven = experiment->Best("sven");
    const PointResult* lbfgs = experiment->Best("lbfgs");
    if (sven == nullptr || lbfgs == nullptr) continue;
    cases.push_back({fmt::format("{}: Sven {:.2e}, LBFGS {:.2e}", task.title,
                                 sven->MedianLoss(), lbfgs->MedianLoss()),
                     sven->MedianLoss() <= 2 * lbfgs->MedianLoss()});
  }
  return cases;
}

Cases LbfgsIsSlow(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* experiment = BestPoints(results, task);
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
    const ExperimentResult* experiment = BestPoints(results, task);
    const PointResult* sven =
        experiment == nullptr ? nullptr : experiment->Best("sven");
    if (sven == nullptr) continue;
    const std::vector<double>& curve = MiddleCurve(sven->validation);
    if (curve.size() < 6) continue;
    const double before = curve[curve.size() - 6];
    const double fall = 1 - curve.back() / before;
    cases.push_back(
        {fmt::format("{}: the last five epochs lower it by {:.0f} %",
                     task.title, 100 * fall),
         fall < 0.1});
  }
  return cases;
}

// ---- What an epoch costs ----

double EpochSeconds(const ExperimentResult& cost, const std::string& task,
                    const std::string& optimizer, double k = 0) {
  double least = kNaN;
  for (const PointResult& point : cost.points) {
    if (point.optimizer != optimizer || point.Setting("task") != task ||
        point.seconds.empty() || (k != 0 && point.Number("k") != k)) {
      continue;
    }
    // The fastest run is the one that was disturbed least.
    for (const RunOutcome& run : point.runs) {
      const double seconds =
          run.seconds / static_cast<double>(point.seconds.size());
      if (!(seconds >= least)) least = seconds;
    }
  }
  return least;
}

constexpr struct {
  const char* task;
  const char* title;
  double batch_size;
} kCostTasks[] = {{"toy1d", "1-D", 32},
                  {"polynomial", "polynomial", 32},
                  {"mnist", "MNIST", 64}};

Cases EpochCostsTwo(const Results& results) {
  Cases cases;
  const ExperimentResult* cost = results.Find("cost");
  if (cost == nullptr) return cases;
  for (const auto& [task, title, batch] : kCostTasks) {
    const double ratio = EpochSeconds(*cost, task, "sven", batch / 2) /
                         EpochSeconds(*cost, task, "sgd");
    if (std::isnan(ratio)) continue;
    cases.push_back({fmt::format("{}: {:.1f} times SGD", title, ratio),
                     ratio >= 1.5 && ratio <= 2.5});
  }
  return cases;
}

Cases CostGrowsWithK(const Results& results) {
  Cases cases;
  const ExperimentResult* cost = results.Find("cost");
  if (cost == nullptr) return cases;
  for (const auto& [task, title, batch] : kCostTasks) {
    const double sgd = EpochSeconds(*cost, task, "sgd");
    const double one = EpochSeconds(*cost, task, "sven", 1) / sgd;
    const double all = EpochSeconds(*cost, task, "sven", batch) / sgd;
    if (std::isnan(one) || std::isnan(all)) continue;
    cases.push_back(
        {fmt::format("{}: k = 1 {:.1f} times SGD, k = {} {:.1f} times", title,
                     one, batch, all),
         all / one >= batch / 2});
  }
  return cases;
}

// ---- Figure 2 ----

Cases BestKIsLarge(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* scan = results.Find(task.name);
    const PointResult* best = scan == nullptr ? nullptr : scan->Best("sven");
    if (best == nullptr) continue;
    const auto batch = static_cast<double>(scan->batch_size);
    cases.push_back(
        {fmt::format("{}: k = {} of {}", task.title, best->Setting("k"), batch),
         best->Number("k") >= batch / 2});
  }
  return cases;
}

// The share of what a larger k gains over k = 1, in log(loss), that is gained
// at k already.
double GainShare(const ExperimentResult& scan, double k) {
  const auto batch = static_cast<double>(scan.batch_size);
  const double none = std::log(LossAt(scan, "k", 1));
  const double best = std::min(std::log(LossAt(scan, "k", batch / 2)),
                               std::log(LossAt(scan, "k", batch)));
  return (none - std::log(LossAt(scan, "k", k))) / (none - best);
}

Cases GainSaturates(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    for (const auto& [what, experiment] : ScanAndSweep(results, task)) {
      const auto batch = static_cast<double>(experiment->batch_size);
      const double eighth = GainShare(*experiment, batch / 8);
      const double half = GainShare(*experiment, batch / 2);
      if (std::isnan(eighth) || std::isnan(half)) continue;
      cases.push_back({fmt::format("{}: {:.0f} % at B/8, {:.0f} % at B/2", what,
                                   100 * eighth, 100 * half),
                       half >= 0.9 && eighth < 0.9});
    }
  }
  return cases;
}

Cases FewDirectionsFail(const Results& results) {
  Cases cases;
  const ExperimentResult* scan = results.Find("toy1d");
  const PointResult* best = scan == nullptr ? nullptr : scan->Best("sven");
  if (best == nullptr) return cases;
  for (const double k : {1.0, 2.0}) {
    const PointResult* like_best =
        scan->Best("sven", [&](const PointResult& point) {
          return point.Number("k") == k &&
                 point.Setting("lr") == best->Setting("lr") &&
                 point.Setting("rtol") == best->Setting("rtol");
        });
    const PointResult* any = BestAt(*scan, "k", k);
    for (const auto& [what, point] :
         {std::pair("lr and rtol of the best point", like_best),
          std::pair("best lr and rtol", any)}) {
      if (point == nullptr) continue;
      const double loss = point->MedianLoss();
      cases.push_back({fmt::format("k = {}, {}: {:.1e}", k, what, loss),
                       loss > scan->initial_loss / 2});
    }
  }
  return cases;
}

// Sven's best point with k = B and the smallest rtol: its spectra are whole.
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

// s_i / s_1 for i = B/2 in the first or the last epoch; what never passed rtol
// counts as rtol.
double MiddleOfSpectrum(const ExperimentResult* scan, bool first) {
  const PointResult* point = scan == nullptr ? nullptr : WholeSpectra(*scan);
  if (point == nullptr) return kNaN;
  const auto& spectrum = first ? point->spectra.front() : point->spectra.back();
  const auto middle = static_cast<std::size_t>(scan->batch_size / 2 - 1);
  return middle < spectrum.size() ? spectrum[middle] : point->Number("rtol");
}

Cases SpectraDiffer(const Results& results) {
  Cases cases;
  for (const char* name : {"polynomial-additive", "polynomial"}) {
    for (const bool first : {true, false}) {
      const double toy = MiddleOfSpectrum(results.Find("toy1d"), first);
      const double other = MiddleOfSpectrum(results.Find(name), first);
      const double mnist = MiddleOfSpectrum(results.Find("mnist"), first);
      if (std::isnan(toy) || std::isnan(other) || std::isnan(mnist)) continue;
      cases.push_back(
          {fmt::format("{} epoch: 1-D {:.1e}, {} {:.1e}, MNIST {:.1e}",
                       first ? "first" : "last", toy, FindPaperTask(name).title,
                       other, mnist),
           3 * toy < other && 3 * other < mnist});
    }
  }
  return cases;
}

// The loss with k = B at an rtol, at its best over the other settings.
double LossAtCut(const ExperimentResult& experiment, double rtol) {
  const PointResult* point =
      experiment.Best("sven", [&](const PointResult& candidate) {
        return candidate.Number("rtol") == rtol &&
               candidate.Number("k") ==
                   static_cast<double>(experiment.batch_size);
      });
  return point == nullptr ? kNaN : point->MedianLoss();
}

// Cases of `holds`, which is given the losses at rtol 1e-4, 1e-3 and 1e-2.
template <class Holds>
Cases CutEffects(const Results& results, bool one_dimensional,
                 const Holds& holds) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (!task.regression || (task.name == "toy1d") != one_dimensional) continue;
    for (const auto& [what, experiment] : ScanAndSweep(results, task)) {
      const double fine = LossAtCut(*experiment, 1e-4);
      const double middle = LossAtCut(*experiment, 1e-3);
      const double coarse = LossAtCut(*experiment, 1e-2);
      if (std::isnan(fine) || std::isnan(middle) || std::isnan(coarse)) {
        continue;
      }
      cases.push_back(
          {fmt::format("{}: {:.1e} at 1e-4, {:.1e} at 1e-3, {:.1e} at 1e-2",
                       what, fine, middle, coarse),
           holds(fine, middle, coarse)});
    }
  }
  return cases;
}

Cases CutMatters(const Results& results) {
  return CutEffects(results, true,
                    [](double fine, double middle, double coarse) {
                      return std::max({fine, middle, coarse}) >=
                             10 * std::min({fine, middle, coarse});
                    });
}

Cases CuttingHurts(const Results& results) {
  return CutEffects(results, true, [](double fine, double, double coarse) {
    return coarse > 10 * fine;
  });
}

Cases CuttingHelps(const Results& results) {
  return CutEffects(results, false, [](double fine, double, double coarse) {
    return coarse < fine;
  });
}

// ---- Appendix: micro-batches and parameter batches ----

struct SweepKind {
  const char* experiment;  // "microbatch"
  double neutral;          // the value that changes nothing
  double hardest;
};
constexpr SweepKind kMicroBatches = {"microbatch", 1, 32};
constexpr SweepKind kFractions = {"fraction", 1, 0.1};

// The loss at a value over that at the neutral one; NaN if not measured.
double SweepRatio(const Results& results, const SweepKind& kind,
                  std::string_view task, double value) {
  const ExperimentResult* sweep =
      results.Find(fmt::format("{}-{}", kind.experiment, task));
  if (sweep == nullptr) return kNaN;
  return LossAt(*sweep, kind.experiment, value) /
         LossAt(*sweep, kind.experiment, kind.neutral);
}

Cases MicroBatchesDegrade(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    std::vector<double> ratios;
    std::string text = fmt::format("{}:", task.title);
    for (const double size : {2.0, 4.0, 8.0, 16.0, 32.0}) {
      ratios.push_back(SweepRatio(results, kMicroBatches, task.name, size));
      text += fmt::format(" {:.3g}", ratios.back());
    }
    if (std::isnan(ratios.back())) continue;
    cases.push_back({text + " times the loss of size 1",
                     ratios.back() > 1 &&
                         std::ranges::is_sorted(ratios, [](double a, double b) {
                           return a < 0.8 * b;
                         })});
  }
  return cases;
}

Cases OneDimensionalIsSensitive(const Results& results) {
  Cases cases;
  for (const SweepKind& kind : {kMicroBatches, kFractions}) {
    const double toy = SweepRatio(results, kind, "toy1d", kind.hardest);
    for (const char* name : {"polynomial-additive", "polynomial"}) {
      const double other = SweepRatio(results, kind, name, kind.hardest);
      if (std::isnan(toy) || std::isnan(other)) continue;
      cases.push_back({fmt::format("{} {}: 1-D {:.3g} times, {} {:.3g} times",
                                   kind.experiment, kind.hardest, toy,
                                   FindPaperTask(name).title, other),
                       toy > other});
    }
  }
  return cases;
}

Cases HalfTheParameters(const Results& results, bool one_dimensional) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if ((task.name == "toy1d") != one_dimensional) continue;
    const double half = SweepRatio(results, kFractions, task.name, 0.5);
    const double most = SweepRatio(results, kFractions, task.name, 0.75);
    if (std::isnan(half) || std::isnan(most)) continue;
    const bool unaffected = half < 1.25 && most < 1.25;
    cases.push_back({fmt::format("{}: {:.2f} times the loss at f = 0.5, {:.2f} "
                                 "at 0.75",
                                 task.title, half, most),
                     one_dimensional ? !unaffected : unaffected});
  }
  return cases;
}

Cases ParametersMatterLess(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const double micro = SweepRatio(results, kMicroBatches, task.name, 32);
    const double part = SweepRatio(results, kFractions, task.name, 0.1);
    if (std::isnan(micro) || std::isnan(part)) continue;
    cases.push_back({fmt::format("{}: f = 0.1 {:.3g} times, one condition "
                                 "{:.3g} times",
                                 task.title, part, micro),
                     part < micro});
  }
  return cases;
}

// ---- Appendix: cross-entropy ----

// Sven with cross-entropy as the text has it, and as the published code does.
std::vector<Measured> CrossEntropies(const Results& results) {
  std::vector<Measured> list;
  if (const auto* plain = results.Find("mnist-ce")) {
    list.push_back({"as in the text", plain});
  }
  if (const auto* scaled = results.Find("mnist-ce-rms")) {
    list.push_back({"as in the code", scaled});
  }
  return list;
}

Cases SimilarValidation(const Results& results) {
  Cases cases;
  const ExperimentResult* plain = results.Find("mnist-ce");
  const PointResult* other =
      plain == nullptr ? nullptr : BestFirstOrder(*plain);
  if (other == nullptr) return cases;
  for (const auto& [what, experiment] : CrossEntropies(results)) {
    const PointResult* sven = experiment->Best("sven");
    if (sven == nullptr) continue;
    cases.push_back(
        {fmt::format("{}: {:.4f} against {:.4f} ({})", what, sven->MedianLoss(),
                     other->MedianLoss(), other->optimizer),
         sven->MedianLoss() < 1.1 * other->MedianLoss()});
  }
  return cases;
}

Cases WorseTraining(const Results& results) {
  Cases cases;
  const ExperimentResult* plain = results.Find("mnist-ce");
  const PointResult* other =
      plain == nullptr ? nullptr : BestFirstOrder(*plain);
  if (other == nullptr) return cases;
  for (const auto& [what, experiment] : CrossEntropies(results)) {
    const PointResult* sven = experiment->Best("sven");
    if (sven == nullptr) continue;
    cases.push_back({fmt::format("{}: {:.4f} against {:.4f} ({})", what,
                                 sven->MedianTrainLoss(),
                                 other->MedianTrainLoss(), other->optimizer),
                     sven->MedianTrainLoss() > 1.1 * other->MedianTrainLoss()});
  }
  return cases;
}

// Singular values above a tenth of the largest in the second epoch.
double LargeValues(const ExperimentResult& experiment) {
  const PointResult* point = WholeSpectra(experiment);
  if (point == nullptr || point->spectra.size() < 2) return kNaN;
  return static_cast<double>(std::ranges::count_if(
      point->spectra[1], [](double value) { return value > 0.1; }));
}

Cases SpectrumCollapses(const Results& results) {
  Cases cases;
  const ExperimentResult* regression = results.Find("mnist");
  if (regression == nullptr) return cases;
  const double usual = LargeValues(*regression);
  for (const auto& [what, experiment] : CrossEntropies(results)) {
    const double count = LargeValues(*experiment);
    if (std::isnan(count) || std::isnan(usual)) continue;
    cases.push_back(
        {fmt::format("{}: {} of 64, label regression {}", what, count, usual),
         count <= 10 && 2 * count <= usual});
  }
  return cases;
}

// ---- What is derived ----

Cases NaturalGradient(const Results& results) {
  const double difference = results.identities.natural_gradient_difference;
  return {{fmt::format("relative difference {:.1e}", difference),
           difference < 1e-6}};
}

Cases KappaIsAPrefactor(const Results& results) {
  const double cosine = results.identities.kappa_cosine;
  return {{fmt::format("cosine {:.3f} between the two steps", cosine),
           cosine > 0.999}};
}

Cases ExponentialDecay(const Results& results) {
  const Identities& identities = results.identities;
  return {{fmt::format("linear model: largest deviation {:.1e}",
                       identities.linear_decay_error),
           identities.linear_decay_error < 1e-6},
          {fmt::format("network, 16 samples: {:.2f} times the rate",
                       identities.network_decay_rate),
           std::abs(identities.network_decay_rate - 1) < 0.2}};
}

Cases KappaOneIsBetter(const Results& results) {
  Cases cases;
  const ExperimentResult* kappa = results.Find("kappa");
  if (kappa == nullptr) return cases;
  for (const PaperTask& task : kPaperTasks) {
    const auto at = [&](double value) {
      const PointResult* point =
          kappa->Best("sven", [&](const PointResult& candidate) {
            return candidate.Setting("task") == task.name &&
                   candidate.Number("kappa") == value;
          });
      return point == nullptr ? kNaN : point->MedianLoss();
    };
    if (std::isnan(at(1)) || std::isnan(at(2))) continue;
    cases.push_back({fmt::format("{}: {:.2e} with 0.5, {:.2e} with 1, {:.2e} "
                                 "with 1.5, {:.2e} with 2",
                                 task.title, at(0.5), at(1), at(1.5), at(2)),
                     at(1) < at(2)});
  }
  return cases;
}

}  // namespace

Verdict Claim::Judge() const {
  if (cases.empty()) return Verdict::kNotMeasured;
  const auto held = std::ranges::count_if(cases, &ClaimCase::holds);
  if (held == std::ssize(cases)) return Verdict::kHolds;
  return held > 0 ? Verdict::kHoldsInPart : Verdict::kDoesNotHold;
}

std::vector<Claim> JudgeClaims(const Results& results) {
  return {
      {.id = "natural-gradient",
       .statement = "With more conditions than parameters Sven is natural "
                    "gradient descent",
       .place = "section 2.2",
       .rule = "the step equals (J^T J)^-1 J^T r to 1e-6",
       .cases = NaturalGradient(results)},
      {.id = "kappa-prefactor",
       .statement = "There kappa only changes a prefactor",
       .place = "section 2.1, footnote",
       .rule = "steps with kappa 1 and 2 are parallel (cosine above 0.999)",
       .cases = KappaIsAPrefactor(results)},
      {.id = "exponential-decay",
       .statement = "With the natural metric the loss falls exponentially",
       .place = "appendices A and B",
       .rule =
           "full batch, kappa 1, eta 0.1: (1 - eta)^2 per step; to 1e-6 for "
           "a linear model, within a fifth for a network",
       .cases = ExponentialDecay(results)},
      {.id = "kappa-one",
       .statement = "On regression kappa = 1 should give better steps than the "
                    "default 2",
       .place = "section 2.1",
       .rule = "a lower loss at the best point, median of the seeds",
       .cases = KappaOneIsBetter(results)},
      {.id = "cost-of-k",
       .statement = "A step costs k times a step of gradient descent",
       .place = "abstract, section 2.3",
       .rule = "k = B costs at least B/2 times k = 1",
       .cases = CostGrowsWithK(results)},
      {.id = "epoch-cost",
       .statement = "An epoch takes roughly twice as long",
       .place = "section 4.1",
       .rule = "with k = B/2, 1.5 to 2.5 times an epoch of SGD",
       .cases = EpochCostsTwo(results)},
      {.id = "beats-first-order",
       .statement = "On 1-D and polynomial regression Sven beats SGD, RMSProp "
                    "and Adam",
       .place = "section 4.1, figure 1",
       .rule = "a lower final validation loss than the best of SGD, Polyak, "
               "RMSprop and Adam",
       .cases = BeatsFirstOrder(results, true)},
      {.id = "beats-first-order-mnist",
       .statement = "In all tasks it ends lower than the first-order methods",
       .place = "caption of figure 1 (the text says otherwise)",
       .rule = "the same on MNIST",
       .cases = BeatsFirstOrder(results, false)},
      {.id = "faster-by-epoch",
       .statement = "It converges faster per epoch",
       .place = "section 4.1, figure 1",
       .rule = "an earlier epoch with the loss that the best first-order "
               "method ends with",
       .cases = ConvergesFaster(results, false)},
      {.id = "faster-by-time",
       .statement = "and is ahead by wall time",
       .place = "section 4.1, figure 1",
       .rule = "the same loss in less time",
       .cases = ConvergesFaster(results, true)},
      {.id = "matches-adam",
       .statement = "On MNIST it matches Adam but does not outperform it",
       .place = "section 4.1",
       .rule = "final validation losses within 10 % of each other",
       .cases = MatchesAdam(results)},
      {.id = "lbfgs-lower",
       .statement = "Only LBFGS achieves a lower training loss",
       .place = "section 4.1",
       .rule = "LBFGS ends with a lower training loss than Sven",
       .cases = LbfgsTrainsLower(results)},
      {.id = "lbfgs-competitive",
       .statement = "Sven remains competitive with LBFGS",
       .place = "abstract, figure 1",
       .rule = "at most twice its final validation loss",
       .cases = CompetitiveWithLbfgs(results)},
      {.id = "lbfgs-slow",
       .statement = "LBFGS takes at least ten times longer than all others",
       .place = "section 4.1",
       .rule = "at least ten times the training time of the slowest other",
       .cases = LbfgsIsSlow(results)},
      {.id = "enough-epochs",
       .statement = "20 epochs are enough to converge",
       .place = "section 4",
       .rule = "Sven's loss falls by less than 10 % in the last five",
       .cases = EnoughEpochs(results)},
      {.id = "best-k",
       .statement = "The best k is a substantial fraction of the batch",
       .place = "section 4.1",
       .rule = "k of the best point is at least B/2",
       .cases = BestKIsLarge(results)},
      {.id = "k-saturates",
       .statement = "Improvement with k saturates around B/2",
       .place = "section 4.1, figure 2",
       .rule = "of the gain in log(loss) over k = 1, at least 90 % at B/2 and "
               "less at B/8",
       .cases = GainSaturates(results)},
      {.id = "few-directions",
       .statement = "1-D entirely fails to learn with k = 1 and k = 2",
       .place = "section 4.1",
       .rule = "the final loss is above half of that at the start",
       .cases = FewDirectionsFail(results)},
      {.id = "spectra",
       .statement = "The spectrum of 1-D decays rapidly, that of MNIST is flat",
       .place = "section 4.1, figure 2",
       .rule = "s_B/2 / s_1 rises threefold from 1-D to polynomial and from "
               "there to MNIST (k = B, smallest rtol)",
       .cases = SpectraDiffer(results)},
      {.id = "rtol-1d",
       .statement = "1-D varies dramatically with rtol from 1e-4 to 1e-2",
       .place = "section 4.1, figure 2",
       .rule = "tenfold between the best and the worst, k = B",
       .cases = CutMatters(results)},
      {.id = "rtol-1d-direction",
       .statement = "because influential directions are cut",
       .place = "section 4.1",
       .rule = "rtol 1e-2 ends tenfold above 1e-4, k = B",
       .cases = CuttingHurts(results)},
      {.id = "rtol-polynomial",
       .statement = "On polynomials cutting more helps",
       .place = "section 4.1, figure 2",
       .rule = "rtol 1e-2 ends below 1e-4, k = B",
       .cases = CuttingHelps(results)},
      {.id = "microbatch",
       .statement = "Coarser micro-batches degrade Sven towards SGD",
       .place = "appendix C, figure 3",
       .rule = "the median loss rises with the size (a fifth of leeway per "
               "doubling)",
       .cases = MicroBatchesDegrade(results)},
      {.id = "sensitive-1d",
       .statement = "1-D is more sensitive to both than the polynomial",
       .place = "appendix C",
       .rule = "a larger factor at the hardest setting",
       .cases = OneDimensionalIsSensitive(results)},
      {.id = "fraction-smaller",
       .statement = "Parameter batches have the smaller impact",
       .place = "appendix C",
       .rule = "a tenth of the parameters costs less than one condition per "
               "batch",
       .cases = ParametersMatterLess(results)},
      {.id = "fraction-polynomial",
       .statement = "Polynomial regression is unaffected for f >= 0.5",
       .place = "appendix C, figure 3",
       .rule = "less than 1.25 times the loss of f = 1",
       .cases = HalfTheParameters(results, false)},
      {.id = "fraction-1d",
       .statement = "1-D is hurt by f < 1",
       .place = "appendix C, figure 3",
       .rule = "at least 1.25 times the loss of f = 1 at f = 0.5 or 0.75",
       .cases = HalfTheParameters(results, true)},
      {.id = "ce-validation",
       .statement = "With cross-entropy Sven validates about as well",
       .place = "appendix E, figure 4",
       .rule = "less than 1.1 times the best first-order method's loss",
       .cases = SimilarValidation(results)},
      {.id = "ce-training",
       .statement = "but has a worse training loss",
       .place = "appendix E, figure 4",
       .rule = "more than 1.1 times that of the same method",
       .cases = WorseTraining(results)},
      {.id = "ce-spectrum",
       .statement =
           "By the second epoch a handful of singular values dominates",
       .place = "appendix E, figure 4",
       .rule = "in epoch 2 at most ten are above a tenth of the largest, and "
               "at most half as many as with label regression (k = B, smallest "
               "rtol)",
       .cases = SpectrumCollapses(results)},
  };
}

}  // namespace sven::experiment
