// SPDX-License-Identifier: MIT
#include "optimizer_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sven/optim/registry.h"

namespace sven::cli {
namespace {

// A setting of several optimizers is one option; its help is that of the first,
// and its defaults are those of `sven list optimizers NAME`.
struct SharedField {
  FieldDescription field;
  std::vector<std::string> optimizers;
};

void Collect(const std::vector<FieldDescription>& fields,
             std::string_view optimizer, std::vector<SharedField>& list) {
  for (const FieldDescription& field : fields) {
    const auto known = std::ranges::find_if(
        list, [&](const SharedField& s) { return s.field.name == field.name; });
    SharedField& shared = known == list.end()
                              ? list.emplace_back(SharedField{field, {}})
                              : *known;
    shared.optimizers.emplace_back(optimizer);
  }
}

std::vector<SharedField> AllFields() {
  std::vector<SharedField> list;
  for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
    const auto choice = optim::ChooseOptimizer("", info.name);
    Collect(choice.MethodFields(), info.name, list);
  }
  for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
    const auto choice = optim::ChooseOptimizer("", info.name);
    Collect(choice.ChainFields(), info.name, list);
  }
  return list;
}

// Who has the setting, if not everyone.
std::string Owners(const SharedField& shared) {
  constexpr std::size_t kFew = 4;
  const std::size_t all = optim::AllOptimizers().size();
  if (shared.optimizers.size() == all) return "";
  if (shared.optimizers.size() > kFew) return " (most)";
  return fmt::format(" ({})", fmt::join(shared.optimizers, ", "));
}

void AddFlag(CLI::App& command, const FieldDescription& field,
             const std::string& help, const std::string& group,
             FlagTexts& flags) {
  const bool is_switch = field.default_value == "false";
  command
      .add_option_function<std::string>(
          FlagName(field.name),
          [&flags, is_switch, name = field.name](const std::string& text) {
            flags[name] = is_switch && text.empty() ? "true" : text;
          },
          help)
      ->expected(is_switch ? 0 : 1, 1)
      ->type_name("")
      ->group(group);
}

}  // namespace

std::string FlagName(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void AddFieldFlags(CLI::App& command,
                   const std::vector<FieldDescription>& fields,
                   const std::string& group, FlagTexts& flags) {
  for (const FieldDescription& field : fields) {
    std::string help = field.doc;
    if (!field.range.empty()) help += ": " + field.range;
    if (!field.default_value.empty()) help += " [" + field.default_value + "]";
    AddFlag(command, field, help, group, flags);
  }
}

void AddOptimizerFlags(CLI::App& command, FlagTexts& flags) {
  for (const SharedField& shared : AllFields()) {
    const FieldDescription& field = shared.field;
    if (command.get_option_no_throw(FlagName(field.name)) != nullptr) continue;
    AddFlag(command, field, field.doc + Owners(shared),
            "Settings of the optimizer (sven list optimizers NAME has ranges "
            "and defaults)",
            flags);
  }
}

}  // namespace sven::cli
