// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "claim_cases.h"

namespace sven::experiment {
namespace {

// The rtol at which values of k are compared.
constexpr double kCommonCut = 1e-3;

// Sven's loss with k and rtol, at the best learning rate.
double LossAt(const ExperimentResult& experiment, double k, double rtol) {
  return LossOf(experiment, "sven", [&](const PointResult& point) {
    return point.Number("k") == k && point.Number("rtol") == rtol;
  });
}

double BatchSize(const ExperimentResult& experiment) {
  return static_cast<double>(experiment.batch_size);
}

// log(loss) that k gains over k = 1.
double Gain(const ExperimentResult& experiment, double k) {
  return std::log(LossAt(experiment, 1, kCommonCut)) -
         std::log(LossAt(experiment, k, kCommonCut));
}

// ---- Spectra ----

// s_i / s_1 for i = B/2 in the first or the last epoch; what never passed rtol
// counts as rtol.
double MiddleOfSpectrum(const ExperimentResult* scan, bool first) {
  const PointResult* point = scan == nullptr ? nullptr : WholeSpectra(*scan);
  if (point == nullptr) return kNaN;
  const auto& spectrum = first ? point->spectra.front() : point->spectra.back();
  const auto middle = static_cast<std::size_t>(scan->batch_size / 2);
  return middle > 0 && middle <= spectrum.size() ? spectrum[middle - 1]
                                                 : point->Number("rtol");
}

// Singular values above a tenth of the largest in the second epoch.
double LargeValues(const ExperimentResult* experiment) {
  const PointResult* point =
      experiment == nullptr ? nullptr : WholeSpectra(*experiment);
  if (point == nullptr || point->spectra.size() < 2) return kNaN;
  return static_cast<double>(std::ranges::count_if(
      point->spectra[1], [](double value) { return value > 0.1; }));
}

// ---- rtol ----

// Cases of `holds`, which is given the losses at rtol 1e-4, 1e-3 and 1e-2 with
// k = B.
template <class Holds>
Cases CutEffects(const Results& results, bool one_dimensional,
                 const Holds& holds) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if (!task.regression || (task.name == "toy1d") != one_dimensional) continue;
    for (const auto& [what, experiment] : ScanAnd(results, "sweep", task)) {
      const double k = BatchSize(*experiment);
      const double fine = LossAt(*experiment, k, 1e-4);
      const double middle = LossAt(*experiment, k, 1e-3);
      const double coarse = LossAt(*experiment, k, 1e-2);
      if (std::isnan(fine) || std::isnan(middle) || std::isnan(coarse)) {
        continue;
      }
      cases.push_back(
          {fmt::format("{}: {} at 1e-4, {} at 1e-3, {} at 1e-2", what,
                       LossText(fine), LossText(middle), LossText(coarse)),
           holds(fine, middle, coarse)});
    }
  }
  return cases;
}

// ---- Micro-batches and parameter batches ----

struct SweepKind {
  const char* experiment;  // "microbatch"
  const char* hardest_text;
  double hardest;
};
constexpr SweepKind kMicroBatches = {"microbatch", "one condition", 32};
constexpr SweepKind kFractions = {"fraction", "f = 0.1", 0.1};

// The loss at a value over that at 1, which changes nothing; NaN if it was not
// measured.
double SweepRatio(const Results& results, const SweepKind& kind,
                  std::string_view task, double value) {
  const ExperimentResult* sweep =
      results.Find(fmt::format("{}-{}", kind.experiment, task));
  if (sweep == nullptr) return kNaN;
  return SvenLossAt(*sweep, kind.experiment, value) /
         SvenLossAt(*sweep, kind.experiment, 1);
}

// "3.25 times", "diverged"
std::string RatioText(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3g} times", ratio) : "diverged";
}

