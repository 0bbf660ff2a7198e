// SPDX-License-Identifier: MIT
//
// The settings of all optimizers as options of a command.
#ifndef SVEN_APPS_SVEN_OPTIMIZER_FLAGS_H_
#define SVEN_APPS_SVEN_OPTIMIZER_FLAGS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/fields.h"

namespace sven::cli {

// Field name -> text, as given.
using FlagTexts = std::map<std::string, std::string>;

// "--parameter-batch" for the field parameter_batch.
std::string FlagName(std::string_view field);

// One option per field, which puts its text into `flags`, which must live as
// long as the command.
void AddFieldFlags(CLI::App& command,
                   const std::vector<FieldDescription>& fields,
                   const std::string& group, FlagTexts& flags);

// One option for each setting that any optimizer has, except those that the
// command has already.
void AddOptimizerFlags(CLI::App& command, FlagTexts& flags);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_OPTIMIZER_FLAGS_H_
