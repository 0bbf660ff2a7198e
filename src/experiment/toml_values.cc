// SPDX-License-Identifier: MIT
#include "toml_values.h"

#include <fmt/format.h>

#include <vector>

#include "sven/base/error.h"
#include "sven/base/fields.h"
#include "sven/base/text.h"

namespace sven::experiment {

toml::table ParseToml(std::string_view text, const std::string& source) {
  toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    throw UsageError(fmt::format(
        "{}: line {}, column {}: {}", source, error.source().begin.line,
        error.source().begin.column, Printable(error.description(), 200)));
  }
  return std::move(result).table();
}

std::string TomlPlace(const std::string& source, const toml::node& node,
                      std::string_view key) {
  return fmt::format("{}: line {}: {}", source, node.source().begin.line,
                     Printable(key, 60));
}

std::string TomlScalar(const toml::node& node, const std::string& place) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return FormatValue(whole->get());
  if (const auto* number = node.as_floating_point()) {
    return FormatValue(number->get());
  }
  if (const auto* flag = node.as_boolean()) return FormatValue(flag->get());
  throw UsageError(
      fmt::format("{}: expected a text, a number, true, false or a list of "
                  "them",
                  place));
}

std::string TomlValue(const toml::node& node, const std::string& place) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return TomlScalar(node, place);
  std::vector<std::string> list;
  for (const toml::node& entry : *array) {
    list.push_back(TomlScalar(entry, place));
    if (list.back().find(',') == std::string::npos) continue;
    throw UsageError(
        fmt::format("{}: {}: an entry of a list may not hold a comma", place,
                    Quote(list.back())));
  }
  return internal::JoinList(list);
}

}  // namespace sven::experiment
