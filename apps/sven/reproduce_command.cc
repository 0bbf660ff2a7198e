// SPDX-License-Identifier: MIT
//
// sven reproduce: the experiments of the paper, and what they say of its claims.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "commands.h"
#include "scan_runner.h"
#include "sven/base/atomic_file.h"
#include "sven/base/stopwatch.h"
#include "sven/base/suggest.h"
#include "sven/experiment/claims.h"
#include "sven/experiment/paper.h"
#include "sven/experiment/run.h"
#include "terminal.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using experiment::PaperExperiment;
using experiment::Scan;

constexpr const char* kReproduceFooter =
    R"(Runs the scans of the paper's appendix, each in a folder of DIR as sven scan does;
then the best point of every optimizer again with ten seeds and, for tasks that are
made from a seed, ten orders of the batches and ten draws of the data.
DIR/results.json gets every point with its losses, curves and spectra,
DIR/claims.json the paper's claims with a verdict that follows from the numbers.
Started again, the same command does what is missing.

Two parts are run only by their names, since they take half as long as all the
rest: mnist-lbfgs and mnist-ce-lbfgs, the grids of LBFGS on MNIST.

MNIST is taken from data/mnist (sven data mnist), or from --data-dir.

Examples:
  sven reproduce --dry-run
  sven reproduce --out reproduction
  sven reproduce --out reproduction --only mnist-lbfgs,mnist-ce-lbfgs
  sven reproduce --results reproduction/results.json
Exit code: 0 done, 1 interrupted or a run failed, 2 wrong usage.)";

constexpr Index kRepeats = 10;

struct ReproduceArguments {
  std::string out;
  std::vector<std::string> only;
  Index seeds = 0;  // 0: as in the paper
  std::string data_dir;
  std::string results;
  bool markdown = false;
  ScanControls controls;
};

// An experiment that is to be run.
struct Planned {
  const PaperExperiment* experiment;
  std::string toml;
  Scan scan;
};

std::vector<Planned> Plan(const ReproduceArguments& arguments) {
  const auto all = experiment::PaperExperiments();
  std::vector<std::string_view> names;
  for (const PaperExperiment& one : all) names.push_back(one.name);
  for (const std::string& name : arguments.only) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw UsageError(fmt::format("--only {}: there is no such experiment{}",
                                 name, SuggestOrList(name, names)));
  }
  std::vector<Planned> plan;
  for (const PaperExperiment& one : all) {
    const bool chosen = arguments.only.empty()
                            ? one.part_of.empty()
                            : std::ranges::find(arguments.only, one.name) !=
                                  arguments.only.end();
    if (!chosen) continue;
    std::string toml(one.toml);
    if (arguments.seeds > 0 && !one.timed) {
      toml = experiment::WithSeeds(toml, arguments.seeds);
    }
    if (!arguments.data_dir.empty()) {
      toml = experiment::WithDataFolder(
          toml, fs::absolute(arguments.data_dir).string());
    }
    const std::string source = fmt::format("experiments/{}.toml", one.name);
    plan.push_back({.experiment = &one,
                    .toml = toml,
                    .scan = experiment::ParseScan(toml, source)});
  }
  return plan;
}

// A folder with other experiments is found before anything runs,
void CheckFolders(const fs::path& out, const std::vector<Planned>& plan) {
  for (const Planned& planned : plan) {
    const fs::path saved = out / planned.experiment->name / "scan.toml";
    if (!fs::exists(saved) || ReadTextFile(saved) == planned.toml) continue;
    throw DataError(fmt::format(
        "{}: holds another scan, with other --seeds or --data-dir, or of "
        "another version; choose another --out",
        saved.parent_path().string()));
  }
}

// and so are files that are missing.
void CheckFiles(const std::vector<Planned>& plan) {
  for (const Planned& planned : plan) {
    for (const auto& point : planned.scan.points) {
      if (point.config.Data().task != "mnist") continue;
      static_cast<void>(experiment::LoadRunData<float>(point.config));
      return;
    }
  }
}

Index RepeatCount(const ReproduceArguments& arguments) {
  return arguments.seeds > 0 ? arguments.seeds : kRepeats;
}

