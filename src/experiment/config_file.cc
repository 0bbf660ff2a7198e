// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/text.h"
#include "sven/experiment/run_config.h"
#include "toml.h"

namespace sven::experiment {
namespace {

std::string Place(const std::string& source, const toml::source_region& region,
                  std::string_view key) {
  return fmt::format("{}: line {}: {}", source, region.begin.line,
                     Printable(key, 60));
}

[[noreturn]] void Refuse(const std::string& place) {
  throw UsageError(
      fmt::format("{}: expected a text, a number, true, false or a list of "
                  "them",
                  place));
}

// A value as the text that a flag would have.
std::string ValueText(const toml::node& node, const std::string& place) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return FormatValue(whole->get());
  if (const auto* number = node.as_floating_point()) {
    return FormatValue(number->get());
  }
  if (const auto* flag = node.as_boolean()) return FormatValue(flag->get());
  if (const auto* array = node.as_array()) {
    std::vector<std::string> list;
    for (const toml::node& entry : *array) {
      if (!entry.is_value()) Refuse(place);
      list.push_back(ValueText(entry, place));
      if (list.back().find(',') == std::string::npos) continue;
      throw UsageError(
          fmt::format("{}: {}: an entry of a list may not hold a comma", place,
                      Quote(list.back())));
    }
    return internal::JoinList(list);
  }
  Refuse(place);
}

void AddOptimizerTable(const std::string& source, std::string_view optimizer,
                       const toml::table& table, RunConfig& config) {
  for (const auto& [key, node] : table) {
    const std::string place = Place(source, node.source(), key.str());
    config.SetFor(place, std::string(optimizer), std::string(key.str()),
                  ValueText(node, place));
  }
}

}  // namespace

void ParseConfig(std::string_view text, const std::string& source,
                 RunConfig& config) {
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    throw UsageError(fmt::format(
        "{}: line {}, column {}: {}", source, error.source().begin.line,
        error.source().begin.column, Printable(error.description(), 200)));
  }
  // First what holds for all, then what is said of one.
  const toml::table& table = result.table();
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;
    const std::string place = Place(source, node.source(), key.str());
    config.Set(place, std::string(key.str()), ValueText(node, place));
  }
  for (const auto& [key, node] : table) {
    const toml::table* inner = node.as_table();
    if (inner == nullptr) continue;
    AddOptimizerTable(source, key.str(), *inner, config);
  }
}

void ReadConfig(const std::filesystem::path& path, RunConfig& config) {
  ParseConfig(ReadTextFile(path), path.string(), config);
}

}  // namespace sven::experiment
