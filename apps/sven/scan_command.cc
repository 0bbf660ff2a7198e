// SPDX-License-Identifier: MIT
//
// sven scan: many runs, several at a time.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "scan_runner.h"
#include "sven/base/atomic_file.h"
#include "sven/experiment/scan_config.h"
#include "terminal.h"

namespace sven::cli {
namespace {

using experiment::Scan;

constexpr const char* kScanFooter =
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
  ScanControls controls;
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

void DryRun(const Scan& scan, const std::vector<std::size_t>& chosen,
            Index jobs) {
  std::vector<std::vector<std::string>> rows = {
      {"grid", "optimizer", "runs", "per run", "all"}};
  double total = 0;
  for (const RunEstimate& kind : EstimateRuns(scan, chosen)) {
    const double all = kind.seconds * static_cast<double>(kind.runs);
    total += all;
    rows.push_back({std::to_string(kind.grid + 1), kind.optimizer,
                    std::to_string(kind.runs),
                    fmt::format("{:.2f} s", kind.seconds), ClockTime(all)});
  }
  fmt::print("{}\n{} runs; about {} with {} at a time\n", AlignedTable(rows),
             chosen.size(), ClockTime(total / static_cast<double>(jobs)), jobs);
}

void Run(const ScanArguments& arguments) {
  const Scan scan = experiment::ReadScan(arguments.config);
  const auto chosen = ChooseShard(arguments.shard, scan.points.size());
  const Index jobs = arguments.controls.jobs;
  if (arguments.controls.dry_run) {
    DryRun(scan, chosen, jobs);
    return;
  }
  if (arguments.out.empty()) {
    throw UsageError("--out is missing: say where the records go");
  }
  ScanDisplay display(chosen.size(), arguments.controls.quiet);
  CatchInterrupts();
  const bool complete = RunScan({.scan = scan,
                                 .toml = ReadTextFile(arguments.config),
                                 .source = arguments.config,
                                 .out = arguments.out,
                                 .chosen = chosen,
                                 .jobs = jobs},
                                display);
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
      ->add_option("--shard", arguments->shard,
                   "only the I-th of N parts, for several machines")
      ->type_name("I/N");
  AddScanControls(*command, arguments->controls);
  command->footer(kScanFooter);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace sven::cli