// The ways in which the best points of an experiment are run again.
std::vector<experiment::Repeat> RepeatsOf(const PaperExperiment& one) {
  std::vector<experiment::Repeat> repeats;
  if (!one.repeated) return repeats;
  for (const auto& repeat : experiment::Repeats()) {
    if (repeat.prefix == "seeds" || one.made_from_seed) {
      repeats.push_back(repeat);
    }
  }
  return repeats;
}

void DryRun(const ReproduceArguments& arguments,
            const std::vector<Planned>& plan, Index jobs) {
  std::vector<std::vector<std::string>> rows = {
      {"experiment", "runs", "repeats", "time"}};
  std::size_t runs = 0;
  double total = 0;
  for (const Planned& planned : plan) {
    const auto estimates = EstimateRuns(planned.scan, AllPoints(planned.scan));
    const std::size_t again = RepeatsOf(*planned.experiment).size() *
                              static_cast<std::size_t>(RepeatCount(arguments));
    double seconds = 0;
    std::size_t repeats = 0;
    for (const RunEstimate& kind : estimates) {
      seconds += kind.seconds * static_cast<double>(kind.runs + again);
      repeats += again;
    }
    if (!planned.experiment->timed) seconds /= static_cast<double>(jobs);
    rows.push_back({std::string(planned.experiment->name),
                    std::to_string(planned.scan.points.size()),
                    std::to_string(repeats), ClockTime(seconds)});
    runs += planned.scan.points.size() + repeats;
    total += seconds;
  }
  fmt::print("{}\n{} runs; about {} with {} at a time\n", AlignedTable(rows),
             runs, ClockTime(total), jobs);
}

class Reproduction {
 public:
  Reproduction(const ReproduceArguments& arguments, Index jobs)
      : arguments_(arguments), jobs_(jobs), out_(arguments.out) {}

