// SPDX-License-Identifier: MIT
//
// The paper's tasks and methods, by the names of their experiments.
#ifndef SVEN_SRC_EXPERIMENT_PAPER_TASKS_H_
#define SVEN_SRC_EXPERIMENT_PAPER_TASKS_H_

#include <string>
#include <string_view>

namespace sven::experiment {

struct PaperTask {
  std::string_view name;
  std::string_view title;
  bool regression;
};

inline constexpr PaperTask kPaperTasks[] = {
    {"toy1d", "1-D", true},
    {"polynomial-additive", "polynomial as published", true},
    {"polynomial", "polynomial as printed", true},
    {"mnist", "MNIST", false},
};

inline constexpr const char* kFirstOrder[] = {"sgd", "polyak", "rmsprop",
                                              "adam"};

constexpr const PaperTask& FindPaperTask(std::string_view name) {
  const PaperTask* task = kPaperTasks;
  while (task->name != name) ++task;
  return *task;
}

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_PAPER_TASKS_H_
