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
#include "sven/data/trained_model.h"
#include "terminal.h"

namespace sven::cli {
namespace {

constexpr const char* kStepFooter =
    R"(CASE holds the parameters under PyTorch's names (0.weight, 0.bias, 2.weight,
...), the batch x and y, optionally a mask (one entry per parameter, in the
order of the file's tensors), and settings in its metadata under the names of
the options with _ for -. Options override the metadata.

OUT gets the parameters after the steps under the same names; of the last step
update (at learning rate 1) and status in its metadata. For sven losses are
those of the samples before the last step, and there is sigma (singular values,
before the rtol cut), and kept and road in the metadata; for the others losses
has one entry per step. With averages (--ema, schedule_free_adamw) the weights to
evaluate with are evaluation.0.weight and so on. The tensors optimizer.* are the optimizer's state: with
--resume OUT another run starts from the parameters and the state of this one.

Example:
  sven step case.safetensors --out after.safetensors --k 16 --rtol 1e-3)";

struct StepArguments {
  std::string input;
  std::string output;
  std::string resume;  // an output of an earlier run, or empty
  FlagTexts flags;
};

// The results of a run that are written beside the parameters.
template <class T>
struct StepResults {
  data::SafetensorsFile state;  // of the optimizer
  std::vector<T> update;        // at learning rate 1, in the file's order
  std::vector<double> sigma;
  std::vector<double> losses;
  std::optional<data::Model<T>> averaged;  // what to evaluate with, if other
  Index steps = 0;                         // done
  StepReport report;                       // of the last step
  StepStatus status = StepStatus::kOk;     // the first that was not ok
};

template <class T>
std::vector<T> AtUnitRate(const data::Model<T>& model,
                          std::span<const T> update, double rate) {
  std::vector<T> result = data::ToFileOrder<T, T>(model, update);
  if (rate == 0) return result;
  for (T& value : result) value = static_cast<T>(value / rate);
  return result;
}

// What only Sven has.
template <class T>
void AddSpectrum(const optim::Sven<T>& optimizer, StepResults<T>& results) {
  results.losses.assign(optimizer.Losses().begin(), optimizer.Losses().end());
  results.sigma = results.report.singular_values;
  const auto k = optimizer.Options().truncation.k;
  if (k && std::ssize(results.sigma) > *k) {
    results.sigma.resize(static_cast<std::size_t>(*k));
  }
}

// Parameters and state as an earlier run left them.
template <class T>
void Resume(const std::string& source, const optim::OptimizerInfo& info,
            data::Model<T>& model, optim::Optimizer<T>& optimizer) {
  const data::SafetensorsFile file = data::ReadSafetensors(source);
  const auto name = file.metadata.find("optimizer");
  if (name == file.metadata.end() || name->second != info.name) {
    throw DataError(fmt::format(
        "{}: metadata 'optimizer' is {}: the state of another optimizer than "
        "{}; --resume takes what a run of the same one has written",
        source, name == file.metadata.end() ? "missing" : Quote(name->second),
        info.name));
  }
  const nn::Activation hidden = model.net.Layers().front().activation;
  const data::Model<T> left = data::ReadModel<T>(file, hidden, source);
  if (left.net.Layers() != model.net.Layers()) {
    throw DataError(fmt::format(
        "{}: its network is not that of the case; --resume takes what a run "
        "on the same case has written",
        source));
  }
  std::ranges::copy(left.net.Parameters(), model.net.Parameters().begin());
  data::RestoreOptimizerState<T>(file, source, model.net, optimizer);
}

template <class T>
StepResults<T> RunSteps(const StepArguments& arguments,
                        const CaseSettings& settings, const CaseData<T>& data,
                        const nn::Loss& loss, data::Model<T>& model) {
  const auto optimizer = settings.optimizer.Make<T>();
  if (!arguments.resume.empty()) {
    Resume<T>(arguments.resume, settings.optimizer.Info(), model, *optimizer);
  }
  auto* sven = dynamic_cast<optim::Sven<T>*>(optimizer.get());
  nn::ParameterSelection selection;
  if (!data.mask.empty()) selection.SelectMask(model.net.Layers(), data.mask);
  StepResults<T> results;
  for (Index i = 0; i < settings.step.steps; ++i) {
    const nn::Batch<T> batch = data.batch.All();
    results.report = data.mask.empty()
                         ? optimizer->Step(model.net, loss, batch)
                         : sven->Step(model.net, loss, batch, selection);
    ++results.steps;
    results.losses.push_back(results.report.loss);
    if (results.status == StepStatus::kOk) {
      results.status = results.report.status;
    }
    // NaN does not go away by itself.
    if (results.report.status == StepStatus::kNonFiniteResidual) break;
  }
  results.update =
      AtUnitRate<T>(model, optimizer->Update(), results.report.learning_rate);
  if (sven != nullptr) AddSpectrum<T>(*sven, results);
  data::AppendOptimizerState<T>(*optimizer, results.state);
  const std::span<const T> evaluated =
      optimizer->EvaluationParameters(model.net);
  if (evaluated.data() != model.net.Parameters().data()) {
    results.averaged = model;
    std::ranges::copy(evaluated, results.averaged->net.Parameters().begin());
  }
  return results;
}

// Whether a mask can be had: Sven that draws no parameters itself.
bool TakesMask(const optim::OptimizerChoice& optimizer) {
  if (optimizer.Info().name != "sven") return false;
  const std::vector<FieldDescription> fields = optimizer.MethodFields();
  return std::ranges::any_of(fields, [](const FieldDescription& field) {
    return field.name == "parameter_batch" && field.default_value == "all";
  });
}

void Echo(const std::vector<FieldDescription>& fields,
          std::map<std::string, std::string>& metadata) {
  for (const FieldDescription& field : fields) {
    metadata[field.name] = field.default_value;
  }
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
  if (!results.sigma.empty()) add("sigma", results.sigma);
  add("losses", results.losses);
  if (results.averaged) {
    data::SafetensorsFile averaged;
    data::AppendModel<T>(*results.averaged, averaged);
    for (auto& [name, tensor] : averaged.tensors) {
      file.tensors.emplace_back("evaluation." + name, std::move(tensor));
    }
  }
  file.tensors.insert(file.tensors.end(), results.state.tensors.begin(),
                      results.state.tensors.end());

  file.metadata["optimizer"] = settings.optimizer.Info().name;
  Echo(DescribeFields(settings.step), file.metadata);
  Echo(settings.optimizer.MethodFields(), file.metadata);
  Echo(settings.optimizer.ChainFields(), file.metadata);
  if (results.report.road) {
    file.metadata["kept"] = std::to_string(results.report.kept);
    file.metadata["road"] = Name(*results.report.road);
  }
  file.metadata["steps"] = std::to_string(results.steps);
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
  if (!data.mask.empty() && !TakesMask(settings.optimizer)) {
    throw DataError(fmt::format(
        "{}: tensor 'mask' chooses the parameters; it goes with the optimizer "
        "sven and parameter_batch all only",
        source));
  }
  const StepResults<T> results =
      RunSteps<T>(arguments, settings, data, loss, model);
  data::WriteSafetensors(arguments.output,
                         MakeOutput<T>(settings, model, results));
  if (results.status != StepStatus::kOk) {
    PrintError(
        "sven: a step was not applied (status {}); {} has the "
        "parameters without it\n",
        Name(results.status), arguments.output);
  }
  fmt::print("{} step{}, loss {:.6g}, status {}", results.steps,
             results.steps == 1 ? "" : "s", results.report.loss,
             Name(results.status));
  if (results.report.road) {
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
                   std::string_view optimizer) {
  for (const std::string& name : metadata) {
    PrintError(
        "sven: {}: metadata {} is not a setting of the optimizer {}: "
        "ignored\n",
        arguments.input, Quote(name), optimizer);
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (name == "x" || name == "y" || name == "mask" ||
        name.starts_with("expect.") || data::IsParameterName(name)) {
      continue;
    }
    PrintError("sven: {}: tensor {} is not part of a case: ignored\n",
               arguments.input, Quote(name));
  }
}

void RunStep(const StepArguments& arguments) {
  CheckOutput(arguments);
  const data::SafetensorsFile file = data::ReadSafetensors(arguments.input);
  std::vector<std::string> ignored;
  CaseSettings settings = ReadSettings(file, arguments.input, arguments.flags,
                                       !arguments.resume.empty(), ignored);
  WarnOfIgnored(arguments, file, ignored, settings.optimizer.Info().name);
  // The spectrum is always written.
  settings.optimizer.Set("", "spectrum", "true");
  const NumberType dtype =
      settings.step.dtype.value_or(data::NumberTypeOf(file));
  if (dtype == NumberType::kFloat64) {
    RunCase<double>(arguments, settings, file);
  } else {
    RunCase<float>(arguments, settings, file);
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
  command
      ->add_option("--resume", arguments->resume,
                   "go on from the output of an earlier run")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--optimizer",
          [arguments](const std::string& text) {
            arguments->flags["optimizer"] = text;
          },
          "the method, one of sven list optimizers [sven]")
      ->type_name("NAME");
  AddFieldFlags(*command, DescribeFields<StepSettings>(), "Case",
                arguments->flags);
  AddOptimizerFlags(*command, arguments->flags);
  command->footer(kStepFooter);
  command->callback([arguments] { RunStep(*arguments); });
}

}  // namespace sven::cli
