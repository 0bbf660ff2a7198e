// SPDX-License-Identifier: MIT
#include "defaults.h"

#include <map>

#include "json_text.h"
#include "sven/experiment/run_config.h"
#include "sven/optim/registry.h"

namespace sven::report {

std::string DefaultsText() {
  const experiment::RunConfig config;
  ObjectText text;
  std::map<std::string, std::string> common = config.Echo();
  for (const char* name : {"batch_size", "hidden", "loss"}) common.erase(name);
  common["activation"] = Name(nn::Activation::kGelu);
  text.Add("", SettingsText(common));
  for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
    const optim::OptimizerChoice choice =
        config.Optimizer(std::string(info.name));
    std::map<std::string, std::string> own;
    for (const auto& fields : {choice.MethodFields(), choice.ChainFields()}) {
      for (const FieldDescription& field : fields) {
        own[field.name] = field.default_value;
      }
    }
    text.Add(info.name, SettingsText(own));
  }
  return text.Text();
}

}  // namespace sven::report
