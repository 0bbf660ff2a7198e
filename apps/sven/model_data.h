// SPDX-License-Identifier: MIT
//
// A model and the data to apply it to, for eval and predict.
#ifndef SVEN_APPS_SVEN_MODEL_DATA_H_
#define SVEN_APPS_SVEN_MODEL_DATA_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "optimizer_flags.h"
#include "sven/experiment/run_data.h"

namespace sven::cli {

struct ModelDataArguments {
  std::string model;
  std::string activation;  // empty: that of the file
  std::string loss;
  FlagTexts flags;
};

// MODEL and the options that say which data; `arguments` must live as long as
// the command.
void AddModelDataOptions(CLI::App& command, ModelDataArguments& arguments);

// The file of a model: MODEL, or the one in the folder MODEL of a run.
std::string ModelPath(const ModelDataArguments& arguments);

experiment::RunConfig DataConfig(const ModelDataArguments& arguments);

// What the user says of a model, of files that do not say it themselves.
struct ModelSayings {
  std::optional<nn::Activation> activation;
  std::optional<nn::Loss::Kind> loss;
};

// Throws a DataError for a file that is no model, or that leaves open what its
// activation is.
ModelSayings CheckModelFile(const ModelDataArguments& arguments,
                            const data::SafetensorsFile& file,
                            const std::string& path);

// Calls use(model) with a TrainedModel of the type of the file.
template <class Use>
void WithModel(const ModelDataArguments& arguments, const Use& use) {
  const std::string path = ModelPath(arguments);
  const data::SafetensorsFile file = data::ReadSafetensors(path);
  const ModelSayings sayings = CheckModelFile(arguments, file, path);
  const auto parse_and_use = [&]<class T>(T /*type*/) {
    auto model = data::ParseModel<T>(file, path, sayings.activation);
    if (sayings.loss) model.card.loss = *sayings.loss;
    use(model);
  };
  if (data::NumberTypeOf(file) == NumberType::kFloat64) {
    parse_and_use(double{});
  } else {
    parse_and_use(float{});
  }
}

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_MODEL_DATA_H_
