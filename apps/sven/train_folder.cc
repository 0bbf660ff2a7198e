// SPDX-License-Identifier: MIT
#include "train_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sven/base/atomic_file.h"
#include "sven/base/error.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using experiment::RunConfig;

// runs/toy1d-sven-3: the first number that is free.
fs::path NewFolder(const RunConfig& config) {
  const std::string data =
      config.Data().task.empty()
          ? fs::path(config.Data().data).stem().stem().string()
          : config.Data().task;
  const std::string stem =
      fmt::format("{}-{}", data, fmt::join(config.Optimizers(), "-"));
  std::error_code error;
  fs::create_directories("runs", error);
  for (int i = 1; !error; ++i) {
    fs::path folder = fs::path("runs") / fmt::format("{}-{}", stem, i);
    if (fs::exists(folder, error)) continue;
    if (fs::create_directory(folder, error)) return folder;
  }
  ThrowFileError("runs", "cannot create a folder for the run", error.value());
}

constexpr const char* kRunFiles[] = {
    experiment::kConfigFile, experiment::kCheckpointFile, experiment::kRunFile,
    experiment::kModelFile};

bool HasRun(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(kRunFiles, [&](const char* name) {
    return fs::exists(folder / name, ignored);
  });
}

// A folder with a configuration of its own is not part of the run around it.
bool IsIndependent(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / experiment::kConfigFile, ignored);
}

// What would let a run go on that is to be replaced. Its model stays until
// there is a new one, which may start from it, and its record until the first
// epoch of the new run is there to be recorded.
void ForgetRun(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / experiment::kCheckpointFile, ignored);
}

// Where the runs of a folder are: in it or, if there are several, inside it.
std::vector<fs::path> RunFolders(const fs::path& folder,
                                 const RunConfig& config) {
  if (config.Optimizers().size() == 1) return {folder};
  std::vector<fs::path> folders;
  for (const std::string& name : config.Optimizers()) {
    folders.push_back(folder / name);
  }
  return folders;
}

// Of the runs in a folder those in whose place the new ones put nothing.
std::vector<fs::path> Abandoned(const fs::path& folder,
                                const RunConfig& config) {
  std::vector<fs::path> old = {folder};
  try {
    RunConfig before;
    experiment::ReadConfig(folder / experiment::kConfigFile, before);
    old = RunFolders(folder, before);
  } catch (const Error&) {
    // Without a configuration that can be read only its own files are known.
  }
  const std::vector<fs::path> taken = RunFolders(folder, config);
  std::erase_if(old, [&](const fs::path& path) {
    return std::ranges::count(taken, path) > 0 ||
           (path != folder && IsIndependent(path));
  });
  return old;
}

}  // namespace

TrainFolder::TrainFolder(TrainFolderChoice choice, const RunConfig& config)
    : choice_(std::move(choice)), several_(config.Optimizers().size() > 1) {
  if (!choice_.resume.empty()) {
    folder_ = choice_.resume;
    lock_ = std::make_unique<experiment::FolderLock>(*folder_);
  } else if (!choice_.out.empty() && choice_.out != "none") {
    folder_ = choice_.out;
    CheckFree(config);
  }
}

void TrainFolder::Open(const RunConfig& config) {
  if (choice_.out == "none") return;
  if (!folder_) folder_ = NewFolder(config);
  if (!lock_) lock_ = std::make_unique<experiment::FolderLock>(*folder_);
  if (choice_.resume.empty()) Replace(config);
  WriteFileAtomically(*folder_ / experiment::kConfigFile, config.ToToml());
  for (const std::string& name : config.Optimizers()) {
    if (!several_) break;
    std::error_code error;
    fs::create_directory(*Of(name), error);
    if (error) ThrowFileError(*Of(name), "cannot create", error.value());
    RemoveTemporaries(*Of(name));
  }
}

void TrainFolder::RemoveOldModels() const {
  std::error_code ignored;
  for (const fs::path& folder : abandoned_) {
    fs::remove(folder / experiment::kModelFile, ignored);
    if (folder != *folder_) fs::remove(folder, ignored);  // if it is empty
  }
}

std::optional<fs::path> TrainFolder::Of(const std::string& optimizer) const {
  if (!folder_ || !several_) return folder_;
  return *folder_ / optimizer;
}

void TrainFolder::CheckFree(const RunConfig& config) const {
  bool found = HasRun(*folder_);
  for (const std::string& name : config.Optimizers()) {
    const fs::path inner = *folder_ / name;
    if (!several_ || !HasRun(inner)) continue;
    found = true;
    if (IsIndependent(inner)) {
      throw UsageError(fmt::format(
          "--out {}: {} holds a run of its own; choose another folder",
          folder_->string(), inner.string()));
    }
  }
  if (!found || choice_.overwrite) return;
  throw UsageError(fmt::format(
      "--out {}: there is a run already; --resume {} goes on with it, "
      "--overwrite replaces it",
      folder_->string(), folder_->string()));
}

void TrainFolder::Replace(const RunConfig& config) {
  abandoned_ = Abandoned(*folder_, config);
  for (const fs::path& folder : abandoned_) {
    std::error_code ignored;
    fs::remove(folder / experiment::kRunFile, ignored);
    ForgetRun(folder);
  }
  for (const fs::path& folder : RunFolders(*folder_, config)) {
    ForgetRun(folder);
  }
}

}  // namespace sven::cli
