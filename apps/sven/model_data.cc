// SPDX-License-Identifier: MIT
#include "model_data.h"

#include <filesystem>

#include "sven/experiment/run.h"

namespace sven::cli {

void AddModelDataOptions(CLI::App& command, ModelDataArguments& arguments) {
  command
      .add_option("MODEL", arguments.model,
                  "a model.safetensors, or the folder of a run")
      ->required()
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
  const std::filesystem::path path(arguments.model);
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored)
             ? (path / experiment::kModelFile).string()
             : arguments.model;
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
