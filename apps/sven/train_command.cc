// SPDX-License-Identifier: MIT
//
// sven train: from data to a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "live_server.h"
#include "optimizer_flags.h"
#include "progress.h"
#include "sven/base/atomic_file.h"
#include "sven/experiment/run.h"
#include "terminal.h"
#include "train_folder.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using experiment::RunConfig;
using experiment::RunResult;

constexpr const char* kTrainFooter =
    R"(Examples:
  sven train --task toy1d                        the paper's 1-D task with Sven
  sven train --data houses.csv --target price    a table of your own
  sven train --data iris.csv --target species --optimizer sven,adam --epochs 50
  sven train --task toy1d --optimizer sven,adam --set adam.lr=0.01 --out runs/a
  sven train --config run.toml --seed 2          settings from a file
  sven train --resume runs/a                     go on after an interruption
  sven train --task toy1d --epochs 500 --live    with a page that follows it

The folder gets model.safetensors (loads in PyTorch as it is), run.jsonl (one
record per epoch), config.toml and a checkpoint. Several optimizers start from
the same weights, see the same batches, and get a folder each inside it.

A configuration file has a line per setting, named like the options with _ for -,
and a table per optimizer for what is its own:
  task = "toy1d"
  hidden = [16, 16, 16]
  optimizer = ["sven", "adam"]
  [adam]
  lr = 0.01

Ctrl-C ends the training after the step it is at, saves, and says how to go on.
Exit code: 0 done, 1 interrupted, diverged or failed, 2 wrong usage.)";

struct TrainArguments {
  std::string config;
  std::string out;
  std::string resume;
  std::vector<std::string> set;
  bool overwrite = false;
  bool quiet = false;
  std::optional<int> live;  // a port; 0 for the usual one, or another
  FlagTexts flags;
};

// "adam.lr=0.01"
void SetOne(const std::string& text, RunConfig& config) {
  const std::size_t equals = text.find('=');
  const std::size_t dot = text.substr(0, equals).find('.');
  if (equals == std::string::npos || dot == std::string::npos) {
    throw UsageError(fmt::format(
        "--set {}: expected OPTIMIZER.SETTING=VALUE, such as adam.lr=0.01",
        text));
  }
  std::string name = text.substr(dot + 1, equals - dot - 1);
  std::ranges::replace(name, '-', '_');
  config.SetFor("--set " + text.substr(0, equals), text.substr(0, dot), name,
                text.substr(equals + 1));
}

// What may be said anew when a run goes on.
void CheckResumeFlags(const TrainArguments& arguments) {
  constexpr std::string_view kAllowed[] = {"epochs",      "patience",
                                           "target_loss", "time_limit",
                                           "threads",     "checkpoint_every"};
  std::string other;
  for (const auto& [name, text] : arguments.flags) {
    if (std::ranges::find(kAllowed, name) == std::end(kAllowed)) {
      other = FlagName(name);
    }
  }
  if (!arguments.set.empty()) other = "--set";
  if (!arguments.config.empty()) other = "--config";
  if (!arguments.out.empty()) other = "--out";
  if (arguments.overwrite) other = "--overwrite";
  if (other.empty()) return;
  throw UsageError(fmt::format(
      "{} with --resume: a run goes on in its folder, with its own settings; "
      "only --epochs, --patience, --target-loss, --time-limit, --threads and "
      "--checkpoint-every can be given anew",
      other));
}

RunConfig MakeConfig(const TrainArguments& arguments) {
  RunConfig config;
  if (arguments.live && arguments.out == "none") {
    throw UsageError("--live with --out none: it shows what is in the folder");
  }
  if (!arguments.resume.empty()) {
    CheckResumeFlags(arguments);
    const fs::path path = fs::path(arguments.resume) / experiment::kConfigFile;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      throw DataError(fmt::format(
          "{}: no run to go on with: there is no {}; --resume takes the folder "
          "that --out named",
          arguments.resume, path.string()));
    }
    experiment::ReadConfig(path, config);
  }
  if (!arguments.config.empty()) {
    experiment::ReadConfig(arguments.config, config);
  }
  for (const auto& [name, text] : arguments.flags) {
    config.Set(FlagName(name), name, text);
  }
  for (const std::string& text : arguments.set) {
    SetOne(text, config);
    const std::string optimizer = text.substr(0, text.find('.'));
    if (std::ranges::count(config.Optimizers(), optimizer) == 0) {
      throw UsageError(
          fmt::format("--set {}: {} is not among the optimizers {}", text,
                      optimizer, fmt::join(config.Optimizers(), ",")));
    }
  }
  config.Validate();
  return config;
}

// ---- What is said at the end ----

std::string LossText(double loss) { return fmt::format("{:.4g}", loss); }

std::string Percent(const train::Metrics& metrics) {
  return metrics.accuracy ? fmt::format("{:.2f} %", 100 * *metrics.accuracy)
                          : "";
}

