// SPDX-License-Identifier: MIT
//
// Where sven train puts its runs.
#ifndef SVEN_APPS_SVEN_TRAIN_FOLDER_H_
#define SVEN_APPS_SVEN_TRAIN_FOLDER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sven/experiment/run.h"

namespace sven::cli {

// What --out, --resume and --overwrite say.
struct TrainFolderChoice {
  std::string out;  // empty: a new one in runs; "none": no folder at all
  std::string resume;
  bool overwrite = false;
};

// The folder of a training: the run itself or, if there are several optimizers, a
// folder for each. Nothing is made or changed before Open.
class TrainFolder {
 public:
  // Throws if something is in the way.
  TrainFolder(TrainFolderChoice choice, const experiment::RunConfig& config);

  // Takes the folder, and writes down what is asked for.
  void Open(const experiment::RunConfig& config);

  // Once the new runs are there: the models that they do not replace, which one
  // of them may have started from.
  void RemoveOldModels() const;

  // Of one run: a folder of its own where there are several.
  [[nodiscard]] std::optional<std::filesystem::path> Of(
      const std::string& optimizer) const;

  [[nodiscard]] const std::optional<std::filesystem::path>& Path() const {
    return folder_;
  }

 private:
  // Throws if there is a run that is not to be replaced.
  void CheckFree(const experiment::RunConfig& config) const;
  // Nothing of the runs before may go on, and none of those whose place stays
  // empty may be shown along with the new ones.
  void Replace(const experiment::RunConfig& config);

  TrainFolderChoice choice_;
  bool several_;
  std::optional<std::filesystem::path> folder_;
  std::vector<std::filesystem::path>
      abandoned_;  // runs that are replaced by none
  std::unique_ptr<experiment::FolderLock> lock_;
};

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_TRAIN_FOLDER_H_
