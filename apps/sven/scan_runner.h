// SPDX-License-Identifier: MIT
//
// The runs of a scan, several at a time, with their records in a folder. Started
// again it does what is missing there.
#ifndef SVEN_APPS_SVEN_SCAN_RUNNER_H_
#define SVEN_APPS_SVEN_SCAN_RUNNER_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "scan_display.h"
#include "sven/experiment/scan_config.h"

namespace sven::cli {

struct ScanRequest {
  const experiment::Scan& scan;
  std::string toml;    // what defines it; kept in the folder
  std::string source;  // where that comes from, for messages
  std::filesystem::path out;
  std::vector<std::size_t> chosen;  // points
  Index jobs = 1;
};

// False if it was interrupted. Throws a DataError if the folder cannot be
// written to, holds another scan or is in use.
bool RunScan(const ScanRequest& request, ScanDisplay& display);

// What the runs of an optimizer in a grid will take, from a short try of one.
struct RunEstimate {
  std::size_t grid = 0;
  std::string optimizer;
  std::size_t runs = 0;
  double seconds = 0;  // per run
};
std::vector<RunEstimate> EstimateRuns(const experiment::Scan& scan,
                                      const std::vector<std::size_t>& chosen);

std::vector<std::size_t> AllPoints(const experiment::Scan& scan);

// How runs are carried out, and the options that say so.
struct ScanControls {
  Index jobs = 1;
  bool dry_run = false;
  bool quiet = false;
};
void AddScanControls(CLI::App& command, ScanControls& controls);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_SCAN_RUNNER_H_