void PrintTable(const std::vector<RunResult>& results) {
  const bool accuracy =
      std::ranges::any_of(results, [](const RunResult& result) {
        return result.summary.final_validation.accuracy.has_value();
      });
  std::vector<std::string> head = {"optimizer", "train loss", "val loss",
                                   "best val"};
  if (accuracy) head.insert(head.end(), {"train acc.", "val acc."});
  head.insert(head.end(), {"epochs", "steps", "time", "per step", "status"});
  std::vector<std::vector<std::string>> rows = {head};
  for (const RunResult& result : results) {
    const train::RunSummary& summary = result.summary;
    std::vector<std::string> row = {result.optimizer,
                                    LossText(summary.final_train.loss),
                                    LossText(summary.final_validation.loss),
                                    LossText(summary.best_validation_loss)};
    if (accuracy) {
      row.push_back(Percent(summary.final_train));
      row.push_back(Percent(summary.final_validation));
    }
    const double per_step =
        summary.train_seconds /
        static_cast<double>(std::max<Index>(summary.steps, 1));
    row.push_back(std::to_string(summary.epochs));
    row.push_back(std::to_string(summary.steps));
    row.push_back(fmt::format("{:.2f} s", summary.total_seconds));
    row.push_back(per_step < 1e-3 ? fmt::format("{:.0f} us", 1e6 * per_step)
                                  : fmt::format("{:.2f} ms", 1e3 * per_step));
    row.emplace_back(Name(summary.status));
    rows.push_back(std::move(row));
  }
  fmt::print("{}", AlignedTable(rows));
}

// The options that say which data a model is for.
std::string DataOptions(const RunConfig& config) {
  if (config.Data().task.empty()) return "--data FILE";
  std::string text = "--task " + config.Data().task;
  for (const FieldDescription& field : DescribeFields<data::TaskSettings>()) {
    if (!config.IsGiven(field.name)) continue;
    text += fmt::format(" {} {}", FlagName(field.name),
                        ShellWord(config.GivenText(field.name)));
  }
  return text;
}

// The run whose saved weights have the lowest validation loss; none if all
// diverged.
const RunResult* BestResult(const RunConfig& config,
                            const std::vector<RunResult>& results) {
  const bool keeps_best = config.Training().keep == train::Keep::kBest;
  const auto loss = [&](const RunResult& result) {
    return keeps_best ? result.summary.best_validation_loss
                      : result.summary.final_validation.loss;
  };
  const RunResult* best = nullptr;
  for (const RunResult& result : results) {
    if (result.summary.status == train::RunStatus::kDiverged) continue;
    if (best == nullptr || loss(result) < loss(*best)) best = &result;
  }
  return best;
}

void PrintRounding(const RunConfig& config,
                   const std::vector<RunResult>& results) {
  for (const RunResult& result : results) {
    const Index since = result.summary.rounding_since_epoch;
    if (since == 0) continue;
    const bool single = config.Model().dtype == NumberType::kFloat32;
    fmt::print(
        "\n{}: nothing but rounding was left to gain after epoch {}{}{}.\n",
        result.optimizer, since, single ? "; --dtype f64 goes further" : "",
        result.summary.status == train::RunStatus::kRounding
            ? ""
            : "; --stop-at-rounding saves the rest");
  }
}

bool WasInterrupted(const RunResult& result) {
  return result.summary.status == train::RunStatus::kInterrupted;
}

void PrintWhatNext(const TrainFolder& folder, const RunConfig& config,
                   const std::vector<RunResult>& results) {
  PrintRounding(config, results);
  if (!folder.Path()) {
    fmt::print("\nNothing was saved (--out none).\n");
    return;
  }
  const std::string path = ShellWord(folder.Path()->string());
  if (WasInterrupted(results.back())) {
    fmt::print(
        "\nInterrupted at step {}; everything is saved. Go on with\n"
        "  sven train --resume {}\n",
        results.back().summary.steps, path);
    return;
  }
  for (const RunResult& result : results) {
    if (result.summary.status != train::RunStatus::kDiverged) continue;
    fmt::print(
        "\n{} diverged at step {}: NaN or infinity; a smaller --lr or "
        "another setting may help.\n",
        result.optimizer, result.summary.diverged_at_step);
  }
  const RunResult* best = BestResult(config, results);
  if (best == nullptr) return;
  fmt::print("\nSaved in {}. Use the model with\n  sven predict {} {}\n", path,
             ShellWord(best->folder->string()), DataOptions(config));
}

// ---- The training ----

// The page that is to follow the training, if it is asked for.
std::unique_ptr<LiveServer> TakePort(const TrainArguments& arguments) {
  if (!arguments.live) return nullptr;
  const bool chosen = *arguments.live > 0;
  return std::make_unique<LiveServer>(
      LiveServerOptions{.host = kLoopback,
                        .port = chosen ? *arguments.live : kUsualPort,
                        .other_port = !chosen,
                        .free_port_option = "--live without a port"});
}