template <class Holds>
Cases HalfTheParameters(const Results& results, bool one_dimensional,
                        const Holds& holds) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    if ((task.name == "toy1d") != one_dimensional) continue;
    const double half = SweepRatio(results, kFractions, task.name, 0.5);
    const double most = SweepRatio(results, kFractions, task.name, 0.75);
    if (std::isnan(half) || std::isnan(most)) continue;
    cases.push_back({fmt::format("{}: {} at f = 0.5, {} at 0.75", task.title,
                                 RatioText(half), RatioText(most)),
                     holds(std::max(half, most))});
  }
  return cases;
}

}  // namespace

Cases BestKIsLarge(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const ExperimentResult* scan = results.Find(task.name);
    const PointResult* best = scan == nullptr ? nullptr : scan->Best("sven");
    if (best == nullptr || std::isnan(best->Number("k"))) continue;
    cases.push_back({fmt::format("{}: k = {} of {}", task.title,
                                 best->Setting("k"), scan->batch_size),
                     best->Number("k") >= BatchSize(*scan) / 2});
  }
  return cases;
}

Cases GainSaturates(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    for (const auto& [what, experiment] : ScanAnd(results, "sweep", task)) {
      const double batch = BatchSize(*experiment);
      const double eighth = Gain(*experiment, batch / 8);
      const double half = Gain(*experiment, batch / 2);
      const double best = std::max(half, Gain(*experiment, batch));
      if (std::isnan(eighth) || std::isnan(half) || std::isnan(best)) continue;
      if (best <= 0) {
        cases.push_back({fmt::format("{}: no gain over k = 1", what), false});
        continue;
      }
      cases.push_back({fmt::format("{}: {:.0f} % at B/8, {:.0f} % at B/2", what,
                                   100 * eighth / best, 100 * half / best),
                       half >= 0.9 * best && eighth < 0.9 * best});
    }
  }
  return cases;
}

Cases KMattersMostIn1d(const Results& results) {
  Cases cases;
  const auto factor = [&](std::string_view task) {
    const ExperimentResult* sweep = results.Find(fmt::format("sweep-{}", task));
    if (sweep == nullptr) sweep = results.Find(task);
    return sweep == nullptr ? kNaN
                            : std::exp(Gain(*sweep, BatchSize(*sweep) / 2));
  };
  const double toy = factor("toy1d");
  for (const PaperTask& task : kPaperTasks) {
    const double other = factor(task.name);
    if (task.name == "toy1d" || std::isnan(toy) || std::isnan(other)) continue;
    cases.push_back(
        {fmt::format("k = B/2 instead of 1 lowers 1-D {:.2g} times, {} {:.2g} "
                     "times",
                     toy, task.title, other),
         toy > other});
  }
  return cases;
}

Cases FewDirectionsFail(const Results& results) {
  Cases cases;
  for (const auto& [what, experiment] :
       ScanAnd(results, "sweep", FindPaperTask("toy1d"))) {
    const PointResult* best =
        experiment->Best("sven", [](const PointResult& point) {
          return point.Number("rtol") == kCommonCut;
        });
    if (best == nullptr) continue;
    for (const double k : {1.0, 2.0}) {
      const double like_best =
          LossOf(*experiment, "sven", [&](const PointResult& point) {
            return point.Number("k") == k &&
                   point.Number("rtol") == kCommonCut &&
                   point.Setting("lr") == best->Setting("lr");
          });
      const double any = LossAt(*experiment, k, kCommonCut);
      if (std::isnan(like_best) || std::isnan(any)) continue;
      const double limit = experiment->initial_loss / 2;
      cases.push_back(
          {fmt::format("{}, k = {}, lr {} (best for all k): {}", what, k,
                       best->Setting("lr"), LossText(like_best)),
           like_best > limit});
      cases.push_back({fmt::format("{}, k = {}, lr best for it: {}", what, k,
                                   LossText(any)),
                       any > limit});
    }
  }
  return cases;
}

Cases SpectraDiffer(const Results& results) {
  Cases cases;
  for (const bool first : {true, false}) {
    const double toy = MiddleOfSpectrum(results.Find("toy1d"), first);
    const double mnist = MiddleOfSpectrum(results.Find("mnist"), first);
    if (std::isnan(toy) || std::isnan(mnist)) continue;
    cases.push_back({fmt::format("{} epoch: 1-D {:.1e}, MNIST {:.1e}",
                                 first ? "first" : "last", toy, mnist),
                     10 * toy <= mnist});
  }
  return cases;
}

