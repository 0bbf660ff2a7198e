// SPDX-License-Identifier: MIT
#include "sven/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "defaults.h"
#include "json_text.h"
#include "run_text.h"
#include "sven/base/fields.h"

namespace sven::report {
namespace {

constexpr const char* kFormat = "sven-report-1";

// Spectra are long. Beyond so many runs only two of each base show theirs.
constexpr std::size_t kRunsWithSpectra = 40;

std::string SettingOf(const CollectedRun& run, const std::string& name) {
  const auto& settings = run.record->config.settings;
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

double NumberOf(const CollectedRun& run, const std::string& name,
                double otherwise) {
  return internal::ParseDouble(SettingOf(run, name)).value_or(otherwise);
}

// Runs with the same key can share a base: the same names of settings, the same
// program on the same machine.
std::string BaseKey(const CollectedRun& run) {
  std::string key = std::to_string(run.source);
  const auto add = [&](const std::string& text) { key += '\n' + text; };
  add(SettingOf(run, "optimizer"));
  add(SettingOf(run, "task"));
  add(run.record->config.version);
  for (const auto& [name, value] : run.record->config.machine) {
    add(name);
    add(value);
  }
  for (const auto& [name, value] : run.record->config.settings) add(name);
  return key;
}

// The run that came furthest, and the one with the largest k and, among those,
// the smallest rtol, whose spectrum is cut off the least.
struct Chosen {
  const CollectedRun* best = nullptr;
  const CollectedRun* widest = nullptr;

  void Consider(const CollectedRun& run) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto loss = [&](const CollectedRun& one) {
      const double last = LastLoss(*one.record);
      return std::isnan(last) ? kInfinity : last;
    };
    const auto width = [&](const CollectedRun& one) {
      return std::pair(NumberOf(one, "k", kInfinity),
                       -NumberOf(one, "rtol", 0));
    };
    if (best == nullptr || loss(run) < loss(*best)) best = &run;
    if (widest == nullptr || width(run) > width(*widest)) widest = &run;
  }
};

// To the inside of a list; one line each.
void AddEntry(const std::string& entry, std::string& list) {
  if (!list.empty()) list += ",\n";
  list += entry;
}

std::string SourcesText(const std::vector<RunSource>& sources) {
  std::string text;
  for (const RunSource& source : sources) {
    ObjectText object;
    object.AddQuoted("name", source.name);
    if (!source.title.empty()) object.AddQuoted("title", source.title);
    object.AddQuoted("kind", source.is_scan ? "scan" : "run");
    object.AddQuoted("path", source.path.string());
    AddEntry(object.Text(), text);
  }
  return fmt::format("[{}]", text);
}

std::string SkippedText(const std::vector<SkippedFile>& skipped) {
  std::string text;
  for (const SkippedFile& file : skipped) {
    ObjectText object;
    object.AddQuoted("path", file.path);
    object.AddQuoted("reason", file.reason);
    AddEntry(object.Text(), text);
  }
  return fmt::format("[{}]", text);
}

std::string ReproductionText(const Reproduction& reproduction) {
  const auto list = [](const std::string& text) {
    return text.empty() ? "[]" : text;
  };
  ObjectText object;
  object.Add("experiments", list(reproduction.experiments));
  object.Add("claims", list(reproduction.claims));
  return object.Text();
}

}  // namespace

Document::Document(std::string session, const std::string& generated)
    : session_(std::move(session)) {
  Put("version", QuotedText(SVEN_VERSION));
  if (!generated.empty()) Put("generated", QuotedText(generated));
  Put("defaults", DefaultsText());
}

void Document::Put(const std::string& name, std::string text) {
  const auto found =
      std::ranges::find(head_, name, &decltype(head_)::value_type::first);
  if (found == head_.end()) {
    head_.emplace_back(
        name, Piece{.text = std::move(text), .revision = revision_ + 1});
  } else if (found->second.text != text) {
    found->second = {.text = std::move(text), .revision = revision_ + 1};
  } else {
    return;
  }
  changed_ = true;
}

std::size_t Document::FindBase(const CollectedRun& run) {
  const auto [place, fresh] =
      base_places_.try_emplace(BaseKey(run), bases_.size());
  if (!fresh) return place->second;
  const train::RunConfigRecord& config = run.record->config;
  ObjectText machine;
  for (const auto& [name, value] : config.machine) {
    machine.AddQuoted(name, value);
  }
  ObjectText object;
  object.AddQuoted("version", config.version);
  object.Add("machine", machine.Text());
  object.Add("settings", SettingsText(config.settings));
  bases_.push_back({.settings = config.settings, .text = object.Text()});
  return place->second;
}

void Document::UpdateRun(const CollectedRun& run, bool with_spectra) {
  RunPiece& known = runs_[run.id];
  if (known.written == run.reading && known.status == run.status &&
      known.has_spectra == with_spectra) {
    return;
  }
  known.written = run.reading;
  known.status = run.status;
  known.has_spectra = with_spectra;
  std::string text =
      RunText(run, known.base, bases_[known.base].settings, with_spectra);
  if (known.piece.text == text) return;
  known.piece = {.text = std::move(text), .revision = revision_ + 1};
  changed_ = true;
}

void Document::UpdateHead(const Collection& collection) {
  Put("sources", SourcesText(collection.Sources()));
  std::string bases;
  for (const Base& base : bases_) {
    AddEntry(base.text, bases);
  }
  Put("bases", fmt::format("[{}]", bases));
  Put("skipped", SkippedText(collection.Skipped()));
  const Reproduction& reproduction = collection.Reproduced();
  if (reproduction.IsThere()) {
    Put("reproduction", ReproductionText(reproduction));
    had_reproduction_ = true;
  } else if (had_reproduction_) {
    // Or pages would go on to show what is gone.
    Put("reproduction", "null");
  }
}

bool Document::Update(const Collection& collection) {
  const std::vector<CollectedRun>& runs = collection.Runs();
  std::map<std::size_t, Chosen> chosen;
  for (const CollectedRun& run : runs) {
    RunPiece& known = runs_[run.id];
    if (known.reading != run.reading) known.base = FindBase(run);
    known.reading = run.reading;
    chosen[known.base].Consider(run);
  }
  order_.clear();
  for (const CollectedRun& run : runs) {
    const Chosen& ones = chosen[runs_[run.id].base];
    UpdateRun(run, runs.size() <= kRunsWithSpectra || &run == ones.best ||
                       &run == ones.widest);
    order_.push_back(run.id);
    removed_.erase(run.id);
  }
  const std::set<std::string> there(order_.begin(), order_.end());
  std::erase_if(runs_, [&](const auto& entry) {
    if (there.contains(entry.first)) return false;
    removed_[entry.first] = revision_ + 1;
    return changed_ = true;
  });
  UpdateHead(collection);
  if (!std::exchange(changed_, false)) return false;
  ++revision_;
  return true;
}

// Everything that came after a revision.
std::string Document::Join(std::uint64_t after) const {
  ObjectText object;
  object.AddQuoted("format", kFormat);
  if (!session_.empty()) {
    object.AddQuoted("session", session_);
    object.Add("revision", std::to_string(revision_));
  }
  if (after > 0) object.Add("partial", "true");
  for (const auto& [name, piece] : head_) {
    if (piece.revision > after) object.Add(name, piece.text);
  }
  std::string runs;
  for (const std::string& id : order_) {
    const Piece& piece = runs_.at(id).piece;
    if (piece.revision <= after) continue;
    AddEntry(piece.text, runs);
  }
  object.Add("runs", fmt::format("[{}]", runs));
  std::string removed;
  for (const auto& [id, revision] : removed_) {
    if (after == 0 || revision <= after) continue;
    AddEntry(QuotedText(id), removed);
  }
  if (!removed.empty()) object.Add("removed", fmt::format("[{}]", removed));
  return object.Text();
}

std::string Document::Whole() const { return Join(0); }

std::optional<std::string> Document::Since(std::string_view session,
                                           std::uint64_t revision) const {
  if (session != session_ || revision == 0 || revision > revision_) {
    return Whole();
  }
  if (revision == revision_) return std::nullopt;
  return Join(revision);
}

}  // namespace sven::report
