// SPDX-License-Identifier: MIT
#include "scan_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "sven/base/atomic_file.h"
#include "sven/base/text.h"
#include "sven/experiment/run.h"
#include "terminal.h"
#include "worker_pool.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Scan;
using experiment::ScanPoint;

// Seconds that a run will take, from a short try of it.
template <class T>
double EstimateSeconds(const ScanPoint& point) {
  experiment::RunConfig config = point.config;
  config.Set("", "time_limit", "0.3");
  const auto data = experiment::LoadRunData<T>(config);
  const auto tried =
      experiment::RunTraining<T>(config, data, {.optimizer = point.optimizer});
  const train::TrainOptions options = point.config.Training();
  const double batches = std::ceil(static_cast<double>(data.Train().Size()) /
                                   static_cast<double>(options.batch_size));
  const auto steps =
      static_cast<double>(std::max<Index>(tried.summary.steps, 1));
  // Evaluations cost time, too: two in the try besides those of its epochs.
  const double evaluation =
      (tried.summary.total_seconds - tried.summary.train_seconds) /
      static_cast<double>(tried.summary.epochs + 2);
  return static_cast<double>(options.epochs) *
         (batches * tried.summary.train_seconds / steps + evaluation);
}

// The files of a scan.
class ScanFolder {
 public:
  explicit ScanFolder(const ScanRequest& request)
      : folder_(request.out), lock_(request.out) {
    const fs::path saved = folder_ / "scan.toml";
    if (fs::exists(saved) && ReadTextFile(saved) != request.toml) {
      throw DataError(fmt::format(
          "{}: holds another scan: {} differs from {}; choose another folder",
          folder_.string(), saved.string(), request.source));
    }
    std::error_code error;
    fs::create_directories(Runs(), error);
    // What runs in flight left when a scan was killed.
    if (!error) fs::remove_all(Work(), error);
    if (!error) fs::create_directories(Work(), error);
    if (error) ThrowFileError(folder_, "cannot write to", error.value());
    WriteFileAtomically(saved, request.toml);
    RemoveTemporaries(Runs());
  }

  [[nodiscard]] fs::path Runs() const { return folder_ / "runs"; }
  [[nodiscard]] fs::path Work() const { return folder_ / ".work"; }
  [[nodiscard]] fs::path RunFile(const ScanPoint& point) const {
    return experiment::ScanRecord(folder_, point);
  }

  // The record of a run that is over; nothing if there is none, or none that
  // is whole.
  [[nodiscard]] std::optional<train::RunSummary> Result(
      const ScanPoint& point) const {
    try {
      if (!fs::exists(RunFile(point))) return std::nullopt;
      return train::ReadRunFile(RunFile(point)).summary;
    } catch (const DataError&) {
      return std::nullopt;
    }
  }

 private:
  fs::path folder_;
  experiment::FolderLock lock_;
};

class ScanRunner {
 public:
  ScanRunner(const Scan& scan, const ScanFolder& folder, Index jobs,
             ScanDisplay& display)
      : scan_(scan), folder_(folder), jobs_(jobs), display_(display) {}

  // Takes what is there already; the rest is to be done.
  void Plan(const std::vector<std::size_t>& chosen) {
    for (const std::size_t i : chosen) {
      if (const auto summary = folder_.Result(scan_.points[i])) {
        display_.AddResult(scan_.points[i], *summary, /*fresh=*/false);
      } else {
        waiting_.push_back(i);
      }
    }
  }

  // False if it was interrupted.
  bool Run() {
    while (!waiting_.empty() || pool_.Running() > 0) {
      if (Interrupted()) return false;
      while (!waiting_.empty() &&
             pool_.Running() < static_cast<std::size_t>(jobs_)) {
        Start(waiting_.front());
        waiting_.pop_front();
      }
      while (const auto finished = pool_.Poll()) Finish(*finished);
      display_.Draw(pool_.Running());
      constexpr unsigned kMicroseconds = 2000;
      ::usleep(kMicroseconds);
    }
    return true;
  }

