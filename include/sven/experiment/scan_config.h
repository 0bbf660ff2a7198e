// SPDX-License-Identifier: MIT
//
// Scans: many runs that differ in a few settings. A scan is a TOML file
//
//   title = "1-D regression"
//
//   [run]                        # settings of every run
//   task = "toy1d"
//   seed = [1, 2, 3]             # a list is tried entry by entry
//
//   [[grid]]                     # all combinations of the lists of a grid
//   optimizer = "sven"
//   lr = [0.05, 0.1, 0.5, 1.0]
//   k = [1, 2, 4, 8, 16, 32]
//
//   [[grid]]                     # another one, with settings of its own
//   optimizer = ["sgd", "adam"]
//   lr = [1e-3, 1e-2]
//
// whose names are those of `sven train`. A setting that is itself a list is a
// text: hidden = "16,16,16", or ["16,16", "32,32"] to try two.
#ifndef SVEN_EXPERIMENT_SCAN_CONFIG_H_
#define SVEN_EXPERIMENT_SCAN_CONFIG_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/experiment/run_config.h"

namespace sven::experiment {

// One run of a scan.
struct ScanPoint {
  // A name for files: "sven_k=16_lr=0.1_seed=1", the optimizer and what varies
  // in the scan.
  std::string id;
  std::string optimizer;
  // All that the scan says of it, and what of that varies, by name.
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::pair<std::string, std::string>> varied;
  RunConfig config;
  std::size_t grid = 0;  // the number of its grid
};

struct Scan {
  std::string title;
  std::vector<ScanPoint> points;
};

// All points, each a valid configuration of its own. Throws a UsageError that
// names file, line and key for what is unknown or impossible, and for points
// that are the same.
Scan ParseScan(std::string_view toml, const std::string& source);
Scan ReadScan(const std::filesystem::path& path);

// What stands after title =, and nothing else, so that it is known of scans of
// other versions too. Empty if it has none or is not TOML.
std::string ScanTitle(std::string_view toml);

// The file with the record of a run in the folder of a scan.
std::filesystem::path ScanRecord(const std::filesystem::path& folder,
                                 const ScanPoint& point);

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_SCAN_CONFIG_H_
