// SPDX-License-Identifier: MIT
//
// Shows how a scan goes, and what came out: on a terminal a line that is drawn
// again a few times a second, elsewhere a line per run.
#ifndef SVEN_APPS_SVEN_SCAN_DISPLAY_H_
#define SVEN_APPS_SVEN_SCAN_DISPLAY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sven/base/stopwatch.h"
#include "sven/experiment/scan_config.h"
#include "sven/train/records.h"

namespace sven::cli {

class ScanDisplay {
 public:
  ScanDisplay(std::size_t total, bool quiet);

  // `fresh`: done in this session, not found.
  void AddResult(const experiment::ScanPoint& point,
                 const train::RunSummary& summary, bool fresh);
  void AddFailure(const experiment::ScanPoint& point,
                  const std::string& reason);

  void Draw(std::size_t running);
  void Clear();

  [[nodiscard]] std::size_t Done() const { return done_; }
  [[nodiscard]] std::size_t Failures() const { return failures_.size(); }

  // The best run of every optimizer, and what went wrong.
  [[nodiscard]] std::string Summary() const;

 private:
  struct Best {
    std::size_t runs = 0;
    std::size_t diverged = 0;
    double seconds = 0;  // of all runs
    double loss = 0;
    std::string id;  // empty until one did not diverge
  };

  std::size_t total_;
  bool quiet_;
  bool line_;
  bool drawn_ = false;
  std::size_t done_ = 0;
  std::size_t fresh_ = 0;
  std::map<std::string, Best> best_;  // by optimizer
  std::vector<std::pair<std::string, std::string>> failures_;
  Stopwatch session_;
  Stopwatch since_drawn_;
};

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_SCAN_DISPLAY_H_
