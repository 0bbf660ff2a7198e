// SPDX-License-Identifier: MIT
#include "testing/optimizers.h"

#include <algorithm>
#include <utility>

#include "sven/data/optimizer_state.h"

namespace sven::testing {

std::vector<optim::OptimizerChoice> EveryOptimizer() {
  std::vector<optim::OptimizerChoice> choices;
  for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
    choices.push_back(optim::ChooseOptimizer("test", info.name));
  }
  return choices;
}

std::vector<optim::OptimizerChoice> EveryOptimizerWithMemory() {
  constexpr std::pair<const char*, const char*> kSettings[] = {
      {"momentum", "0.5"},
      {"amsgrad", "true"},
      {"centered", "true"},
      {"weight_decay", "0.01"},
      {"history_size", "3"},
      {"max_iter", "5"},
      {"parameter_batch", "neurons"},
      {"fraction", "0.5"},
      {"schedule", "exponential:every=10,factor=0.5"},
      {"ema", "0.9"},
  };
  std::vector<optim::OptimizerChoice> choices = EveryOptimizer();
  for (optim::OptimizerChoice& choice : choices) {
    for (const auto& [name, text] : kSettings) {
      optim::OptimizerChoice changed = choice;
      try {
        changed.Set("test", name, text);
        changed.Validate();
        choice = changed;
      } catch (const UsageError&) {
        // This one does not go with the others here.
      }
    }
  }
  return choices;
}

bool HasSetting(const optim::OptimizerChoice& choice, const std::string& name) {
  return std::ranges::any_of(
      choice.MethodFields(),
      [&](const FieldDescription& field) { return field.name == name; });
}

template <class T>
data::SafetensorsFile StateOf(optim::Optimizer<T>& optimizer) {
  data::SafetensorsFile file;
  data::AppendOptimizerState<T>(optimizer, file);
  return file;
}

template data::SafetensorsFile StateOf(optim::Optimizer<float>&);
template data::SafetensorsFile StateOf(optim::Optimizer<double>&);

}  // namespace sven::testing
