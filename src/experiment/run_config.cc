// SPDX-License-Identifier: MIT
#include "sven/experiment/run_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sven/base/suggest.h"
#include "sven/base/text.h"

namespace sven::experiment {
namespace {

// Settings whose texts are paths, which a saved configuration makes absolute.
constexpr std::string_view kPaths[] = {
    "data", "val_data", "target_file", "val_target_file", "init", "data_dir"};

// The names of the fields of an options struct.
template <class Options>
void AddNames(std::set<std::string, std::less<>>& names) {
  const Options options;
  Options::VisitFields(options, [&](const Field& field, const auto&) {
    names.emplace(field.name);
  });
}

// All settings that any optimizer has.
const std::set<std::string, std::less<>>& OptimizerSettings() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> all;
    for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
      const auto choice = optim::ChooseOptimizer("", info.name);
      for (const auto& field : choice.MethodFields()) all.insert(field.name);
      for (const auto& field : choice.ChainFields()) all.insert(field.name);
    }
    return all;
  }();
  return names;
}

[[noreturn]] void ThrowUnknown(const std::string& source,
                               const std::string& name) {
  std::set<std::string, std::less<>> known = OptimizerSettings();
  for (const FieldGroup& group : RunConfig::Describe()) {
    for (const FieldDescription& field : group.fields) known.insert(field.name);
  }
  known.insert("optimizer");
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string hint = SuggestOrList(name, names);
  // The list of all would fill the screen.
  if (hint.find("did you mean") == std::string::npos) {
    hint = "; sven train --help lists all settings";
  }
  throw UsageError(
      fmt::format("{}: {} is not a setting{}", source, Quote(name), hint));
}

template <class Options>
void AddEcho(const Options& options, std::map<std::string, std::string>& echo) {
  for (const FieldDescription& field : DescribeFields(options)) {
    echo[field.name] = field.default_value;
  }
}

// Throws if one of the settings of `Options` was given, which is none of this
// kind of data.
template <class Options>
void RefuseGiven(const RunConfig& config, std::string_view why) {
  std::set<std::string, std::less<>> names;
  AddNames<Options>(names);
  for (const std::string& name : names) {
    if (!config.IsGiven(name)) continue;
    throw UsageError(fmt::format("{} {}", Quote(name), why));
  }
}

}  // namespace

std::string Widths::ToText() const {
  return widths.empty() ? "linear" : fmt::format("{}", fmt::join(widths, ","));
}

Widths Widths::FromText(std::string_view source, std::string_view text) {
  Widths result;
  if (text == "linear") return result;
  for (const std::string& entry : internal::SplitList(text)) {
    const auto width = internal::ParseInteger(entry);
    if (!width || *width < 1 || *width > 1'000'000) {
      internal::ThrowBadText(source, text,
                             "widths of hidden layers such as 16,16,16, each "
                             "from 1 to 1000000, or linear");
    }
    result.widths.push_back(*width);
  }
  if (result.widths.empty()) {
    internal::ThrowBadText(source, text, "widths such as 16,16,16, or linear");
  }
  return result;
}

bool RunConfig::SetRunField(const std::string& source, const std::string& name,
                            const std::string& text) {
  return SetField(source, name, text, data_) ||
         SetField(source, name, text, task_) ||
         SetField(source, name, text, file_) ||
         SetField(source, name, text, model_) ||
         SetField(source, name, text, training_) ||
         SetField(source, name, text, execution_);
}

void RunConfig::SetOptimizers(const std::string& source,
                              const std::string& text) {
  std::vector<std::string> names = internal::SplitList(text);
  if (names.empty()) {
    internal::ThrowBadText(source, text, "one of sven list optimizers");
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    static_cast<void>(optim::ChooseOptimizer(source, *name));
    if (std::find(names.begin(), name, *name) != name) {
      throw UsageError(
          fmt::format("{} = {}: {} is named twice", source, text, *name));
    }
  }
  optimizers_ = std::move(names);
}

void RunConfig::Set(const std::string& source, const std::string& name,
                    const std::string& text) {
  if (!IsUtf8(text)) {
    throw UsageError(
        fmt::format("{} = {}: must be UTF-8, so that it can be "
                    "written down",
                    source, Quote(text)));
  }
  if (name == "optimizer") {
    SetOptimizers(source, text);
  } else if (!SetRunField(source, name, text)) {
    if (!OptimizerSettings().contains(name)) ThrowUnknown(source, name);
    for (auto& [optimizer, texts] : given_for_) texts.erase(name);
  }
  given_[name] = {.source = source, .text = text};
}

void RunConfig::SetFor(const std::string& source, const std::string& optimizer,
                       const std::string& name, const std::string& text) {
  optim::OptimizerChoice choice = optim::ChooseOptimizer(source, optimizer);
  if (!choice.Set(source, name, text)) {
    throw UsageError(fmt::format(
        "{}: {} is not a setting of the optimizer {}; sven list optimizers {} "
        "shows those it has",
        source, Quote(name), optimizer, optimizer));
  }
  given_for_[optimizer][name] = {.source = source, .text = text};
}

