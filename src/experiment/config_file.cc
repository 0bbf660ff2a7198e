// SPDX-License-Identifier: MIT
#include "sven/base/atomic_file.h"
#include "sven/experiment/run_config.h"
#include "toml_values.h"

namespace sven::experiment {

void ParseConfig(std::string_view text, const std::string& source,
                 RunConfig& config) {
  const toml::table table = ParseToml(text, source);
  // First what holds for all, then what is said of one.
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;
    const std::string place = TomlPlace(source, node, key.str());
    config.Set(place, std::string(key.str()), TomlValue(node, place));
  }
  for (const auto& [optimizer, node] : table) {
    const toml::table* inner = node.as_table();
    if (inner == nullptr) continue;
    for (const auto& [key, value] : *inner) {
      const std::string place = TomlPlace(source, value, key.str());
      config.SetFor(place, std::string(optimizer.str()), std::string(key.str()),
                    TomlValue(value, place));
    }
  }
}

void ReadConfig(const std::filesystem::path& path, RunConfig& config) {
  ParseConfig(ReadTextFile(path), path.string(), config);
}

}  // namespace sven::experiment