template <class T>
std::vector<RunResult> TrainAll(const TrainArguments& arguments,
                                const RunConfig& config,
                                const experiment::RunData<T>& data,
                                const TrainFolder& folder) {
  std::size_t width = 0;
  for (const auto& name : config.Optimizers()) {
    width = std::max(width, name.size());
  }
  CatchInterrupts();
  std::vector<RunResult> results;
  for (const std::string& name : config.Optimizers()) {
    ProgressDisplay display(fmt::format("{:<{}}", name, width),
                            arguments.quiet);
    train::TrainObserver* observers[] = {&display};
    results.push_back(experiment::RunTraining<T>(
        config, data,
        {.optimizer = name,
         .folder = folder.Of(name),
         .resume = !arguments.resume.empty(),
         .command = CommandLine(),
         .observers = observers,
         .warn = [&](const std::string& message) {
           display.Clear();
           PrintError("sven: {}; the training goes on\n", message);
         }}));
    if (results.back().summary.status == train::RunStatus::kInterrupted) break;
  }
  return results;
}

template <class T>
int Train(const TrainArguments& arguments, const RunConfig& config) {
  // What cannot be done leaves nothing behind, and destroys nothing.
  TrainFolder folder({.out = arguments.out,
                      .resume = arguments.resume,
                      .overwrite = arguments.overwrite},
                     config);
  const experiment::RunData<T> data = experiment::LoadRunData<T>(config);
  for (const std::string& name : config.Optimizers()) {
    experiment::CheckRun<T>(config, data,
                            {.optimizer = name,
                             .folder = folder.Of(name),
                             .resume = !arguments.resume.empty()});
  }
  const auto live = TakePort(arguments);
  folder.Open(config);
  if (live) {
    live->Follow({*folder.Path()});
    PrintError("Live at {}\n", live->Address());
  }
  const auto results = TrainAll<T>(arguments, config, data, folder);
  const bool all_done = results.size() == config.Optimizers().size();
  if (all_done) folder.RemoveOldModels();
  PrintTable(results);
  PrintWhatNext(folder, config, results);
  static_cast<void>(std::fflush(stdout));
  if (live) live->ShowEnd();
  const bool any_good =
      std::ranges::any_of(results, [](const RunResult& result) {
        return result.summary.status != train::RunStatus::kDiverged &&
               !WasInterrupted(result);
      });
  return all_done && any_good && !WasInterrupted(results.back()) ? 0 : 1;
}

void RunTrain(const TrainArguments& arguments) {
  const RunConfig config = MakeConfig(arguments);
  const int code = config.Model().dtype == NumberType::kFloat64
                       ? Train<double>(arguments, config)
                       : Train<float>(arguments, config);
  if (code != 0) throw CLI::RuntimeError(code);
}

void AddLiveOption(CLI::App& command, TrainArguments& arguments) {
  command
      .add_option_function<std::vector<std::string>>(
          "--live",
          [&arguments](const std::vector<std::string>& ports) {
            const bool given = !ports.empty() && !ports.front().empty();
            const auto port =
                internal::ParseUnsigned(given ? ports.front() : "0");
            constexpr std::uint64_t kLargestPort = 65535;
            if (!port || *port > kLargestPort) {
              throw UsageError(fmt::format(
                  "--live {}: expected a port, 0 ... 65535", ports.front()));
            }
            arguments.live = static_cast<int>(*port);
          },
          "show the training in a browser, at this port "
          "[0: 8137 or, if that is taken, a free one]")
      ->expected(0, 1)
      ->type_name("[PORT]");
}

}  // namespace

void AddTrainCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "train", "Train a network on a built-in task or on your own data");
  auto arguments = std::make_shared<TrainArguments>();
  const CLI::Validator kNotEmpty(
      [](const std::string& text) {
        return text.empty() ? "expected a name, not an empty text" : "";
      },
      "");
  command
      ->add_option("--config", arguments->config,
                   "settings from a TOML file; options override them")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      ->add_option("--out", arguments->out,
                   "folder for model and records, or none [runs/...]")
      ->check(kNotEmpty)
      ->type_name("DIR");
  command
      ->add_option("--resume", arguments->resume,
                   "go on with the run in this folder")
      ->check(kNotEmpty)
      ->type_name("DIR");
  command->add_flag("--overwrite", arguments->overwrite,
                    "replace the run that is in --out");
  command->add_flag("--quiet", arguments->quiet,
                    "no progress, only the result");
  AddLiveOption(*command, *arguments);
  command
      ->add_option_function<std::string>(
          "--optimizer",
          [arguments](const std::string& text) {
            arguments->flags["optimizer"] = text;
          },
          "one or several of sven list optimizers, commas between [sven]")
      ->type_name("NAMES");
  command
      ->add_option("--set", arguments->set,
                   "a setting of one optimizer: adam.lr=0.01; may be repeated")
      ->type_name("O.S=V")
      ->expected(1)
      ->take_all();
  for (const experiment::FieldGroup& group : RunConfig::Describe()) {
    AddFieldFlags(*command, group.fields, group.title, arguments->flags);
  }
  AddOptimizerFlags(*command, arguments->flags);
  command->footer(kTrainFooter);
  command->callback([arguments] { RunTrain(*arguments); });
}

}  // namespace sven::cli
