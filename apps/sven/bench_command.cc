// SPDX-License-Identifier: MIT
//
// sven bench: time and memory of the optimizers' steps, side by side. The runs
// of a case take turns in short slices, so that a slow moment of the machine
// meets all of them; the median slice counts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench_cases.h"
#include "child_process.h"
#include "commands.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/product.h"
#include "terminal.h"

namespace sven::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> cases;
  std::vector<std::string> optimizers = {"sven"};
  int threads = 1;
  int slices = 15;
  double slice_seconds = 0.05;
  bool json = false;
  std::string memory_of;  // internal: print the peak memory of one optimizer
};

struct Measurement {
  double microseconds = 0;  // per step
  core::PhaseSeconds phases;
  std::int64_t peak_bytes = 0;
};

struct CaseResult {
  const BenchCase* bench_case = nullptr;
  Index parameters = 0;
  std::map<std::string, Measurement> of;
};

void Scale(double factor, core::PhaseSeconds& phases) {
  for (double* value : {&phases.forward, &phases.backward, &phases.gram,
                        &phases.weights, &phases.pull_back, &phases.apply}) {
    *value *= factor;
  }
}

// SGD, which the ratios are to, then those that are asked for.
std::vector<std::string> BenchOptimizers(const BenchArguments& arguments) {
  std::vector<std::string> names = {"sgd"};
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const std::string& name : arguments.optimizers) {
    if (name != "all") {
      add(optim::ChooseOptimizer("--optimizer", name).Info().name);
      continue;
    }
    for (const auto& info : optim::AllOptimizers()) add(info.name);
  }
  return names;
}

// Steps that a method rejects take their time too.
void RequireFinite(const StepReport& report, const BenchCase& bench_case,
                   const std::string& optimizer) {
  if (report.Applied() || report.status == StepStatus::kRejected) return;
  throw Error(fmt::format("case {}, optimizer {}: status {}", bench_case.name,
                          optimizer, Name(report.status)));
}

