// SPDX-License-Identifier: MIT
//
// Values of TOML files as the texts that options would have.
#ifndef SVEN_SRC_EXPERIMENT_TOML_VALUES_H_
#define SVEN_SRC_EXPERIMENT_TOML_VALUES_H_

#include <string>
#include <string_view>

#include "toml.h"

namespace sven::experiment {

// Throws a UsageError that names file, line and column.
toml::table ParseToml(std::string_view text, const std::string& source);

// "run.toml: line 3: lr"
std::string TomlPlace(const std::string& source, const toml::node& node,
                      std::string_view key);

// A text, a number, true or false; throws a UsageError that opens with `place`
// for anything else. A list becomes its entries with commas between them.
std::string TomlScalar(const toml::node& node, const std::string& place);
std::string TomlValue(const toml::node& node, const std::string& place);

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_TOML_VALUES_H_
