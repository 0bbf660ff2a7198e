// SPDX-License-Identifier: MIT
//
// All optimizers by name, with their settings as text: what the command line,
// configuration files, listings and the documentation draw from.
//
//   OptimizerChoice choice = ChooseOptimizer("--optimizer", "adam");
//   choice.Set("--lr", "lr", "0.01");
//   std::unique_ptr<Optimizer<float>> optimizer = choice.Make<float>();
#ifndef SVEN_OPTIM_REGISTRY_H_
#define SVEN_OPTIM_REGISTRY_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

enum class Family { kFirstOrder, kGram, kLayerMatrix };

struct OptimizerInfo {
  std::string_view name;     // "adam"
  std::string_view title;    // "Adam"
  std::string_view summary;  // one line
  Family family;
};

// In the order of the documentation.
std::span<const OptimizerInfo> AllOptimizers();

// The settings of one optimizer, its own and those of the chain that go with
// it.
class OptimizerChoice {
 public:
  // A copy of the options, whatever their type.
  class Settings;

  explicit OptimizerChoice(std::unique_ptr<Settings> settings);
  ~OptimizerChoice();
  OptimizerChoice(const OptimizerChoice& other);
  OptimizerChoice& operator=(const OptimizerChoice& other);
  OptimizerChoice(OptimizerChoice&&) noexcept;
  OptimizerChoice& operator=(OptimizerChoice&&) noexcept;

  [[nodiscard]] const OptimizerInfo& Info() const;

  // Sets the setting called `name`; false if there is none. Throws a UsageError
  // that opens with `source` for a value that it may not have.
  bool Set(std::string_view source, std::string_view name,
           std::string_view text);

  // Schedules that need a length and have none get this one.
  void SetHorizon(Index steps);

  // Throws a UsageError for settings that are wrong together.
  void Validate() const;

  // With the present values as defaults.
  [[nodiscard]] std::vector<FieldDescription> MethodFields() const;
  [[nodiscard]] std::vector<FieldDescription> ChainFields() const;

  // Throws a UsageError if a setting is wrong.
  template <class T>
  [[nodiscard]] std::unique_ptr<Optimizer<T>> Make() const;

 private:
  std::unique_ptr<Settings> settings_;
};

// The optimizer of that name with its defaults. Throws a UsageError that opens
// with `source` and suggests the nearest name if there is none.
OptimizerChoice ChooseOptimizer(std::string_view source, std::string_view name);

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::Family> {
  static constexpr std::pair<std::string_view, optim::Family> kTable[] = {
      {"first order and quasi-Newton", optim::Family::kFirstOrder},
      {"Gram matrix", optim::Family::kGram},
      {"layer matrices", optim::Family::kLayerMatrix},
  };
};

#endif  // SVEN_OPTIM_REGISTRY_H_