Cases PolynomialIsBetween(const Results& results) {
  Cases cases;
  for (const char* name : {"polynomial-additive", "polynomial"}) {
    for (const bool first : {true, false}) {
      const double toy = MiddleOfSpectrum(results.Find("toy1d"), first);
      const double other = MiddleOfSpectrum(results.Find(name), first);
      const double mnist = MiddleOfSpectrum(results.Find("mnist"), first);
      if (std::isnan(toy) || std::isnan(other) || std::isnan(mnist)) continue;
      cases.push_back({fmt::format("{}, {} epoch: {:.1e} between {:.1e} and "
                                   "{:.1e}",
                                   FindPaperTask(name).title,
                                   first ? "first" : "last", other, toy, mnist),
                       2 * toy < other && 2 * other < mnist});
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

Cases TailIsUnused(const Results& results) {
  Cases cases;
  for (const char* name : {"polynomial-additive", "polynomial"}) {
    for (const double rtol : {1e-3, 1e-2}) {
      const ExperimentResult* scan = results.Find(name);
      if (scan == nullptr) continue;
      const double batch = BatchSize(*scan);
      const PointResult* point =
          scan->Best("sven", [&](const PointResult& candidate) {
            return candidate.Number("k") == batch &&
                   candidate.Number("rtol") == rtol;
          });
      if (point == nullptr || point->kept.empty()) continue;
      cases.push_back(
          {fmt::format("{}, rtol {}: {:.0f} of {} kept in the last epoch",
                       FindPaperTask(name).title, rtol, point->kept.back(),
                       batch),
           point->kept.back() <= 0.6 * batch});
    }
  }
  return cases;
}

Cases MicroBatchesDegrade(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    double last = 1;
    bool rises = true;
    std::string text = fmt::format("{}: once", task.title);
    for (const double size : {2.0, 4.0, 8.0, 16.0, 32.0}) {
      const double ratio = SweepRatio(results, kMicroBatches, task.name, size);
      rises = rises && 1.5 * ratio >= last;
      last = ratio;
      text += ", " + RatioText(ratio);
    }
    if (std::isnan(last)) continue;
    cases.push_back({text, rises && last > 1});
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
      cases.push_back(
          {fmt::format("{}: 1-D {}, {} {}", kind.hardest_text, RatioText(toy),
                       FindPaperTask(name).title, RatioText(other)),
           toy > other});
    }
  }
  return cases;
}

Cases ParametersMatterLess(const Results& results) {
  Cases cases;
  for (const PaperTask& task : kPaperTasks) {
    const double micro = SweepRatio(results, kMicroBatches, task.name, 32);
    const double part = SweepRatio(results, kFractions, task.name, 0.1);
    if (std::isnan(micro) || std::isnan(part)) continue;
    cases.push_back({fmt::format("{}: f = 0.1 {}, one condition {}", task.title,
                                 RatioText(part), RatioText(micro)),
                     part < micro});
  }
  return cases;
}

Cases HalfIsEnoughForPolynomials(const Results& results) {
  return HalfTheParameters(results, false,
                           [](double worst) { return worst < 1.25; });
}

Cases HalfHurts1d(const Results& results) {
  return HalfTheParameters(results, true,
                           [](double worst) { return worst >= 1.25; });
}

Cases SpectrumCollapses(const Results& results) {
  Cases cases;
  const double usual = LargeValues(results.Find("mnist"));
  for (const auto& [what, name] :
       {std::pair("as in the text", "mnist-ce"),
        std::pair("as in the code", "mnist-ce-rms")}) {
    const double count = LargeValues(results.Find(name));
    if (std::isnan(count) || std::isnan(usual)) continue;
    cases.push_back(
        {fmt::format("{}: {}, label regression {}", what, count, usual),
         count <= 10 && 2 * count <= usual});
  }
  return cases;
}

}  // namespace sven::experiment
