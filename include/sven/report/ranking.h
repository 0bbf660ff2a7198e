// SPDX-License-Identifier: MIT
//
// Which optimizer did best at which task, and the same for a terminal.
//
// A task is all runs with the same data and loss. A point is the runs of a task
// with the same optimizer and settings, but for seeds; those of a scan are points
// of their own. An optimizer stands for its best point: the one whose final validation loss has the lowest
// median over its runs, a run that diverged counting as infinite. Points with
// fewer than half as many runs as the largest one of the optimizer, and those
// whose runs differ in more than their weights, are left aside. This is how the
// page has it, too.
#ifndef SVEN_REPORT_RANKING_H_
#define SVEN_REPORT_RANKING_H_

#include <map>
#include <string>
#include <vector>

#include "sven/report/collection.h"

namespace sven::report {

struct RankedOptimizer {
  std::string optimizer;
  // Those of the best point that are not the same in all of the optimizer's
  // points.
  std::map<std::string, std::string> settings;
  std::size_t points = 0;    // of the optimizer, in this task
  std::size_t runs = 0;      // of the best point
  std::size_t diverged = 0;  // of these
  // Final validation loss over the runs of the best point: quartiles.
  double low = 0;
  double median = 0;
  double high = 0;
  // Medians over the same runs. Memory is 0 where nobody knows.
  double best_loss = 0;
  double seconds = 0;  // of training
  double steps = 0;
  double peak_memory = 0;
  // Validation loss by epoch, median over the runs.
  std::vector<double> curve;
};

struct TaskRanking {
  std::string task;  // as people would call it
  std::size_t runs = 0;
  std::vector<RankedOptimizer> optimizers;  // best first
};

// In the order of their first run. Runs before their first epoch have no rank.
std::vector<TaskRanking> RankOptimizers(const std::vector<CollectedRun>& runs);

// Tables with small curves (on a logarithmic scale), and what was skipped. Lines
// have at most `width` characters if that is 80 or more and names allow it;
// tables get no narrower than about 60.
std::string FormatRanking(const std::vector<TaskRanking>& tasks,
                          const std::vector<SkippedFile>& skipped, int width);

}  // namespace sven::report

#endif  // SVEN_REPORT_RANKING_H_
