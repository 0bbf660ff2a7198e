// SPDX-License-Identifier: MIT
//
// The built-in tasks (tasks.h) by name, with their settings as fields: what the
// command line, configuration files, listings and the documentation draw from.
//
//   TaskSettings settings;
//   settings.train_size = 1000;
//   Task<float> task = MakeTask<float>("--task", "toy1d", settings);
#ifndef SVEN_DATA_TASK_REGISTRY_H_
#define SVEN_DATA_TASK_REGISTRY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/fields.h"
#include "sven/data/tasks.h"
#include "sven/nn/loss.h"

namespace sven::data {

// The settings of all tasks; what is not given is up to the task. (The
// standardisation has a value for that, because its "none" is one to give.)
struct TaskSettings {
  std::optional<Index> train_size = std::nullopt;
  std::optional<Index> val_size = std::nullopt;
  std::optional<std::uint64_t> data_seed = std::nullopt;
  std::optional<Index> dimension = std::nullopt;
  std::optional<Index> degree = std::nullopt;
  TaskStandardise task_standardise = TaskStandardise::kDefault;
  std::optional<double> noise = std::nullopt;
  std::optional<std::vector<std::string>> digits = std::nullopt;
  std::optional<std::string> data_dir = std::nullopt;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"train_size", "training samples", {.low = 1}}, self.train_size);
    visit(Field{"val_size", "validation samples", {.low = 1}}, self.val_size);
    visit(Field{"data_seed", "seed that the samples are made from"},
          self.data_seed);
    visit(Field{"dimension", "number of variables", {.low = 1}},
          self.dimension);
    visit(Field{"degree", "largest total degree", kPolynomialDegrees},
          self.degree);
    visit(
        Field{"task_standardise", "what gets mean 0 and standard deviation 1"},
        self.task_standardise);
    visit(Field{"noise", kNoiseMeaning, {.low = 0}}, self.noise);
    visit(Field{"digits", "only these classes, as in 0,1,7"}, self.digits);
    visit(Field{"data_dir", "folder of the files"}, self.data_dir);
  }

  bool operator==(const TaskSettings&) const = default;
};

struct TaskInfo {
  std::string_view name;     // "toy1d"
  std::string_view title;    // "1-D regression"
  std::string_view summary;  // one line
  // What to train, and how, where nothing else is said: as in the paper.
  std::span<const Index> hidden;  // widths of the hidden layers
  nn::Loss::Kind loss;
  Index batch_size;
};

// In the order of the documentation.
std::span<const TaskInfo> AllTasks();

// Throws a UsageError that opens with `source` and suggests the nearest name if
// there is none of this.
const TaskInfo& FindTask(std::string_view source, std::string_view name);

// The names of the fields of TaskSettings that the task takes, and these fields
// with the task's defaults, where it has any.
std::vector<std::string_view> TaskSettingNames(const TaskInfo& task);
TaskSettings TaskDefaults(const TaskInfo& task);

// Throws a UsageError for a name that FindTask does not know, for a setting
// that the task does not take, and for a value that it may not have; a
// DataError if its files are missing or wrong.
template <class T>
Task<T> MakeTask(std::string_view source, std::string_view name,
                 const TaskSettings& settings = {});

}  // namespace sven::data

#endif  // SVEN_DATA_TASK_REGISTRY_H_
