// SPDX-License-Identifier: MIT
#include "walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sven/base/text.h"
#include "sven/experiment/run.h"

namespace sven::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScanFile = "scan.toml";
constexpr const char* kResultsFile = "results.json";
constexpr const char* kClaimsFile = "claims.json";
// Of a scan: finished runs, and those that are at work.
constexpr const char* kRunsFolder = "runs";
constexpr const char* kWorkFolder = ".work";
constexpr const char* kRecordEnding = ".jsonl";

// The last name of a path, also of "." and "a/..".
std::string BaseName(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  if (normal.filename() == "." || normal.filename() == ".." || normal.empty()) {
    std::error_code ignored;
    normal = fs::weakly_canonical(path.empty() ? "." : path, ignored);
  }
  return normal.has_filename() ? normal.filename().string() : "/";
}

// What a folder below `root` is called: the way there.
std::string NameBelow(const fs::path& root, const fs::path& path) {
  const std::string way = path.lexically_relative(root).string();
  return way.empty() || way == "." || way.starts_with("..") ? BaseName(path)
                                                            : way;
}

bool IsOurs(const std::string& name) {
  constexpr const char* kOurs[] = {experiment::kConfigFile,
                                   experiment::kModelFile,
                                   experiment::kCheckpointFile,
                                   kScanFile,
                                   kResultsFile,
                                   kClaimsFile};
  return std::ranges::find(kOurs, name) != std::end(kOurs) ||
         name.ends_with(kRecordEnding) || name.ends_with(".html");
}

}  // namespace

// The entries of a folder, sorted, without hidden ones.
struct Walk::Folder {
  fs::path path;
  fs::path root;  // that names are relative to
  std::vector<std::string> files = {};
  std::vector<std::string> folders = {};
  std::vector<std::string> others = {};  // pipes, sockets, broken links

  [[nodiscard]] bool HasFile(const std::string& name) const {
    return std::ranges::binary_search(files, name);
  }
  [[nodiscard]] bool IsScan() const {
    return HasFile(kScanFile) &&
           std::ranges::binary_search(folders, std::string(kRunsFolder));
  }
  [[nodiscard]] bool HasRecords() const {
    return IsScan() || HasFile(kResultsFile) || HasFile(kClaimsFile) ||
           std::ranges::any_of(files, [](const std::string& name) {
             return name.ends_with(kRecordEnding);
           });
  }

  // What went wrong.
  std::error_code Read() {
    std::error_code error;
    fs::directory_iterator entry(path, error);
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.')) continue;
      std::error_code ignored;
      const fs::file_status status = entry->status(ignored);
      auto& list = fs::is_directory(status)      ? folders
                   : fs::is_regular_file(status) ? files
                                                 : others;
      list.push_back(name);
    }
    for (auto* list : {&files, &folders, &others}) std::ranges::sort(*list);
    return error;
  }
};

void Walk::Add(const fs::path& top) {
  std::error_code error;
  if (fs::is_directory(top, error)) {
    Enter(top, top, top);
    return;
  }
  fs::path place = fs::absolute(top, error).parent_path();
  records_.push_back({.path = top,
                      .place = place,
                      .place_name = BaseName(place),
                      .name = top.stem().string()});
}

void Walk::Enter(const fs::path& path, const fs::path& top,
                 const fs::path& root) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (!error && !entered_.insert(canonical).second) return;
  Folder folder{.path = path, .root = root};
  if (!error) error = folder.Read();
  if (error) skipped_.push_back({path.string(), error.message()});
  // The figures of a reproduction know its scans by their names in it.
  if (folder.HasFile(kResultsFile)) folder.root = path;
  if (folder.HasFile(kResultsFile)) results_.push_back(path / kResultsFile);
  if (folder.HasFile(kClaimsFile)) claims_.push_back(path / kClaimsFile);
  AddRecords(folder, top);
  if (folder.IsScan()) AddScan(folder);
  if (path == top || folder.HasRecords()) ListForeign(folder);
  EnterInside(folder, top);
}

void Walk::EnterInside(const Folder& folder, const fs::path& top) {
  for (const std::string& name : folder.folders) {
    if (folder.IsScan() && name == kRunsFolder) continue;
    Enter(folder.path / name, top, folder.root);
  }
}

// run.jsonl is called after its folder, and folders beside each other are one
// source; other records lie in their source themselves.
void Walk::AddRecords(const Folder& folder, const fs::path& top) {
  for (const std::string& name : folder.files) {
    if (!name.ends_with(kRecordEnding)) continue;
    FoundRecord record{.path = folder.path / name,
                       .place = folder.path,
                       .place_name = "",
                       .name = ""};
    if (name == experiment::kRunFile) {
      std::error_code ignored;
      record.place = folder.path == top
                         ? fs::canonical(top, ignored).parent_path()
                         : folder.path.parent_path();
      record.name = BaseName(folder.path);
    } else {
      record.name = fs::path(name).stem().string();
    }
    record.place_name = NameBelow(folder.root, record.place);
    records_.push_back(std::move(record));
  }
}

void Walk::AddScan(const Folder& folder) {
  const FoundRecord record{.path = {},
                           .place = folder.path,
                           .place_name = NameBelow(folder.root, folder.path),
                           .name = "",
                           .is_scan = true};
  const auto add = [&](const fs::path& path, std::string name) {
    FoundRecord found = record;
    found.path = path;
    found.name = std::move(name);
    records_.push_back(std::move(found));
  };
  Folder runs{.path = folder.path / kRunsFolder, .root = folder.root};
  if (const auto error = runs.Read()) {
    skipped_.push_back({runs.path.string(), error.message()});
  }
  for (const std::string& name : runs.files) {
    if (!name.ends_with(kRecordEnding)) continue;
    add(runs.path / name, fs::path(name).stem().string());
  }
  ListForeign(runs);
  // A run that is at work has the name that it will have in the end.
  Folder work{.path = folder.path / kWorkFolder, .root = folder.root};
  static_cast<void>(work.Read());
  for (const std::string& name : work.folders) {
    std::error_code ignored;
    const fs::path path = work.path / name / experiment::kRunFile;
    if (!runs.HasFile(name + kRecordEnding) && fs::exists(path, ignored)) {
      add(path, name);
    }
  }
}

void Walk::ListForeign(const Folder& folder) {
  for (const std::string& name : folder.others) {
    skipped_.push_back(
        {(folder.path / name).string(), "neither a file nor a folder"});
  }
  constexpr std::size_t kMost = 20;
  std::size_t count = 0;
  for (const std::string& name : folder.files) {
    if (IsOurs(name) || ++count > kMost) continue;
    skipped_.push_back(
        {(folder.path / name).string(), "not a file that Sven writes"});
  }
  if (count <= kMost) return;
  skipped_.push_back(
      {folder.path.string(),
       fmt::format("{} more files that Sven does not write", count - kMost)});
}

}  // namespace sven::report
