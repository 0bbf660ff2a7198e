// SPDX-License-Identifier: MIT
//
// Everything that defines a training, as settings with names and texts: the
// command line and configuration files say them, run files echo them.
//
//   RunConfig config;
//   config.Set("--task", "task", "toy1d");
//   config.Set("--optimizer", "optimizer", "sven,adam");
//   config.Set("--lr", "lr", "0.1");
//   config.SetFor("--set", "adam", "lr", "0.01");
//
// A setting of optimizers holds for all chosen ones that have it, unless it is
// said for one of them.
#ifndef SVEN_EXPERIMENT_RUN_CONFIG_H_
#define SVEN_EXPERIMENT_RUN_CONFIG_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/fields.h"
#include "sven/base/number_type.h"
#include "sven/data/dataset_file.h"
#include "sven/data/task_registry.h"
#include "sven/nn/activation.h"
#include "sven/nn/loss.h"
#include "sven/optim/registry.h"
#include "sven/train/interval.h"
#include "sven/train/trainer.h"

namespace sven::experiment {

// Which columns are brought to mean 0 and deviation 1. auto: inputs, and for
// regression targets.
enum class Standardise { kAuto, kNone, kInputs, kTargets, kBoth };

struct DataSettings {
  std::string task = "";  // one of sven list tasks; or
  std::string data = "";  // a file
  // Of a file of one's own: a second one for validation, or the share of the
  // samples that is set apart for it, drawn by split_seed.
  std::string val_data = "";
  std::string val_target_file = "";
  double validation = 0.2;
  std::uint64_t split_seed = 1;
  Standardise standardise = Standardise::kAuto;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"task", "built-in task, one of sven list tasks"}, self.task);
    visit(Field{"data",
                "file with your data: CSV, TSV, NPY, NPZ, IDX, safetensors"},
          self.data);
    visit(Field{"val_data", "file with data for validation"}, self.val_data);
    visit(Field{"val_target_file", "NPY or IDX file with their targets"},
          self.val_target_file);
    visit(Field{"validation",
                "share of the data set apart for validation",
                {.low = 0, .high = 1, .high_open = true}},
          self.validation);
    visit(Field{"split_seed", "seed of the choice of that share"},
          self.split_seed);
    visit(Field{"standardise", "bring columns to mean 0 and deviation 1"},
          self.standardise);
  }
};

// Widths of hidden layers: "16,16,16", or "linear" for none.
struct Widths {
  std::vector<Index> widths = {};

  [[nodiscard]] std::string ToText() const;
  static Widths FromText(std::string_view source, std::string_view text);
  bool operator==(const Widths&) const = default;
};

struct ModelSettings {
  // What is not said follows from the task, or is 32,32 and the loss that fits
  // the targets: mse for numbers, ce for classes.
  std::optional<Widths> hidden = std::nullopt;
  std::optional<nn::Activation> activation = std::nullopt;
  std::optional<nn::Loss::Kind> loss = std::nullopt;
  double huber_delta = 1;
  std::string init = "";
  NumberType dtype = NumberType::kFloat32;
  std::uint64_t seed = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"hidden",
                "widths of the hidden layers, such as 16,16,16, or linear; "
                "none: those of the task, else 32,32"},
          self.hidden);
    visit(Field{"activation", "between layers: " + AllNames<nn::Activation>() +
                                  "; none: gelu, or that of --init"},
          self.activation);
    visit(Field{"loss",
                "per sample: " + AllNames<nn::Loss::Kind>() +
                    "; none: that of the task, else mse for numbers, ce for "
                    "classes"},
          self.loss);
    visit(Field{"huber_delta",
                "where the Huber loss becomes linear",
                {.low = 0, .low_open = true}},
          self.huber_delta);
    visit(Field{"init", "start from the weights in this safetensors file"},
          self.init);
    visit(Field{"dtype", "type of the numbers"}, self.dtype);
    visit(Field{"seed", "seed of the initial weights and of the optimizer"},
          self.seed);
  }
};

