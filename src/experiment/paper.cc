// SPDX-License-Identifier: MIT
#include "sven/experiment/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "paper_experiments.h"
#include "sven/base/error.h"

namespace sven::experiment {
namespace {

// A TOML text.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// [1, 2, 3], or 1.
std::string SeedList(Index count) {
  if (count == 1) return "1";
  std::string list = "[1";
  for (Index i = 2; i <= count; ++i) list += fmt::format(", {}", i);
  return list + "]";
}

// Every line as `change` makes it.
template <class Change>
std::string MapLines(std::string_view text, const Change& change) {
  std::string mapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    mapped += change(std::string(text.substr(begin, end - begin))) + '\n';
    begin = end + 1;
  }
  return mapped;
}

// The point of the scan that a result is about.
const ScanPoint& FindPoint(const Scan& scan, const PointResult& result) {
  const auto found =
      std::ranges::find_if(scan.points, [&](const ScanPoint& point) {
        const std::map<std::string, std::string> settings(
            point.settings.begin(), point.settings.end());
        return point.optimizer == result.optimizer &&
               std::ranges::all_of(result.settings, [&](const auto& item) {
                 const auto setting = settings.find(item.first);
                 return setting != settings.end() &&
                        setting->second == item.second;
               });
      });
  Check(found != scan.points.end(), "the result must be one of the scan");
  return *found;
}

}  // namespace

std::span<const PaperExperiment> PaperExperiments() {
  static const std::vector<PaperExperiment> experiments = [] {
    std::vector<PaperExperiment> list;
    for (const auto& [name, toml] : kPaperExperimentFiles) {
      const bool made = name == "toy1d" || name == "polynomial" ||
                        name == "polynomial-additive";
      const bool part = name.starts_with("mnist") && name.ends_with("-lbfgs");
      list.push_back(
          {.name = name,
           .toml = toml,
           .timed = name == "cost",
           .repeated = made || part || name == "mnist" || name == "mnist-ce",
           .made_from_seed = made,
           .part_of = part ? name.substr(0, name.rfind('-')) : ""});
    }
    return list;
  }();
  return experiments;
}

std::string WithSeeds(std::string_view toml, Index count) {
  return MapLines(toml, [&](const std::string& line) {
    return line.starts_with("seed =") ? "seed = " + SeedList(count) : line;
  });
}

std::string WithDataFolder(std::string_view toml, const std::string& folder) {
  return MapLines(toml, [&](const std::string& line) {
    if (line != R"(task = "mnist")") return line;
    return fmt::format("{}\ndata_dir = {}", line, Quoted(folder));
  });
}

std::span<const Repeat> Repeats() {
  static const std::vector<Repeat> repeats = {
      {"seeds", "seed", "other initial weights"},
      {"orders", "shuffle_seed", "other orders of the batches"},
      {"draws", "data_seed", "other data"},
  };
  return repeats;
}

std::string SeedsName(std::string_view experiment) {
  return fmt::format("{}-{}", Repeats().front().prefix, experiment);
}

void MergePart(const ExperimentResult& part, ExperimentResult& whole) {
  whole.points.insert(whole.points.end(), part.points.begin(),
                      part.points.end());
  whole.missing += part.missing;
  whole.run_seconds += part.run_seconds;
}

std::string RepeatScan(const Scan& scan, const ExperimentResult& result,
                       const Repeat& repeat, Index count) {
  std::string text = fmt::format(
      "title = {}\n",
      Quoted(fmt::format("{}: best points, {}", scan.title, repeat.title)));
  for (const std::string& optimizer : result.Optimizers()) {
    const PointResult* best = result.Best(optimizer);
    if (best == nullptr) continue;
    text += fmt::format("\n[[grid]]\noptimizer = {}\n{} = {}\n",
                        Quoted(optimizer), repeat.setting, SeedList(count));
    for (const auto& [name, value] : FindPoint(scan, *best).settings) {
      if (name == repeat.setting) continue;
      text += fmt::format("{} = {}\n", name, Quoted(value));
    }
  }
  return text;
}

}  // namespace sven::experiment
