// SPDX-License-Identifier: MIT
//
// For tests that hold for every optimizer there is.
#ifndef SVEN_TESTING_OPTIMIZERS_H_
#define SVEN_TESTING_OPTIMIZERS_H_

#include <string>
#include <vector>

#include "sven/data/safetensors.h"
#include "sven/optim/registry.h"

namespace sven::testing {

// Each optimizer with its defaults, and with as much to remember as it can
// have: momenta, averages, short histories, random subsets.
std::vector<optim::OptimizerChoice> EveryOptimizer();
std::vector<optim::OptimizerChoice> EveryOptimizerWithMemory();

// Whether it has a setting of its own of that name.
bool HasSetting(const optim::OptimizerChoice& choice, const std::string& name);

// The message of the UsageError that `action` throws, "no UsageError" if none.
template <class Action>
std::string UsageErrorOf(const Action& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

// The whole state, for comparisons.
template <class T>
data::SafetensorsFile StateOf(optim::Optimizer<T>& optimizer);

}  // namespace sven::testing

#endif  // SVEN_TESTING_OPTIMIZERS_H_
