// SPDX-License-Identifier: MIT
//
// A model and the data to apply it to, for eval and predict.
#ifndef SVEN_APPS_SVEN_MODEL_DATA_H_
#define SVEN_APPS_SVEN_MODEL_DATA_H_

#include <CLI/CLI.hpp>
#include <string>

#include "optimizer_flags.h"
#include "sven/experiment/run_data.h"

namespace sven::cli {

struct ModelDataArguments {
  std::string model;
  FlagTexts flags;
};

// MODEL and the options that say which data; `arguments` must live as long as
// the command.
void AddModelDataOptions(CLI::App& command, ModelDataArguments& arguments);

// The file of a model: MODEL, or the one in the folder MODEL of a run.
std::string ModelPath(const ModelDataArguments& arguments);

experiment::RunConfig DataConfig(const ModelDataArguments& arguments);

// Calls use(model) with a TrainedModel of the type of the file.
template <class Use>
void WithModel(const ModelDataArguments& arguments, const Use& use) {
  const std::string path = ModelPath(arguments);
  const data::SafetensorsFile file = data::ReadSafetensors(path);
  if (data::NumberTypeOf(file) == NumberType::kFloat64) {
    use(data::ParseModel<double>(file, path));
  } else {
    use(data::ParseModel<float>(file, path));
  }
}

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_MODEL_DATA_H_
