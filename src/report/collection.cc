// SPDX-License-Identifier: MIT
#include "sven/report/collection.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "json_text.h"
#include "running.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/json_depth.h"
#include "sven/experiment/results.h"
#include "sven/experiment/scan_config.h"
#include "walk.h"

namespace sven::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A run whose file changed this many seconds ago goes on, as far as one can
// tell where the system does not say who holds a folder.
constexpr std::time_t kRecent = 10;

// What tells whether a file is still the one that was read.
struct FileStamp {
  ino_t number = 0;
  off_t size = 0;
  std::time_t seconds = 0;
  std::int64_t nanoseconds = 0;

  bool operator==(const FileStamp&) const = default;
};

std::optional<FileStamp> StampOf(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{.number = status.st_ino,
                   .size = status.st_size,
                   .seconds = status.st_mtim.tv_sec,
                   .nanoseconds = status.st_mtim.tv_nsec};
}

// Messages open with the path, which is listed beside them anyway.
std::string WithoutPath(std::string_view message, const fs::path& path) {
  const std::string opening = path.string() + ": ";
  if (message.starts_with(opening)) message.remove_prefix(opening.size());
  return std::string(message);
}

std::string ReadLimited(const fs::path& path) {
  CheckRegularFile(path);
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path, ignored);
  if (!ignored && size > Collection::kLargestFile) {
    throw DataError(
        fmt::format("{}: {} MB: larger than the {} MB that are read of a file",
                    path.string(), size >> 20, Collection::kLargestFile >> 20));
  }
  return ReadTextFile(path);
}

// A line that is not complete at the end is one that is being written.
train::RunFile ReadRecord(const fs::path& path) {
  const std::string text = ReadLimited(path);
  const std::string_view whole = train::CompleteLines(text);
  train::RunFile file;
  try {
    file = train::ParseRunFile(text, path.string());
  } catch (const DataError&) {
    if (whole.size() == text.size()) throw;
    file = train::ParseRunFile(whole, path.string());
  }
  if (file.config.settings.empty()) {
    throw DataError(text.empty() ? "empty"
                    : whole.empty()
                        ? "no complete line"
                        : "no line of type config: not a record of sven train");
  }
  return file;
}

std::string ReadExperiments(const fs::path& path) {
  const std::string text = ReadLimited(path);
  static_cast<void>(experiment::ParseResults(text, path.string()));
  return Json::parse(text).at("experiments").dump();
}

std::string ReadClaims(const fs::path& path) {
  const std::string text = ReadLimited(path);
  const Json json =
      IsTooDeep(text) ? Json() : Json::parse(text, nullptr, false);
  const bool good =
      json.is_array() && std::ranges::all_of(json, [](const Json& claim) {
        return claim.is_object() && claim.contains("id") &&
               claim.contains("verdict");
      });
  if (!good) throw DataError("not the claims that sven reproduce writes");
  return json.dump();
}

}  // namespace

class Collection::Content {
 public:
  explicit Content(std::vector<fs::path> paths) : paths_(std::move(paths)) {
    for (const fs::path& path : paths_) {
      std::error_code error;
      if (fs::exists(path, error)) continue;
      ThrowFileError(path, "cannot open", error ? error.value() : ENOENT);
    }
  }

  void Refresh() {
    Walk walk;
    for (const fs::path& path : paths_) walk.Add(path);
    skipped_ = walk.Skipped();
    runs_.clear();
    ids_.clear();
    std::map<fs::path, Reading> kept;
    for (const FoundRecord& found : walk.Records()) {
      if (kept.contains(found.path)) continue;
      AddRun(found, kept[found.path] = Read(found.path));
    }
    // What is gone is forgotten.
    readings_ = std::move(kept);
    SetStatus();
    reproduction_.experiments = ReadOne(walk.Results(), ReadExperiments);
    reproduction_.claims = ReadOne(walk.Claims(), ReadClaims);
  }

  [[nodiscard]] const std::vector<RunSource>& Sources() const {
    return sources_;
  }
  [[nodiscard]] const std::vector<CollectedRun>& Runs() const { return runs_; }
  [[nodiscard]] const std::vector<SkippedFile>& Skipped() const {
    return skipped_;
  }
  [[nodiscard]] const Reproduction& Reproduced() const { return reproduction_; }

 private:
  // What came of reading a file: a record or, if there is none, a reason.
  struct Reading {
    FileStamp stamp;
    std::uint64_t number = 0;
    std::shared_ptr<const train::RunFile> record;
    std::string reason;
  };
  struct TextReading {
    FileStamp stamp;
    std::string text;
    std::string reason;
  };