  // False if it was interrupted.
  bool Run(const std::vector<Planned>& plan) {
    for (const Planned& planned : plan) {
      const PaperExperiment& one = *planned.experiment;
      const std::string name(one.name);
      if (!RunOne(name, planned.toml, planned.scan, one.timed ? 1 : jobs_)) {
        return false;
      }
      if (!one.repeated) continue;
      const auto result =
          experiment::AnalyseScan(name, planned.scan, out_ / name);
      // Which points are the best is not known yet.
      if (result.missing > 0) continue;
      for (const auto& repeat : RepeatsOf(one)) {
        const std::string toml = experiment::RepeatScan(
            planned.scan, result, repeat, RepeatCount(arguments_));
        const std::string again = fmt::format("{}-{}", repeat.prefix, name);
        if (!RunOne(again, toml, experiment::ParseScan(toml, again), jobs_)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t Failures() const { return failures_; }

  // Of all experiments that the folder has, whether of now or of before.
  [[nodiscard]] experiment::Results Analyse() const {
    experiment::Results results = experiment::StartResults();
    results.identities = experiment::MeasureIdentities();
    for (const PaperExperiment& one : experiment::PaperExperiments()) {
      Add("", one, results);
      for (const auto& repeat : RepeatsOf(one)) {
        Add(repeat.prefix + "-", one, results);
      }
    }
    return results;
  }

 private:
  void Add(const std::string& prefix, const PaperExperiment& one,
           experiment::Results& results) const {
    const std::string name = fmt::format("{}{}", prefix, one.name);
    const fs::path saved = out_ / name / "scan.toml";
    if (!fs::exists(saved)) return;
    auto result =
        experiment::AnalyseScan(name, experiment::ReadScan(saved), out_ / name);
    const std::string whole = fmt::format("{}{}", prefix, one.part_of);
    const auto found = std::ranges::find(results.experiments, whole,
                                         &experiment::ExperimentResult::name);
    if (one.part_of.empty() || found == results.experiments.end()) {
      results.experiments.push_back(std::move(result));
    } else {
      experiment::MergePart(result, *found);
    }
  }

  bool RunOne(const std::string& name, const std::string& toml,
              const Scan& scan, Index jobs) {
    ScanDisplay display(scan.points.size(), arguments_.controls.quiet);
    if (!arguments_.controls.quiet) {
      PrintError("{}: {}, {} runs\n", name, scan.title, scan.points.size());
    }
    const bool complete = RunScan({.scan = scan,
                                   .toml = toml,
                                   .source = name + " of this reproduction",
                                   .out = out_ / name,
                                   .chosen = AllPoints(scan),
                                   .jobs = jobs},
                                  display);
    display.Clear();
    failures_ += display.Failures();
    return complete;
  }

  const ReproduceArguments& arguments_;
  Index jobs_;
  fs::path out_;
  std::size_t failures_ = 0;
};

void PrintClaims(const std::vector<experiment::Claim>& claims) {
  for (const auto& claim : claims) {
    fmt::print("{}: {} ({})\n", Name(claim.Judge()), claim.statement, claim.id);
    for (const auto& one : claim.cases) {
      fmt::print("    {} {}\n", one.holds ? '+' : '-', one.measured);
    }
  }
}

void ShowResults(const ReproduceArguments& arguments) {
  const auto results = experiment::ReadResults(arguments.results);
  const auto claims = experiment::JudgeClaims(results);
  if (arguments.markdown) {
    fmt::print("## Claims\n\n{}\n{}", experiment::ClaimsMarkdown(claims),
               experiment::TablesMarkdown(results));
  } else {
    PrintClaims(claims);
  }
}

void Run(const ReproduceArguments& arguments) {
  if (!arguments.results.empty()) {
    ShowResults(arguments);
    return;
  }
  if (arguments.markdown) {
    throw UsageError("--markdown goes with --results FILE");
  }
  if (arguments.out.empty() && !arguments.controls.dry_run) {
    throw UsageError("--out is missing: say where the records go");
  }
  const std::vector<Planned> plan = Plan(arguments);
  CheckFiles(plan);
  const Index jobs = arguments.controls.jobs;
  if (arguments.controls.dry_run) {
    DryRun(arguments, plan, jobs);
    return;
  }
  const experiment::FolderLock lock(arguments.out);
  CheckFolders(arguments.out, plan);
  const Stopwatch watch;
  CatchInterrupts();
  Reproduction reproduction(arguments, jobs);
  if (!reproduction.Run(plan)) {
    fmt::print("Interrupted; the same command goes on.\n");
    throw CLI::RuntimeError(1);
  }
  const experiment::Results results = reproduction.Analyse();
  const auto claims = experiment::JudgeClaims(results);
  const fs::path out = arguments.out;
  WriteFileAtomically(out / "results.json", experiment::FormatResults(results));
  WriteFileAtomically(out / "claims.json", experiment::FormatClaims(claims));
  PrintClaims(claims);
  fmt::print("\n{} took {}. Written: {} and {}\n", arguments.out,
             ClockTime(watch.Seconds()), (out / "results.json").string(),
             (out / "claims.json").string());
  for (const auto& one : results.experiments) {
    if (one.missing == 0) continue;
    fmt::print("{}: {} runs are missing, so what is said of it may change\n",
               one.name, one.missing);
  }
  if (reproduction.Failures() > 0) throw CLI::RuntimeError(1);
}

}  // namespace

void AddReproduceCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run the experiments of the paper and judge its claims");
  auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option("--out", arguments->out, "folder for all that comes out")
      ->type_name("DIR");
  command
      ->add_option(
          "--only", arguments->only,
          "some of the experiments, commas between [all but two parts]")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option(
          "--seeds", arguments->seeds,
          "model seeds 1 ... N at every point, and N of whatever varies "
          "at best points [as in the paper: 1 in scans, else 10]")
      ->check(CLI::Range(Index{1}, Index{1000}))
      ->type_name("N");
  command
      ->add_option("--data-dir", arguments->data_dir,
                   "folder of MNIST's files [data/mnist]")
      ->type_name("DIR");
  command
      ->add_option("--results", arguments->results,
                   "run nothing: judge the claims by this results.json")
      ->type_name("FILE")
      ->excludes("--out", "--only", "--seeds", "--data-dir");
  command->add_flag("--markdown", arguments->markdown,
                    "with --results: all tables, as Markdown");
  AddScanControls(*command, arguments->controls);
  command->footer(kReproduceFooter);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace sven::cli
