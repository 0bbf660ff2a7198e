// SPDX-License-Identifier: MIT
//
// Whether somebody is training in a folder.
#ifndef SVEN_SRC_REPORT_RUNNING_H_
#define SVEN_SRC_REPORT_RUNNING_H_

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <utility>

namespace sven::report {

// The folders that belong to a process now (experiment::FolderLock). Taken from
// the system's list of locks: to try a lock would be in the way of a training
// that begins at this moment.
class HeldFolders {
 public:
  HeldFolders();

  // Whether the run with this record goes on: its folder, or the one of the
  // command that it is part of, is held.
  [[nodiscard]] bool IsRunning(const std::filesystem::path& record) const;

 private:
  [[nodiscard]] bool IsHeld(const std::filesystem::path& folder) const;

  std::set<std::pair<dev_t, ino_t>> locks_;
};

}  // namespace sven::report

#endif  // SVEN_SRC_REPORT_RUNNING_H_
