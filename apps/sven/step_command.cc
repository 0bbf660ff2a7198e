// SPDX-License-Identifier: MIT
//
// sven step: replays optimizer steps on a model and batch from another program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "step_case.h"
#include "sven/base/text.h"

namespace sven::cli {
namespace {

constexpr const char* kFooter =
    R"(CASE holds the parameters under PyTorch's names (0.weight, 0.bias, 2.weight,
...), the batch x and y, optionally a mask (one entry per parameter, in the
order of the file's tensors), and settings in its metadata under the names of
the options with _ for -. Options override the metadata.

OUT gets the parameters after the steps under the same names; of the last step
update (at learning rate 1), sigma (singular values, before the rtol cut) and
losses (before the step); in its metadata kept, road and status. For sgd losses
has one entry per step and there is no sigma.

Example:
  sven step case.safetensors --out after.safetensors --k 16 --rtol 1e-3)";

struct StepArguments {
  std::string input;
  std::string output;
  std::map<std::string, std::string> flags;  // field name -> text
};

// The results of a run that are written beside the parameters.
template <class T>
struct StepResults {
  std::vector<T> update;  // at learning rate 1, in the file's order
  std::vector<double> sigma;
  std::vector<double> losses;
  StepReport report;                    // of the last step
  StepStatus status = StepStatus::kOk;  // the first that was not ok
};

template <class T>
std::vector<T> AtUnitRate(const data::Model<T>& model,
                          std::span<const T> update, double rate) {
  std::vector<T> result = data::ToFileOrder<T, T>(model, update);
  for (T& value : result) value = static_cast<T>(value / rate);
  return result;
}

template <class T>
StepResults<T> RunSven(const CaseSettings& settings, const CaseData<T>& data,
                       const nn::Loss& loss, data::Model<T>& model) {
  optim::SvenOptions options = settings.sven;
  options.spectrum = true;
  optim::Sven<T> optimizer(options);
  nn::ParameterSelection selection;
  if (!data.mask.empty()) {
    selection.SelectMask(model.net.Layers(), data.mask);
  }
  StepResults<T> results;
  for (Index i = 0; i < settings.step.steps; ++i) {
    results.report =
        data.mask.empty()
            ? optimizer.Step(model.net, loss, data.batch.All())
            : optimizer.Step(model.net, loss, data.batch.All(), selection);
    if (results.status == StepStatus::kOk) {
      results.status = results.report.status;
    }
    // Without anything random the next step would fail alike.
    if (!results.report.Applied() &&
        options.parameter_batch == optim::ParameterBatch::kAll) {
      break;
    }
  }
  results.update =
      AtUnitRate<T>(model, optimizer.Update(), options.learning_rate);
  results.losses.assign(optimizer.Losses().begin(), optimizer.Losses().end());
  results.sigma = results.report.singular_values;
  const auto k = options.truncation.k;
  if (k && std::ssize(results.sigma) > *k) {
    results.sigma.resize(static_cast<std::size_t>(*k));
  }
  return results;
}

template <class T>
StepResults<T> RunSgd(const CaseSettings& settings, const CaseData<T>& data,
                      const nn::Loss& loss, data::Model<T>& model) {
  optim::Sgd<T> optimizer(settings.sgd);
  StepResults<T> results;
  for (Index i = 0; i < settings.step.steps; ++i) {
    results.report = optimizer.Step(model.net, loss, data.batch.All());
    results.losses.push_back(results.report.loss);
    results.status = results.report.status;
    if (!results.report.Applied()) break;  // the next step would fail alike
  }
  results.update =
      AtUnitRate<T>(model, optimizer.Update(), settings.sgd.learning_rate);
  return results;
}

template <class Options>
void EchoFields(const Options& options,
                std::map<std::string, std::string>& metadata) {
  Options::VisitFields(options, [&](const Field& field, const auto& value) {
    metadata[std::string(field.name)] = FormatValue(value);
  });
}

template <class T>
data::SafetensorsFile MakeOutput(const CaseSettings& settings,
                                 const data::Model<T>& model,
                                 const StepResults<T>& results) {
  data::SafetensorsFile file;
  data::AppendModel<T>(model, file);
  const auto add = [&]<class V>(const char* name,
                                const std::vector<V>& values) {
    file.tensors.emplace_back(
        name, data::Tensor::From<V>(values, {std::ssize(values)}));
  };
  add("update", results.update);
  if (settings.step.optimizer == OptimizerKind::kSven) {
    add("sigma", results.sigma);
  }
  add("losses", results.losses);

  EchoFields(settings.step, file.metadata);
  if (settings.step.optimizer == OptimizerKind::kSven) {
    EchoFields(settings.sven, file.metadata);
    file.metadata["kept"] = std::to_string(results.report.kept);
    file.metadata["road"] = Name(*results.report.road);
  } else {
    EchoFields(settings.sgd, file.metadata);
  }
  file.metadata["status"] = Name(results.status);
  return file;
}

template <class T>
void RunCase(const StepArguments& arguments, const CaseSettings& settings,
             const data::SafetensorsFile& file) {
  const std::string& source = arguments.input;
  data::Model<T> model =
      data::ReadModel<T>(file, settings.step.activation, source);
  const nn::Loss loss(settings.step.loss, settings.step.huber_delta);
  const CaseData<T> data = ReadCaseData<T>(file, source, model, loss);
  const bool sven = settings.step.optimizer == OptimizerKind::kSven;
  if (!data.mask.empty() &&
      (!sven || settings.sven.parameter_batch != optim::ParameterBatch::kAll)) {
    throw DataError(fmt::format(
        "{}: tensor 'mask' chooses the parameters; it goes with the optimizer "
        "sven and parameter_batch all only",
        source));
  }
  const StepResults<T> results = sven ? RunSven<T>(settings, data, loss, model)
                                      : RunSgd<T>(settings, data, loss, model);
  data::WriteSafetensors(arguments.output,
                         MakeOutput<T>(settings, model, results));
  if (results.status != StepStatus::kOk) {
    fmt::print(stderr,
               "sven: a step was not applied (status {}); {} has the "
               "parameters without it\n",
               Name(results.status), arguments.output);
  }
  fmt::print("{} step{}, loss {:.6g}, status {}", settings.step.steps,
             settings.step.steps == 1 ? "" : "s", results.report.loss,
             Name(results.status));
  if (sven) {
    fmt::print(", kept {} singular values, road {}", results.report.kept,
               Name(*results.report.road));
  }
  fmt::print(" -> {}\n", arguments.output);
}

void CheckOutput(const StepArguments& arguments) {
  if (arguments.output.empty()) {
    throw UsageError("--out = '': expected the name of a file");
  }
  std::error_code none;
  if (std::filesystem::equivalent(arguments.input, arguments.output, none)) {
    throw UsageError(fmt::format(
        "--out = {}: that is the case itself, and writing would destroy it; "
        "choose another file",
        arguments.output));
  }
}

// What the case holds and the step does not use: perhaps misspelt.
void WarnOfIgnored(const StepArguments& arguments,
                   const data::SafetensorsFile& file,
                   const std::vector<std::string>& metadata,
                   OptimizerKind optimizer) {
  for (const std::string& name : metadata) {
    fmt::print(stderr,
               "sven: {}: metadata {} is not a setting of the optimizer {}: "
               "ignored\n",
               arguments.input, Quote(name), Name(optimizer));
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (name == "x" || name == "y" || name == "mask" ||
        name.starts_with("expect.") || data::IsParameterName(name)) {
      continue;
    }
    fmt::print(stderr, "sven: {}: tensor {} is not part of a case: ignored\n",
               arguments.input, Quote(name));
  }
}

void RunStep(const StepArguments& arguments) {
  CheckOutput(arguments);
  const data::SafetensorsFile file = data::ReadSafetensors(arguments.input);
  std::vector<std::string> ignored;
  const CaseSettings settings =
      ReadSettings(file, arguments.input, arguments.flags, ignored);
  WarnOfIgnored(arguments, file, ignored, settings.step.optimizer);
  const auto is_double = [](const auto& entry) {
    return entry.first.ends_with(".weight") &&
           entry.second.dtype == data::DType::kF64;
  };
  const NumberType dtype = settings.step.dtype.value_or(
      std::ranges::any_of(file.tensors, is_double) ? NumberType::kFloat64
                                                   : NumberType::kFloat32);
  if (dtype == NumberType::kFloat64) {
    RunCase<double>(arguments, settings, file);
  } else {
    RunCase<float>(arguments, settings, file);
  }
}

struct FieldOption {
  FieldDescription field;
  std::string group;
  std::string defaults;
};

// Adds the fields to the list; a name that two structs share is one option with
// two defaults.
template <class Options>
void Collect(const std::string& group, const std::string& optimizer,
             std::vector<FieldOption>& list) {
  for (const FieldDescription& field : DescribeFields<Options>()) {
    // The spectrum is always written.
    if (field.name == "spectrum") continue;
    const auto known = std::ranges::find_if(
        list, [&](const FieldOption& o) { return o.field.name == field.name; });
    if (known == list.end()) {
      list.push_back({field, group, field.default_value});
    } else {
      known->group = "Sven and SGD";
      known->defaults +=
          fmt::format("; {}: {}", optimizer, field.default_value);
    }
  }
}

void AddFieldOptions(CLI::App& command, StepArguments& arguments) {
  std::vector<FieldOption> options;
  Collect<StepSettings>("Case", "", options);
  Collect<optim::SvenOptions>("Sven", "sven", options);
  Collect<optim::SgdOptions>("SGD", "sgd", options);
  for (const FieldOption& option : options) {
    std::string help = option.field.doc;
    if (!option.field.range.empty()) help += ": " + option.field.range;
    help += " [" + option.defaults + "]";
    const bool is_switch = option.field.default_value == "false";
    command
        .add_option_function<std::string>(
            FlagName(option.field.name),
            [&arguments, name = option.field.name](const std::string& text) {
              arguments.flags[name] = text.empty() ? "true" : text;
            },
            help)
        ->expected(is_switch ? 0 : 1, 1)
        ->type_name("")
        ->group(option.group);
  }
}

}  // namespace

void AddStepCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "step", "Replay optimizer steps on a model and batch from a file");
  auto arguments = std::make_shared<StepArguments>();
  command->add_option("CASE", arguments->input, "the case, safetensors")
      ->required()
      ->type_name("");
  command->add_option("--out", arguments->output, "where the results go")
      ->required()
      ->type_name("FILE");
  AddFieldOptions(*command, *arguments);
  command->footer(kFooter);
  command->callback([arguments] { RunStep(*arguments); });
}

}  // namespace sven::cli
