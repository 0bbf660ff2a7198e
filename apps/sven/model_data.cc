// SPDX-License-Identifier: MIT
#include "model_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sven/experiment/run.h"

namespace sven::cli {

void AddModelDataOptions(CLI::App& command, ModelDataArguments& arguments) {
  command
      .add_option("MODEL", arguments.model,
                  "a model.safetensors, or the folder of a run")
      ->required()
      ->type_name("");
  command
      .add_option("--activation", arguments.activation,
                  "between its layers, if the file does not say it")
      ->type_name("");
  command
      .add_option("--loss", arguments.loss,
                  "another loss than the file says; mse if it says none")
      ->type_name("");
  for (const experiment::FieldGroup& group :
       experiment::RunConfig::Describe()) {
    std::vector<FieldDescription> fields;
    for (const FieldDescription& field : group.fields) {
      const bool wanted = group.title == "Built-in tasks" ||
                          group.title == "Your own data" ||
                          field.name == "task" || field.name == "data";
      if (wanted) fields.push_back(field);
    }
    AddFieldFlags(command, fields, group.title, arguments.flags);
  }
}

std::string ModelPath(const ModelDataArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path path(arguments.model);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return arguments.model;
  const fs::path model = path / experiment::kModelFile;
  if (fs::exists(model, ignored)) return model.string();
  std::string inside;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (fs::exists(entry.path() / experiment::kModelFile, ignored)) {
      inside += (inside.empty() ? "" : ", ") + entry.path().string();
    }
  }
  throw DataError(inside.empty()
                      ? fmt::format("{}: there is no {} in this folder",
                                    arguments.model, experiment::kModelFile)
                      : fmt::format("{}: holds several runs; name one of {}",
                                    arguments.model, inside));
}

ModelSayings CheckModelFile(const ModelDataArguments& arguments,
                            const data::SafetensorsFile& file,
                            const std::string& path) {
  const bool checkpoint = std::ranges::any_of(
      file.tensors,
      [](const auto& entry) { return entry.first.starts_with("train."); });
  if (checkpoint) {
    throw DataError(fmt::format(
        "{}: a checkpoint, not a model; name the folder of the run, or its {}",
        path, experiment::kModelFile));
  }
  ModelSayings sayings;
  if (!arguments.activation.empty()) {
    nn::Activation activation{};
    ParseValue("--activation", arguments.activation, activation);
    sayings.activation = activation;
  } else if (!file.metadata.contains("activation")) {
    throw UsageError(fmt::format(
        "{}: does not say what stands between its layers; say --activation, "
        "one of {}",
        path, AllNames<nn::Activation>()));
  }
  if (!arguments.loss.empty()) {
    nn::Loss::Kind loss{};
    ParseValue("--loss", arguments.loss, loss);
    sayings.loss = loss;
  }
  return sayings;
}

experiment::RunConfig DataConfig(const ModelDataArguments& arguments) {
  experiment::RunConfig config;
  for (const auto& [name, text] : arguments.flags) {
    config.Set(FlagName(name), name, text);
  }
  config.Validate();
  return config;
}

}  // namespace sven::cli