  Reading Read(const fs::path& path) {
    const auto stamp = StampOf(path);
    const auto old = readings_.find(path);
    if (stamp && old != readings_.end() && old->second.stamp == *stamp) {
      return old->second;
    }
    Reading reading{.stamp = stamp.value_or(FileStamp{}),
                    .number = ++count_,
                    .record = nullptr,
                    .reason = ""};
    try {
      reading.record = std::make_shared<const train::RunFile>(ReadRecord(path));
    } catch (const DataError& error) {
      reading.reason = WithoutPath(error.what(), path);
    }
    return reading;
  }

  void AddRun(const FoundRecord& found, const Reading& reading) {
    if (!reading.record) {
      skipped_.push_back({found.path.string(), reading.reason});
      return;
    }
    const std::size_t source = SourceOf(found);
    CollectedRun run{.id = sources_[source].name + "/" + found.name,
                     .source = source,
                     .in_scan = sources_[source].is_scan,
                     .path = found.path,
                     .status = "",
                     .record = reading.record,
                     .reading = reading.number};
    run.id = Unique(run.id, ids_);
    runs_.push_back(std::move(run));
  }

  // "a", or "a (2)" if that is taken, as it will be shown: names of files that
  // are not UTF-8 may be the same there.
  static std::string Unique(const std::string& raw,
                            std::set<std::string>& taken) {
    const std::string wanted = ValidText(raw);
    std::string name = wanted;
    for (int i = 2; !taken.insert(name).second; ++i) {
      name = fmt::format("{} ({})", wanted, i);
    }
    return name;
  }

  std::size_t SourceOf(const FoundRecord& found) {
    std::error_code ignored;
    const fs::path key = fs::weakly_canonical(found.place, ignored);
    const auto [place, fresh] =
        source_places_.try_emplace(key, sources_.size());
    if (!fresh) return place->second;
    RunSource source{.name = Unique(found.place_name, source_names_),
                     .title = "",
                     .is_scan = found.is_scan,
                     .path = found.place};
    if (found.is_scan) source.title = TitleOf(found.place / "scan.toml");
    sources_.push_back(std::move(source));
    return place->second;
  }

  static std::string TitleOf(const fs::path& path) {
    try {
      return experiment::ScanTitle(ReadLimited(path));
    } catch (const DataError&) {
      return "";
    }
  }

  void SetStatus() {
    std::optional<HeldFolders> held;
    const std::time_t now = std::time(nullptr);
    for (CollectedRun& run : runs_) {
      if (run.record->summary) {
        run.status = Name(run.record->summary->status);
        continue;
      }
      if (!held) held.emplace();
      const bool recent = now - readings_[run.path].stamp.seconds < kRecent;
      const bool running = recent || held->IsRunning(run.path);
      run.status = running ? "running" : "interrupted";
    }
  }

  // The first that can be read.
  std::string ReadOne(const std::vector<fs::path>& paths,
                      std::string (*read)(const fs::path&)) {
    std::string first;
    fs::path from;
    for (const fs::path& path : paths) {
      const TextReading& reading = ReadAgain(path, read);
      if (!reading.reason.empty()) {
        skipped_.push_back({path.string(), reading.reason});
      } else if (!from.empty()) {
        skipped_.push_back(
            {path.string(), "a report shows one reproduction: that of " +
                                from.parent_path().string()});
      } else {
        first = reading.text;
        from = path;
      }
    }
    return first;
  }

  const TextReading& ReadAgain(const fs::path& path,
                               std::string (*read)(const fs::path&)) {
    const FileStamp stamp = StampOf(path).value_or(FileStamp{});
    TextReading& reading = texts_[path];
    if (reading.stamp == stamp && stamp.number != 0) return reading;
    reading = {.stamp = stamp, .text = "", .reason = ""};
    try {
      reading.text = read(path);
    } catch (const DataError& error) {
      reading.reason = WithoutPath(error.what(), path);
    }
    return reading;
  }

  std::vector<fs::path> paths_;
  std::vector<RunSource> sources_;
  std::map<fs::path, std::size_t> source_places_;
  std::set<std::string> source_names_;
  std::vector<CollectedRun> runs_;
  std::set<std::string> ids_;
  std::vector<SkippedFile> skipped_;
  Reproduction reproduction_;
  std::map<fs::path, Reading> readings_;
  std::map<fs::path, TextReading> texts_;
  std::uint64_t count_ = 0;  // of files read
};

Collection::Collection(std::vector<fs::path> paths)
    : content_(std::make_unique<Content>(std::move(paths))) {}
Collection::~Collection() = default;
Collection::Collection(Collection&&) noexcept = default;
Collection& Collection::operator=(Collection&&) noexcept = default;

void Collection::Refresh() { content_->Refresh(); }

const std::vector<RunSource>& Collection::Sources() const {
  return content_->Sources();
}

const std::vector<CollectedRun>& Collection::Runs() const {
  return content_->Runs();
}

const std::vector<SkippedFile>& Collection::Skipped() const {
  return content_->Skipped();
}

const Reproduction& Collection::Reproduced() const {
  return content_->Reproduced();
}

}  // namespace sven::report
