// SPDX-License-Identifier: MIT
//
// sven scan: many runs, several at a time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "commands.h"
#include "scan_display.h"
#include "sven/base/atomic_file.h"
#include "sven/base/text.h"
#include "sven/experiment/run.h"
#include "sven/experiment/scan_config.h"
#include "terminal.h"
#include "worker_pool.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Scan;
using experiment::ScanPoint;

constexpr const char* kFooter =
    R"(CONFIG has the settings of all runs under [run], and under each [[grid]] lists
of settings, of which every combination is one run:
  title = "1-D regression"
  [run]
  task = "toy1d"
  seed = [1, 2, 3]
  [[grid]]
  optimizer = "sven"
  lr = [0.05, 0.1, 0.5, 1.0]
  k = [4, 16]
  [[grid]]
  optimizer = ["sgd", "adam"]
  lr = [1e-3, 1e-2]

DIR/runs gets a record per run, as sven train writes it. All runs of a seed start
from the same weights and see the same batches. Started again, the same command
does what is missing. A run that diverges is a result; one that crashes is tried
once more.

Examples:
  sven scan grid.toml --dry-run
  sven scan grid.toml --out scans/grid --jobs 2
  sven scan grid.toml --out scans/part1 --shard 1/4
Exit code: 0 done, 1 interrupted or a run failed, 2 wrong usage.)";

struct ScanArguments {
  std::string config;
  std::string out;
  std::string shard;
  Index jobs = 0;
  bool dry_run = false;
  bool quiet = false;
};

// "2/4": every fourth run, from the second on.
std::vector<std::size_t> ChooseShard(const std::string& text,
                                     std::size_t count) {
  const std::string given = text.empty() ? "1/1" : text;
  const std::size_t slash = std::min(given.find('/'), given.size() - 1);
  const std::uint64_t part =
      internal::ParseUnsigned(given.substr(0, slash)).value_or(0);
  const std::uint64_t parts =
      internal::ParseUnsigned(given.substr(slash + 1)).value_or(0);
  if (part < 1 || part > parts) {
    throw UsageError(fmt::format(
        "--shard {}: expected I/N with 1 <= I <= N, such as 2/4", text));
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = part - 1; i < count; i += parts) chosen.push_back(i);
  return chosen;
}

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

void DryRun(const Scan& scan, const std::vector<std::size_t>& chosen,
            Index jobs) {
  // One try per grid and optimizer.
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> kinds;
  for (const std::size_t i : chosen) {
    kinds[{scan.points[i].grid, scan.points[i].optimizer}].push_back(i);
  }
  std::vector<std::vector<std::string>> rows = {
      {"grid", "optimizer", "runs", "per run", "all"}};
  double total = 0;
  for (const auto& [kind, indices] : kinds) {
    const ScanPoint& point = scan.points[indices[indices.size() / 2]];
    const double seconds = point.config.Model().dtype == NumberType::kFloat64
                               ? EstimateSeconds<double>(point)
                               : EstimateSeconds<float>(point);
    const double all = seconds * static_cast<double>(indices.size());
    total += all;
    rows.push_back({std::to_string(kind.first + 1), kind.second,
                    std::to_string(indices.size()),
                    fmt::format("{:.2f} s", seconds), ClockTime(all)});
  }
  fmt::print("{}\n{} runs; about {} with {} at a time\n", AlignedTable(rows),
             chosen.size(), ClockTime(total / static_cast<double>(jobs)), jobs);
}

// The files of a scan.
class ScanFolder {
 public:
  ScanFolder(const fs::path& folder, const std::string& config)
      : folder_(folder), lock_(folder) {
    const fs::path saved = folder / "scan.toml";
    const std::string text = ReadTextFile(config);
    if (fs::exists(saved) && ReadTextFile(saved) != text) {
      throw DataError(fmt::format(
          "{}: holds another scan: {} differs from {}; choose another folder",
          folder.string(), saved.string(), config));
    }
    std::error_code error;
    fs::create_directories(Runs(), error);
    // What runs in flight left when a scan was killed.
    if (!error) fs::remove_all(Work(), error);
    if (!error) fs::create_directories(Work(), error);
    if (error) ThrowFileError(folder, "cannot write to", error.value());
    WriteFileAtomically(saved, text);
    RemoveTemporaries(Runs());
  }

  [[nodiscard]] fs::path Runs() const { return folder_ / "runs"; }
  [[nodiscard]] fs::path Work() const { return folder_ / ".work"; }
  [[nodiscard]] fs::path RunFile(const ScanPoint& point) const {
    return Runs() / (point.id + ".jsonl");
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

void RunScan(const ScanArguments& arguments) {
  const Scan scan = experiment::ReadScan(arguments.config);
  const auto chosen = ChooseShard(arguments.shard, scan.points.size());
  const Index jobs =
      arguments.jobs > 0
          ? arguments.jobs
          : std::max<Index>(std::thread::hardware_concurrency(), 1);
  if (arguments.dry_run) {
    DryRun(scan, chosen, jobs);
    return;
  }
  if (arguments.out.empty()) {
    throw UsageError("--out is missing: say where the records go");
  }
  const ScanFolder folder(arguments.out, arguments.config);
  ScanDisplay display(chosen.size(), arguments.quiet);
  CatchInterrupts();
  bool complete = false;
  {
    ScanRunner runner(scan, folder, jobs, display);
    runner.Plan(chosen);
    complete = runner.Run();
  }
  display.Clear();
  fmt::print("{}", display.Summary());
  if (!complete) {
    fmt::print("\nInterrupted; {} runs are done. The same command goes on.\n",
               display.Done());
  }
  if (!complete || display.Failures() > 0) throw CLI::RuntimeError(1);
}

}  // namespace

void AddScanCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("scan", "Run all combinations of lists of settings");
  auto arguments = std::make_shared<ScanArguments>();
  command->add_option("CONFIG", arguments->config, "the scan, TOML")
      ->required()
      ->type_name("");
  command->add_option("--out", arguments->out, "folder for the records")
      ->type_name("DIR");
  command
      ->add_option("--jobs", arguments->jobs,
                   "runs at a time, each on one thread [number of cores]")
      ->check(CLI::Range(Index{1}, Index{1024}))
      ->type_name("N");
  command
      ->add_option("--shard", arguments->shard,
                   "only the I-th of N parts, for several machines")
      ->type_name("I/N");
  command->add_flag("--dry-run", arguments->dry_run,
                    "only say how many runs there are and how long they take");
  command->add_flag("--quiet", arguments->quiet,
                    "no progress, only the result");
  command->footer(kFooter);
  command->callback([arguments] { RunScan(*arguments); });
}

}  // namespace sven::cli
