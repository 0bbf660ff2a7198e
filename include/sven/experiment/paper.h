// SPDX-License-Identifier: MIT
//
// The experiments of the paper, as scans (the files of experiments/, which are
// part of the library), and those that follow from their outcome.
#ifndef SVEN_EXPERIMENT_PAPER_H_
#define SVEN_EXPERIMENT_PAPER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/types.h"
#include "sven/experiment/results.h"
#include "sven/experiment/scan_config.h"

namespace sven::experiment {

struct PaperExperiment {
  std::string_view name;
  std::string_view toml;
  // Its runs are timed, so there is one at a time.
  bool timed = false;
  // Whose best points are run again with other seeds and, for tasks that are
  // made from a seed, with other orders of batches and other data.
  bool repeated = false;
  bool made_from_seed = false;
  // An experiment that this one is a part of, set apart because of what it
  // costs: it is run only if it is asked for. Empty for all others.
  std::string_view part_of = {};
};

// In the order in which they are run; parts after the whole.
std::span<const PaperExperiment> PaperExperiments();

// An experiment's text with the model seeds 1 ... count for every point, and
// with another folder for the files of MNIST.
std::string WithSeeds(std::string_view toml, Index count);
std::string WithDataFolder(std::string_view toml, const std::string& folder);

// The ways in which the best points are run again: what varies, and the name of
// the experiment.
struct Repeat {
  std::string prefix;   // "seeds": the experiment is "seeds-toy1d"
  std::string setting;  // "seed"
  std::string title;
};
std::span<const Repeat> Repeats();

// "seeds-toy1d"
std::string SeedsName(std::string_view experiment);

// Adds what came out of a part to the whole.
void MergePart(const ExperimentResult& part, ExperimentResult& whole);

// The best point of every optimizer of a scan, with the values 1 ... count of
// what varies, as the text of a scan.
std::string RepeatScan(const Scan& scan, const ExperimentResult& result,
                       const Repeat& repeat, Index count);

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_PAPER_H_
