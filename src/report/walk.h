// SPDX-License-Identifier: MIT
//
// Which files of folders are to be read, and what they are called.
#ifndef SVEN_SRC_REPORT_WALK_H_
#define SVEN_SRC_REPORT_WALK_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sven/report/collection.h"

namespace sven::report {

struct FoundRecord {
  std::filesystem::path path;
  std::filesystem::path place;  // the folder that is its source
  std::string place_name;
  std::string name;  // within the place
  bool is_scan = false;
};

// What a walk through folders comes upon, in the order of names. A folder that
// is reached twice, by links or by naming it twice, is entered once.
class Walk {
 public:
  // A folder, or the file of a run.
  void Add(const std::filesystem::path& top);

  [[nodiscard]] const std::vector<FoundRecord>& Records() const {
    return records_;
  }
  // results.json and claims.json.
  [[nodiscard]] const std::vector<std::filesystem::path>& Results() const {
    return results_;
  }
  [[nodiscard]] const std::vector<std::filesystem::path>& Claims() const {
    return claims_;
  }
  [[nodiscard]] const std::vector<SkippedFile>& Skipped() const {
    return skipped_;
  }

 private:
  struct Folder;
  void Enter(const std::filesystem::path& path,
             const std::filesystem::path& top,
             const std::filesystem::path& root);
  void EnterInside(const Folder& folder, const std::filesystem::path& top);
  void AddRecords(const Folder& folder, const std::filesystem::path& top);
  void AddScan(const Folder& folder);
  void ListForeign(const Folder& folder);

  std::set<std::filesystem::path> entered_;
  std::vector<FoundRecord> records_;
  std::vector<std::filesystem::path> results_;
  std::vector<std::filesystem::path> claims_;
  std::vector<SkippedFile> skipped_;
};

}  // namespace sven::report

#endif  // SVEN_SRC_REPORT_WALK_H_