// How a run is carried out. (Threads may change the last bits of a result.)
struct ExecutionSettings {
  std::optional<train::Interval> checkpoint_every = train::Interval{};
  Index threads = 1;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"checkpoint_every",
                "how often to save: 30s, 5epochs, 100steps, or none"},
          self.checkpoint_every);
    visit(
        Field{"threads", "for large matrix products", {.low = 1, .high = 256}},
        self.threads);
  }
};

// Fields under a heading, for listings.
struct FieldGroup {
  std::string title;
  std::vector<FieldDescription> fields;
};

class RunConfig {
 public:
  // Sets a setting of the run or of optimizers. Throws a UsageError that opens
  // with `source` for a name that nobody knows, with the nearest one, and for
  // a value that it may not have.
  void Set(const std::string& source, const std::string& name,
           const std::string& text);
  // For one optimizer, whatever Set said before about it.
  void SetFor(const std::string& source, const std::string& optimizer,
              const std::string& name, const std::string& text);

  // Throws a UsageError for settings that contradict each other.
  void Validate() const;

  [[nodiscard]] const DataSettings& Data() const { return data_; }
  [[nodiscard]] const data::TaskSettings& Task() const { return task_; }
  [[nodiscard]] const data::DatasetFileOptions& File() const { return file_; }
  [[nodiscard]] const ModelSettings& Model() const { return model_; }
  [[nodiscard]] const ExecutionSettings& Execution() const {
    return execution_;
  }
  // With the task's batch size, if none was said.
  [[nodiscard]] train::TrainOptions Training() const;
  [[nodiscard]] const std::vector<std::string>& Optimizers() const {
    return optimizers_;
  }
  // One of them, with its settings.
  [[nodiscard]] optim::OptimizerChoice Optimizer(const std::string& name) const;

  [[nodiscard]] bool IsGiven(const std::string& name) const {
    return given_.contains(name);
  }

  // What was said about a setting; it must have been given.
  [[nodiscard]] const std::string& GivenText(const std::string& name) const {
    return given_.at(name).text;
  }

  // What was said, as TOML that gives the same settings when it is read. Paths
  // are absolute.
  [[nodiscard]] std::string ToToml() const;

  // All settings of the run, except those of optimizers and of execution.
  [[nodiscard]] std::map<std::string, std::string> Echo() const;

  // Whether a setting is the path of a file or a folder.
  static bool IsPath(std::string_view name);

  // The settings that are not those of optimizers, with their defaults.
  static std::vector<FieldGroup> Describe();

 private:
  struct Given {
    std::string source;
    std::string text;
  };
  using GivenTexts = std::map<std::string, Given>;

  bool SetRunField(const std::string& source, const std::string& name,
                   const std::string& text);
  void SetOptimizers(const std::string& source, const std::string& text);
  void CheckOptimizerSettings() const;

  template <class Visit>
  static void ForEachGroup(const Visit& visit);

  DataSettings data_;
  data::TaskSettings task_;
  data::DatasetFileOptions file_;
  ModelSettings model_;
  train::TrainOptions training_;
  ExecutionSettings execution_;
  std::vector<std::string> optimizers_ = {"sven"};
  GivenTexts given_;
  std::map<std::string, GivenTexts> given_for_;  // by optimizer
};

// Adds what a TOML file says: a key per setting, and a table per optimizer for
// those that are only its own. Throws a UsageError that names file, line and
// key.
//
//   task = "toy1d"
//   hidden = [16, 16, 16]
//   optimizer = ["sven", "adam"]
//   [adam]
//   lr = 0.01
void ParseConfig(std::string_view toml, const std::string& source,
                 RunConfig& config);
void ReadConfig(const std::filesystem::path& path, RunConfig& config);

}  // namespace sven::experiment

template <>
struct sven::EnumNames<sven::experiment::Standardise> {
  using Standardise = sven::experiment::Standardise;
  static constexpr std::pair<std::string_view, Standardise> kTable[] = {
      {"auto", Standardise::kAuto},     {"none", Standardise::kNone},
      {"inputs", Standardise::kInputs}, {"targets", Standardise::kTargets},
      {"both", Standardise::kBoth},
  };
};

#endif  // SVEN_EXPERIMENT_RUN_CONFIG_H_
