// SPDX-License-Identifier: MIT
//
// The records that lie in folders: runs (run.jsonl), scans (scan.toml with
// runs/*.jsonl), reproductions (results.json, claims.json and scans), and
// folders that hold such folders.
//
//   Collection collection({"runs", "scans/grid"});
//   collection.Refresh();
//   for (const CollectedRun& run : collection.Runs()) ...
//
// Whatever cannot be read is listed with the reason, and all else is there
// nevertheless. Refreshed again, only files that have changed are read, so that
// runs can be followed while they train.
#ifndef SVEN_REPORT_COLLECTION_H_
#define SVEN_REPORT_COLLECTION_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sven/train/records.h"

namespace sven::report {

// Where runs come from: a scan, or a folder with folders of runs in it.
struct RunSource {
  std::string name;   // unique: the folder relative to the one that was named
  std::string title;  // of a scan; empty if it has none
  bool is_scan = false;
  std::filesystem::path path;
};

struct CollectedRun {
  std::string id;          // unique: source and file, "toy1d/sven_k=16_seed=1"
  std::size_t source = 0;  // place in Sources()
  bool in_scan = false;    // the source is a scan
  std::filesystem::path path;
  // As in the summary; without one "running" or "interrupted".
  std::string status;
  std::shared_ptr<const train::RunFile> record;
  std::uint64_t reading = 0;  // another number each time the file was read
};

struct SkippedFile {
  std::string path;
  std::string reason;

  bool operator==(const SkippedFile&) const = default;
};

// What `sven reproduce` made of its scans, as JSON; empty where there is none.
struct Reproduction {
  std::string experiments;
  std::string claims;

  [[nodiscard]] bool IsThere() const {
    return !experiments.empty() || !claims.empty();
  }
};

class Collection {
 public:
  // Folders, or files of runs. Throws a DataError if one of them is missing.
  explicit Collection(std::vector<std::filesystem::path> paths);
  ~Collection();
  Collection(Collection&&) noexcept;
  Collection& operator=(Collection&&) noexcept;

  // Nothing is there before the first time.
  void Refresh();

  // Only ever grows: entries keep their places.
  [[nodiscard]] const std::vector<RunSource>& Sources() const;
  [[nodiscard]] const std::vector<CollectedRun>& Runs() const;
  [[nodiscard]] const std::vector<SkippedFile>& Skipped() const;
  [[nodiscard]] const Reproduction& Reproduced() const;

  // Larger files are no records of ours.
  static constexpr std::uintmax_t kLargestFile = std::uintmax_t{64} << 20;

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

}  // namespace sven::report

#endif  // SVEN_REPORT_COLLECTION_H_