void RunConfig::CheckOptimizerSettings() const {
  for (const auto& [name, given] : given_) {
    if (!OptimizerSettings().contains(name) || name == "seed") continue;
    // Named anew, since clang 14 does not capture structured bindings.
    const auto is_used = [&name = name,
                          &given = given](const std::string& optimizer) {
      return optim::ChooseOptimizer("", optimizer)
          .Set(given.source, name, given.text);
    };
    if (std::ranges::none_of(optimizers_, is_used)) {
      throw UsageError(fmt::format(
          "{} = {}: not a setting of the optimizer {}; sven list optimizers "
          "{} shows those it has",
          given.source, given.text, fmt::join(optimizers_, " or "),
          optimizers_.front()));
    }
  }
}

void RunConfig::Validate() const {
  if (data_.task.empty() == data_.data.empty()) {
    throw UsageError(
        data_.task.empty()
            ? "no data: say --task NAME (sven list tasks) or --data FILE"
            : "--task and --data: there can be only one of them");
  }
  if (data_.task.empty()) {
    RefuseGiven<data::TaskSettings>(
        *this, "is a setting of built-in tasks; it does not go with --data");
    file_.Validate();
  } else {
    static_cast<void>(data::FindTask("--task", data_.task));
    RefuseGiven<data::DatasetFileOptions>(
        *this, "is a setting of files of data; it does not go with --task");
    for (const char* name : {"val_data", "val_target_file", "validation",
                             "split_seed", "standardise"}) {
      if (!IsGiven(name)) continue;
      throw UsageError(fmt::format(
          "{} is a setting of files of data; it does not go with --task",
          Quote(name)));
    }
  }
  if (IsGiven("val_target_file") && !IsGiven("val_data")) {
    throw UsageError("--val-target-file: goes with --val-data");
  }
  if (IsGiven("split_seed") && IsGiven("val_data")) {
    throw UsageError(
        "--split-seed and --val-data: nothing is split if there is a second "
        "file");
  }
  if (IsGiven("init") && IsGiven("hidden")) {
    throw UsageError(
        "--hidden and --init: the widths are those of the file; leave out "
        "--hidden");
  }
  training_.Validate();
  CheckOptimizerSettings();
  for (const std::string& name : optimizers_) {
    optim::OptimizerChoice choice = Optimizer(name);
    choice.SetHorizon(1'000'000'000);
    choice.Validate();
  }
}

train::TrainOptions RunConfig::Training() const {
  train::TrainOptions options = training_;
  if (!data_.task.empty() && !IsGiven("batch_size")) {
    options.batch_size = data::FindTask("--task", data_.task).batch_size;
  }
  return options;
}

optim::OptimizerChoice RunConfig::Optimizer(const std::string& name) const {
  optim::OptimizerChoice choice = optim::ChooseOptimizer("--optimizer", name);
  choice.Set("--seed", "seed", FormatValue(model_.seed));
  // The curves of singular values belong to every record.
  choice.Set("", "spectrum", "true");
  for (const auto& [setting, given] : given_) {
    choice.Set(given.source, setting, given.text);
  }
  if (const auto own = given_for_.find(name); own != given_for_.end()) {
    for (const auto& [setting, given] : own->second) {
      choice.Set(given.source, setting, given.text);
    }
  }
  return choice;
}

std::map<std::string, std::string> RunConfig::Echo() const {
  std::map<std::string, std::string> echo;
  AddEcho(data_, echo);
  if (data_.task.empty()) {
    AddEcho(file_, echo);
  } else {
    AddEcho(task_, echo);
  }
  AddEcho(model_, echo);
  AddEcho(Training(), echo);
  return echo;
}

bool RunConfig::IsPath(std::string_view name) {
  return std::ranges::find(kPaths, name) != std::end(kPaths);
}

std::vector<FieldGroup> RunConfig::Describe() {
  return {{"Data", DescribeFields<DataSettings>()},
          {"Built-in tasks", DescribeFields<data::TaskSettings>()},
          {"Your own data", DescribeFields<data::DatasetFileOptions>()},
          {"Model", DescribeFields<ModelSettings>()},
          {"Training", DescribeFields<train::TrainOptions>()},
          {"Execution", DescribeFields<ExecutionSettings>()}};
}

namespace {

std::string TomlString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Bare where it is a number as TOML writes them; else a string, which says the
// same to us.
std::string TomlText(const std::string& text) {
  const auto whole = internal::ParseInteger(text);
  if (whole && std::to_string(*whole) == text) return text;
  return text == "true" || text == "false" ? text : TomlString(text);
}

std::string AbsolutePath(const std::string& name, const std::string& text) {
  return RunConfig::IsPath(name) && !text.empty()
             ? std::filesystem::absolute(text).string()
             : text;
}

}  // namespace

std::string RunConfig::ToToml() const {
  std::string toml;
  const auto add = [&](const GivenTexts& texts) {
    for (const auto& [name, given] : texts) {
      toml += fmt::format("{} = {}\n", name,
                          TomlText(AbsolutePath(name, given.text)));
    }
  };
  // Where the files of a task are now, so that they are found from elsewhere.
  GivenTexts texts = given_;
  if (!data_.task.empty() && !IsGiven("data_dir")) {
    const auto folder =
        data::TaskDefaults(data::FindTask("--task", data_.task)).data_dir;
    if (folder) texts["data_dir"] = {.source = "", .text = *folder};
  }
  add(texts);
  for (const auto& [optimizer, own] : given_for_) {
    if (own.empty()) continue;
    toml += fmt::format("\n[{}]\n", optimizer);
    add(own);
  }
  return toml;
}

}  // namespace sven::experiment