 private:
  [[nodiscard]] fs::path Work(const ScanPoint& point,
                              const char* extension) const {
    return folder_.Work() / (point.id + extension);
  }

  void Start(std::size_t i) {
    const ScanPoint& point = scan_.points[i];
    WriteFileAtomically(Work(point, ".toml"), point.config.ToToml());
    pool_.Start(i,
                {"train", "--config", Work(point, ".toml").string(), "--out",
                 Work(point, "").string(), "--overwrite", "--quiet",
                 "--checkpoint-every", "none", "--threads", "1"},
                Work(point, ".log"));
  }

  void Finish(const WorkerPool::Finished& finished) {
    const ScanPoint& point = scan_.points[finished.job];
    const fs::path record = Work(point, "") / experiment::kRunFile;
    std::error_code error;
    if (finished.signal == 0 && fs::exists(record)) {
      fs::rename(record, folder_.RunFile(point), error);
      if (error) {
        ThrowFileError(folder_.RunFile(point), "cannot write", error.value());
      }
    }
    const auto summary = folder_.Result(point);
    if (summary) {
      display_.AddResult(point, *summary, /*fresh=*/true);
    } else if (tried_.insert(finished.job).second) {
      waiting_.push_back(finished.job);
      return;
    } else {
      display_.AddFailure(point, Reason(point, finished));
    }
    fs::remove_all(Work(point, ""), error);
    fs::remove(Work(point, ".toml"), error);
    fs::remove(Work(point, ".log"), error);
  }

  // Why a run came to no result: the last line that it said.
  [[nodiscard]] std::string Reason(const ScanPoint& point,
                                   const WorkerPool::Finished& finished) const {
    if (finished.signal != 0) {
      return fmt::format("ended by signal {}", finished.signal);
    }
    std::string log = ReadTextFile(Work(point, ".log"));
    log.erase(log.find_last_not_of('\n') + 1);
    const std::size_t last = log.rfind('\n');
    return Printable(last == std::string::npos ? log : log.substr(last + 1),
                     300);
  }

  const Scan& scan_;
  const ScanFolder& folder_;
  Index jobs_;
  ScanDisplay& display_;
  WorkerPool pool_;
  std::deque<std::size_t> waiting_;
  std::set<std::size_t> tried_;  // and found to have crashed
};

}  // namespace

std::vector<RunEstimate> EstimateRuns(const Scan& scan,
                                      const std::vector<std::size_t>& chosen) {
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> kinds;
  for (const std::size_t i : chosen) {
    kinds[{scan.points[i].grid, scan.points[i].optimizer}].push_back(i);
  }
  std::vector<RunEstimate> estimates;
  for (const auto& [kind, indices] : kinds) {
    const ScanPoint& point = scan.points[indices[indices.size() / 2]];
    const double seconds = point.config.Model().dtype == NumberType::kFloat64
                               ? EstimateSeconds<double>(point)
                               : EstimateSeconds<float>(point);
    estimates.push_back({.grid = kind.first,
                         .optimizer = kind.second,
                         .runs = indices.size(),
                         .seconds = seconds});
  }
  return estimates;
}

bool RunScan(const ScanRequest& request, ScanDisplay& display) {
  const ScanFolder folder(request);
  ScanRunner runner(request.scan, folder, request.jobs, display);
  runner.Plan(request.chosen);
  return runner.Run();
}

std::vector<std::size_t> AllPoints(const Scan& scan) {
  std::vector<std::size_t> all(scan.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void AddScanControls(CLI::App& command, ScanControls& controls) {
  controls.jobs = std::max<Index>(std::thread::hardware_concurrency(), 1);
  command
      .add_option("--jobs", controls.jobs,
                  "runs at a time, each on one thread [number of cores]")
      ->check(CLI::Range(Index{1}, Index{1024}))
      ->type_name("N");
  command.add_flag("--dry-run", controls.dry_run,
                   "only say how many runs there are and how long they take");
  command.add_flag("--quiet", controls.quiet, "no progress, only the result");
}

}  // namespace sven::cli
