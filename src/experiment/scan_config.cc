// SPDX-License-Identifier: MIT
#include "sven/experiment/scan_config.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <set>

#include "sven/base/atomic_file.h"
#include "sven/base/text.h"
#include "toml_values.h"

namespace sven::experiment {
namespace {

// More runs than anybody means.
constexpr std::size_t kMaxPoints = 1'000'000;

// A setting of a grid with the values to try, and where it stands.
struct Axis {
  std::string name;
  std::string place;
  std::vector<std::string> values;
};

Axis ReadAxis(const std::string& source, const toml::key& key,
              const toml::node& node) {
  Axis axis{.name = std::string(key.str()),
            .place = TomlPlace(source, node, key.str()),
            .values = {}};
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    axis.values.push_back(TomlScalar(node, axis.place));
    return axis;
  }
  for (const toml::node& entry : *array) {
    axis.values.push_back(TomlScalar(entry, axis.place));
  }
  if (axis.values.empty()) {
    throw UsageError(
        fmt::format("{}: a list without entries leaves no run", axis.place));
  }
  return axis;
}

std::vector<Axis> ReadAxes(const std::string& source,
                           const toml::table& table) {
  std::vector<Axis> axes;
  for (const auto& [key, node] : table) {
    axes.push_back(ReadAxis(source, key, node));
  }
  return axes;
}

// What a grid says goes before what the whole scan says.
std::vector<Axis> Join(const std::vector<Axis>& common,
                       const std::vector<Axis>& own) {
  std::vector<Axis> axes = own;
  for (const Axis& axis : common) {
    const bool replaced = std::ranges::any_of(
        own, [&](const Axis& other) { return other.name == axis.name; });
    if (!replaced) axes.push_back(axis);
  }
  // The optimizer first, the others by name, so that names of runs read alike.
  std::ranges::sort(axes, [](const Axis& a, const Axis& b) {
    const auto rank = [](const Axis& axis) {
      return std::pair(axis.name != "optimizer", axis.name);
    };
    return rank(a) < rank(b);
  });
  return axes;
}

std::size_t CountPoints(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    if (axis.values.size() > kMaxPoints / count) {
      throw UsageError(fmt::format("{}: more than {} runs in one grid",
                                   axis.place, kMaxPoints));
    }
    count *= axis.values.size();
  }
  return count;
}

// A text as a part of the name of a file.
std::string FileText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
                       c == '+' || c == ',';
    safe += plain ? c : '~';
  }
  return safe;
}

// File systems allow names of 255 bytes.
std::string ShortName(const std::string& id) {
  constexpr std::size_t kLongest = 160;
  if (id.size() <= kLongest) return id;
  const uLong sum =
      crc32_z(0, reinterpret_cast<const Bytef*>(id.data()), id.size());
  return fmt::format("{}~{:08x}", id.substr(0, kLongest), sum);
}

// Point number `index` of a grid: the last axis goes fastest.
ScanPoint MakePoint(const std::vector<Axis>& axes,
                    const std::set<std::string>& varying, std::size_t index) {
  std::vector<std::size_t> entry(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    entry[i] = index % axes[i].values.size();
    index /= axes[i].values.size();
  }
  ScanPoint point;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string& text = axes[i].values[entry[i]];
    point.config.Set(axes[i].place, axes[i].name, text);
    if (axes[i].name == "optimizer") continue;
    point.settings.emplace_back(axes[i].name, text);
    if (!varying.contains(axes[i].name)) continue;
    point.varied.emplace_back(axes[i].name, text);
  }
  if (point.config.Optimizers().size() != 1) {
    throw UsageError(fmt::format(
        "{}: one optimizer per run; a list is written as [\"a\", \"b\"]",
        axes.front().place));
  }
  point.optimizer = point.config.Optimizers().front();
  point.id = point.optimizer;
  for (const auto& [name, text] : point.varied) {
    point.id += fmt::format("_{}={}", name, FileText(text));
  }
  point.id = ShortName(point.id);
  return point;
}

void CheckNames(const std::string& source, const toml::table& table) {
  for (const auto& [key, node] : table) {
    if (key.str() == "title" && node.is_string()) continue;
    if (key.str() == "run" && node.is_table()) continue;
    if (key.str() == "grid" && node.is_array_of_tables()) continue;
    throw UsageError(fmt::format(
        "{}: expected title = \"...\", a table [run] and tables [[grid]]",
        TomlPlace(source, node, key.str())));
  }
}

std::vector<std::vector<Axis>> ReadGrids(const std::string& source,
                                         const toml::table& table) {
  std::vector<Axis> common;
  if (const toml::table* run = table["run"].as_table()) {
    common = ReadAxes(source, *run);
  }
  std::vector<std::vector<Axis>> grids;
  if (const toml::array* list = table["grid"].as_array()) {
    for (const toml::node& node : *list) {
      grids.push_back(Join(common, ReadAxes(source, *node.as_table())));
    }
  }
  if (grids.empty()) grids.push_back(Join(common, {}));
  return grids;
}

// The settings of which more than one value occurs, or that only some of the
// grids have.
std::set<std::string> VaryingNames(
    const std::vector<std::vector<Axis>>& grids) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> holders;
  for (const std::vector<Axis>& axes : grids) {
    for (const Axis& axis : axes) {
      values[axis.name].insert(axis.values.begin(), axis.values.end());
      ++holders[axis.name];
    }
  }
  std::set<std::string> names;
  for (const auto& [name, all] : values) {
    if (all.size() > 1 || holders[name] < grids.size()) names.insert(name);
  }
  return names;
}

}  // namespace

Scan ParseScan(std::string_view toml, const std::string& source) {
  const toml::table table = ParseToml(toml, source);
  CheckNames(source, table);
  Scan scan;
  scan.title = table["title"].value_or(std::string());
  const std::vector<std::vector<Axis>> grids = ReadGrids(source, table);
  const std::set<std::string> varying = VaryingNames(grids);
  std::set<std::string> ids;
  for (std::size_t grid = 0; grid < grids.size(); ++grid) {
    const std::size_t count = CountPoints(grids[grid]);
    for (std::size_t i = 0; i < count; ++i) {
      ScanPoint point = MakePoint(grids[grid], varying, i);
      point.grid = grid;
      point.config.Validate();
      if (!ids.insert(point.id).second) {
        throw UsageError(fmt::format(
            "{}: the run {} is there twice; each must differ from the others "
            "in a setting",
            source, point.id));
      }
      scan.points.push_back(std::move(point));
    }
  }
  return scan;
}

Scan ReadScan(const std::filesystem::path& path) {
  return ParseScan(ReadTextFile(path), path.string());
}

std::string ScanTitle(std::string_view toml) {
  try {
    return ParseToml(toml, "")["title"].value_or(std::string());
  } catch (const UsageError&) {
    return "";
  }
}

std::filesystem::path ScanRecord(const std::filesystem::path& folder,
                                 const ScanPoint& point) {
  return folder / "runs" / (point.id + ".jsonl");
}

}  // namespace sven::experiment
