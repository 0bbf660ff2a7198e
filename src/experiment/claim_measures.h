// SPDX-License-Identifier: MIT
//
// What claims are judged by.
#ifndef SVEN_SRC_EXPERIMENT_CLAIM_MEASURES_H_
#define SVEN_SRC_EXPERIMENT_CLAIM_MEASURES_H_

#include <string>
#include <string_view>
#include <vector>

#include "not_measured.h"
#include "sven/experiment/claims.h"
#include "sven/experiment/results.h"

namespace sven::experiment {

using Cases = std::vector<ClaimCase>;

struct PaperTask {
  std::string_view name;
  std::string_view title;
  bool regression;
};

inline constexpr PaperTask kPaperTasks[] = {
    {"toy1d", "1-D", true},
    {"polynomial-additive", "polynomial as published", true},
    {"polynomial", "polynomial as printed", true},
    {"mnist", "MNIST", false},
};

const PaperTask& FindPaperTask(std::string_view name);

// "2.9e-06", "0.0496", "diverged"
std::string LossText(double loss);

// The smallest median of the points of an optimizer that pass the filter.
double LossOf(const ExperimentResult& experiment, const std::string& optimizer,
              const ExperimentResult::Filter& filter = nullptr);

// Sven's, where a setting has a value.
double SvenLossAt(const ExperimentResult& experiment, const std::string& name,
                  double value);

// The best of SGD, Polyak, RMSprop and Adam: its point (none if all diverged),
// loss and name.
struct Rival {
  const PointResult* point = nullptr;
  double loss;
  std::string name;
};
Rival BestFirstOrder(const ExperimentResult& experiment);

// An experiment with words for it.
struct Measured {
  std::string what;
  const ExperimentResult* experiment;
};

// The scan of a task, and "seeds-..." or "sweep-..." over more seeds.
std::vector<Measured> ScanAnd(const Results& results, std::string_view prefix,
                              const PaperTask& task);

// The best points over more seeds, or those of the scan if there are no others;
// null if there is neither.
const ExperimentResult* BestPoints(const Results& results,
                                   std::string_view experiment);

// The median of the seeds.
const std::vector<double>& MiddleCurve(const Band& band);

// Sven's best point with k = B and the smallest rtol, whose spectra are whole;
// null if there is none.
const PointResult* WholeSpectra(const ExperimentResult& scan);

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_CLAIM_MEASURES_H_