// One slice: steps for about `seconds`; microseconds per step.
double TimeSlice(BenchRun& run, double seconds, core::PhaseSeconds& phases,
                 Index& steps) {
  const Stopwatch stopwatch;
  Index count = 0;
  do {
    phases += run.Step().seconds;
    ++count;
  } while (stopwatch.Seconds() < seconds);
  steps += count;
  return stopwatch.Seconds() / static_cast<double>(count) * 1e6;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void ShowProgress(const BenchCase& bench_case, int slice, int slices) {
  if (isatty(STDERR_FILENO) == 0) return;
  PrintError("\r{:<12} {:3d} %", bench_case.name, 100 * (slice + 1) / slices);
  if (slice + 1 == slices) PrintError("\r{:20}\r", "");
}

void MeasureTime(const BenchCase& bench_case, const BenchArguments& arguments,
                 CaseResult& result) {
  const std::vector<std::string> names = BenchOptimizers(arguments);
  std::vector<std::unique_ptr<BenchRun>> runs;
  for (const std::string& name : names) {
    runs.push_back(StartBenchRun(bench_case, name));
    for (int i = 0; i < 3; ++i) {
      RequireFinite(runs.back()->Step(), bench_case, name);
    }
  }
  result.parameters = runs.front()->NumParameters();
  std::vector<std::vector<double>> slices(names.size());
  std::vector<Index> steps(names.size(), 0);
  for (int slice = 0; slice < arguments.slices; ++slice) {
    ShowProgress(bench_case, slice, arguments.slices);
    for (std::size_t i = 0; i < names.size(); ++i) {
      slices[i].push_back(TimeSlice(*runs[i], arguments.slice_seconds,
                                    result.of[names[i]].phases, steps[i]));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    Measurement& measurement = result.of[names[i]];
    measurement.microseconds = Median(slices[i]);
    Scale(1 / static_cast<double>(steps[i]), measurement.phases);
  }
}

void MeasureMemory(const BenchCase& bench_case, const BenchArguments& arguments,
                   CaseResult& result) {
  for (const std::string& name : BenchOptimizers(arguments)) {
    const std::string text =
        RunSelf({"bench", "--case", bench_case.name, "--memory-of", name,
                 "--threads", std::to_string(arguments.threads)});
    std::int64_t bytes = 0;
    const auto [stop, status] =
        std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (status != std::errc{}) {
      throw Error(
          fmt::format("a measuring process printed '{}' instead of a "
                      "number of bytes",
                      text));
    }
    result.of[name].peak_bytes = bytes;
  }
}

// The child's part: a few steps of one optimizer, then its peak memory.
void PrintPeakMemory(const BenchCase& bench_case,
                     const std::string& optimizer) {
  const auto run = StartBenchRun(bench_case, optimizer);
  for (int i = 0; i < 3; ++i) {
    RequireFinite(run->Step(), bench_case, optimizer);
  }
  fmt::print("{}\n", PeakMemory());
}

std::vector<std::pair<const char*, double>> PhaseList(
    const core::PhaseSeconds& phases) {
  return {{"forward", phases.forward},     {"backward", phases.backward},
          {"gram", phases.gram},           {"weights", phases.weights},
          {"pull_back", phases.pull_back}, {"apply", phases.apply}};
}

nlohmann::ordered_json ToJson(const CaseResult& result) {
  nlohmann::ordered_json json;
  const BenchCase& bench_case = *result.bench_case;
  json["name"] = bench_case.name;
  json["dtype"] = bench_case.dtype;
  json["widths"] = bench_case.widths;
  json["batch"] = bench_case.batch;
  json["k"] = bench_case.k;
  json["rtol"] = bench_case.rtol;
  json["parameters"] = result.parameters;
  const double sgd = result.of.at("sgd").microseconds;
  for (const auto& [name, measurement] : result.of) {
    json["us_per_step"][name] = measurement.microseconds;
    json["ratio_to_sgd"][name] = measurement.microseconds / sgd;
    json["peak_bytes"][name] = measurement.peak_bytes;
    for (const auto& [phase, seconds] : PhaseList(measurement.phases)) {
      json["us_per_phase"][name][phase] = seconds * 1e6;
    }
  }
  return json;
}

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void PrintJson(const std::vector<CaseResult>& results, int threads) {
  nlohmann::ordered_json json;
  json["version"] = SVEN_VERSION;
  json["cpu"] = CpuName();
  json["threads"] = threads;
  json["cases"] = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) {
    json["cases"].push_back(ToJson(result));
  }
  fmt::print("{}\n", json.dump(2));
}

void PrintTable(const std::vector<std::string>& optimizers,
                const std::vector<CaseResult>& results) {
  fmt::print("{:<11} {:>5} {:>5} {:>9}  {:<19} {:>10} {:>6} {:>8}", "case",
             "dtype", "batch", "params", "optimizer", "us/step", "x SGD",
             "peak MB");
  for (const auto& [phase, seconds] : PhaseList({})) {
    fmt::print(" {:>9}", phase);
  }
  fmt::print("\n");
  for (const CaseResult& result : results) {
    const double sgd = result.of.at("sgd").microseconds;
    for (const std::string& name : optimizers) {
      const Measurement& m = result.of.at(name);
      fmt::print("{:<11} {:>5} {:>5} {:>9}  {:<19} {:>10.1f} {:>6.2f} {:>8.1f}",
                 result.bench_case->name, result.bench_case->dtype,
                 result.bench_case->batch, result.parameters, name,
                 m.microseconds, m.microseconds / sgd,
                 static_cast<double>(m.peak_bytes) / 1e6);
      for (const auto& [phase, seconds] : PhaseList(m.phases)) {
        fmt::print(" {:>9.1f}", seconds * 1e6);
      }
      fmt::print("\n");
    }
  }
}

std::vector<const BenchCase*> ChosenCases(const BenchArguments& arguments) {
  std::vector<const BenchCase*> chosen;
  for (const BenchCase& bench_case : BenchCases()) {
    if (arguments.cases.empty() ||
        std::ranges::find(arguments.cases, bench_case.name) !=
            arguments.cases.end()) {
      chosen.push_back(&bench_case);
    }
  }
  return chosen;
}

void RunBench(const BenchArguments& arguments) {
  linalg::SetThreads(arguments.threads);
  const std::vector<const BenchCase*> cases = ChosenCases(arguments);
  BenchOptimizers(arguments);  // names a misspelt one before any work
  if (!arguments.memory_of.empty()) {
    PrintPeakMemory(*cases.front(), arguments.memory_of);
    return;
  }
  std::vector<CaseResult> results;
  for (const BenchCase* bench_case : cases) {
    CaseResult& result = results.emplace_back();
    result.bench_case = bench_case;
    MeasureTime(*bench_case, arguments, result);
    MeasureMemory(*bench_case, arguments, result);
  }
  if (arguments.json) {
    PrintJson(results, arguments.threads);
  } else {
    PrintTable(BenchOptimizers(arguments), results);
  }
}

}  // namespace

void AddBenchCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure time and memory of the optimizers' steps");
  auto arguments = std::make_shared<BenchArguments>();
  std::vector<std::string> names;
  for (const BenchCase& bench_case : BenchCases()) {
    names.emplace_back(bench_case.name);
  }
  command
      ->add_option("--case", arguments->cases,
                   "only these: " + fmt::format("{}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
  command->add_option("--threads", arguments->threads, "for large products [1]")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--slices", arguments->slices,
                   "time slices per optimizer; the median counts [15]")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command
      ->add_option("--slice-seconds", arguments->slice_seconds,
                   "length of a slice, at least one step [0.05]")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("S");
  command->add_flag("--json", arguments->json, "print JSON instead of a table");
  command
      ->add_option("--optimizer", arguments->optimizers,
                   "which, beside sgd: names of sven list optimizers, or all "
                   "[sven]")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_option("--memory-of", arguments->memory_of)->group("");
  command->footer(
      "Phases are in microseconds per step: gram is the Gram matrix, weights "
      "what turns\nit into the step's weights, pull_back the gradient product. "
      "Peak memory is that\nof a process of its own per optimizer.");
  command->callback([arguments] { RunBench(*arguments); });
}

}  // namespace sven::cli
