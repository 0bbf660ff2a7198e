// SPDX-License-Identifier: MIT
#include "sven/experiment/run_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sven/base/error.h"

namespace sven::experiment {
namespace {

template <class T>
void SwapRows(Index a, Index b, data::Dataset<T>& data) {
  if (a == b) return;
  data.x.row(a).swap(data.x.row(b));
  if (data.y.size() > 0) data.y.row(a).swap(data.y.row(b));
  if (!data.labels.empty()) {
    std::swap(data.labels[static_cast<std::size_t>(a)],
              data.labels[static_cast<std::size_t>(b)]);
  }
}

// Moves `count` samples, drawn without replacement, to the end, in place.
template <class T>
void DrawToEnd(Index count, std::uint64_t seed, data::Dataset<T>& data) {
  RandomStream random(seed, RandomUse::kData);
  for (Index i = 0; i < count; ++i) {
    const Index left = data.Size() - i;
    SwapRows<T>(random.Below(left), left - 1, data);
  }
}

Index ValidationCount(const RunConfig& config, Index samples) {
  const double share = config.Data().validation;
  if (share == 0) return 0;
  if (samples < 2) {
    throw DataError(fmt::format(
        "{}: {} sample; a split needs two at least; --validation 0 trains "
        "without validation",
        config.Data().data, samples));
  }
  const auto count =
      static_cast<Index>(std::llround(share * static_cast<double>(samples)));
  return std::clamp<Index>(count, 1, samples - 1);
}

template <class T>
bool HasTargets(const data::Dataset<T>& data) {
  return data.y.cols() > 0 || !data.labels.empty();
}

// A table needs to be told which of its columns are targets.
void CheckTargetGiven(const std::string& path,
                      const data::ColumnOptions& columns) {
  if (!columns.targets.empty() || !data::IsTextTable(path)) return;
  throw UsageError(fmt::format(
      "{}: say which column is to be predicted with --target NAME, or its "
      "number (-1 is the last)",
      path));
}

void CheckTextSettings(const RunConfig& config) {
  if (data::IsTextTable(config.Data().data)) return;
  for (const char* name : {"separator", "header"}) {
    if (!config.IsGiven(name)) continue;
    throw UsageError(
        fmt::format("--{}: {} is not a text file", name, config.Data().data));
  }
}

template <class T>
void CheckTargets(const std::string& path, const data::Table<T>& table) {
  if (HasTargets(table.data)) return;
  throw UsageError(fmt::format(
      "{}: no targets: say what to predict with --target COLUMN (a number; -1 "
      "is the last), or --target-file FILE",
      path));
}

// The second file has the columns and the classes of the first.
template <class T>
data::Dataset<T> ReadValidationFile(const RunConfig& config,
                                    const data::Table<T>& first) {
  const DataSettings& settings = config.Data();
  data::DatasetFileOptions options = config.File();
  options.target_file = settings.val_target_file;
  if (!first.class_names.empty()) {
    options.csv.columns.classes = first.class_names;
    options.csv.columns.target_kind = data::TargetKind::kClasses;
  }
  data::Table<T> second = data::ReadDataset<T>(settings.val_data, options);
  CheckTargets(settings.val_data, second);
  if (second.data.x.cols() != first.data.x.cols() ||
      second.data.y.cols() != first.data.y.cols()) {
    throw DataError(fmt::format(
        "{}: {} inputs and {} targets: expected {} and {}, as {} has",
        settings.val_data, second.data.x.cols(), second.data.y.cols(),
        first.data.x.cols(), first.data.y.cols(), settings.data));
  }
  if (second.input_names != first.input_names) {
    throw DataError(
        fmt::format("{}: its input columns are {}: expected {}, as in {}",
                    settings.val_data, fmt::join(second.input_names, ", "),
                    fmt::join(first.input_names, ", "), settings.data));
  }
  return std::move(second.data);
}

// A column that lies so far from zero that T hardly resolves its values, or has
// perhaps made them all the same: whole numbers beyond 1 / epsilon are.
template <class T>
void CheckResolution(const std::string& source, std::string_view what,
                     const data::Scaling& scaling, ConstMatrixView<T> rows) {
  constexpr double kLevels = 64;
  for (std::size_t j = 0; j < scaling.mean.size(); ++j) {
    const double spacing =
        std::numeric_limits<T>::epsilon() * std::abs(scaling.mean[j]);
    const auto column = rows.col(static_cast<Index>(j));
    const bool constant = column.minCoeff() == column.maxCoeff();
    const double variation = constant ? 0 : scaling.deviation[j];
    if (constant ? spacing < 1 : variation >= kLevels * spacing) continue;
    throw DataError(fmt::format(
        "{}: {} {}: values around {:.6g} that vary by {:.3g}, which {} hardly "
        "resolves; subtract an offset{}, or say --standardise none",
        source, what, j + 1, scaling.mean[j], variation,
        sizeof(T) == 4 ? "f32" : "f64",
        sizeof(T) == 4 ? " or use --dtype f64" : ""));
  }
}

template <class T>
void Standardisation(const RunConfig& config, RunData<T>& run) {
  const Standardise choice = config.Data().standardise;
  const bool numbers = run.Train().y.cols() > 0;
  const bool both = choice == Standardise::kBoth;
  const bool automatic = choice == Standardise::kAuto;
  data::Normalisation& normalisation = run.card.normalisation;
  if (automatic || both || choice == Standardise::kInputs) {
    normalisation.inputs = data::LearnScaling<T>(run.Train().x);
    CheckResolution<T>(config.Data().data, "input", normalisation.inputs,
                       run.Train().x);
  }
  const bool targets = both || choice == Standardise::kTargets;
  if (targets && !numbers) {
    throw UsageError(fmt::format(
        "standardise = {}: the targets of {} are classes, which have no scale",
        Name(choice), config.Data().data));
  }
  if (targets || (automatic && numbers)) {
    normalisation.targets = data::LearnScaling<T>(run.Train().y);
    CheckResolution<T>(config.Data().data, "target", normalisation.targets,
                       run.Train().y);
  }
  for (data::Dataset<T>& part : run.storage) {
    normalisation.inputs.Apply<T>(MutableView(part.x));
    if (numbers) normalisation.targets.Apply<T>(MutableView(part.y));
  }
}

template <class T>
RunData<T> LoadFile(const RunConfig& config) {
  const DataSettings& settings = config.Data();
  CheckTargetGiven(settings.data, config.File().csv.columns);
  CheckTextSettings(config);
  data::Table<T> table = data::ReadDataset<T>(settings.data, config.File());
  CheckTargets(settings.data, table);
  RunData<T> run;
  if (!settings.val_data.empty()) {
    if (table.validation.Size() > 0) {
      throw UsageError(fmt::format(
          "--val-data {}: {} has a part for validation already (x_val, y_val)",
          settings.val_data, settings.data));
    }
    table.validation = ReadValidationFile<T>(config, table);
  }
  run.card.input_names = std::move(table.input_names);
  run.card.target_names = std::move(table.target_names);
  run.card.class_names = std::move(table.class_names);
  const bool has_part = table.validation.Size() > 0;
  if (has_part && config.IsGiven("validation")) {
    throw UsageError(fmt::format(
        "--validation: the data have a part for validation already ({})",
        settings.val_data.empty() ? settings.data : settings.val_data));
  }
  run.storage.push_back(std::move(table.data));
  if (has_part) {
    run.storage.push_back(std::move(table.validation));
  } else {
    data::Dataset<T>& all = run.storage.front();
    run.held_out = ValidationCount(config, all.Size());
    DrawToEnd<T>(run.held_out, settings.split_seed, all);
  }
  Standardisation(config, run);
  return run;
}

template <class T>
RunData<T> LoadTask(const RunConfig& config) {
  data::Task<T> task =
      data::MakeTask<T>("--task", config.Data().task, config.Task());
  RunData<T> run;
  run.storage.push_back(std::move(task.train));
  run.storage.push_back(std::move(task.validation));
  run.card.normalisation = std::move(task.normalisation);
  run.card.class_names = std::move(task.class_names);
  return run;
}

// The loss that was said, or the one that fits.
template <class T>
nn::Loss ChooseLoss(const RunConfig& config, const RunData<T>& run) {
  const bool classes = run.Train().y.cols() == 0;
  nn::Loss::Kind kind =
      classes ? nn::Loss::kCrossEntropy : nn::Loss::kSquaredError;
  if (!config.Data().task.empty()) {
    kind = data::FindTask("--task", config.Data().task).loss;
  }
  const nn::Loss loss(config.Model().loss.value_or(kind),
                      config.Model().huber_delta);
  if (config.IsGiven("huber_delta") && loss.kind != nn::Loss::kHuber) {
    throw UsageError(fmt::format(
        "--huber-delta: goes with --loss huber, not with {}", Name(loss.kind)));
  }
  if (loss.UsesLabels() != classes) {
    throw UsageError(fmt::format(
        "--loss {}: needs {}, but the targets are {}", Name(loss.kind),
        loss.UsesLabels() ? "classes (--target-kind classes)" : "numbers",
        classes ? "classes" : "numbers"));
  }
  return loss;
}

template <class T>
std::uint32_t Checksum(const nn::Batch<T>& part, std::uint32_t start) {
  uLong sum = start;
  const auto add = [&](const void* bytes, std::size_t size) {
    // Of no bytes at all zlib would give the sum to start from.
    if (size > 0) sum = crc32_z(sum, static_cast<const Bytef*>(bytes), size);
  };
  add(part.x.data(), sizeof(T) * static_cast<std::size_t>(part.x.size()));
  add(part.y.data(), sizeof(T) * static_cast<std::size_t>(part.y.size()));
  add(part.labels.data(), part.labels.size_bytes());
  return static_cast<std::uint32_t>(sum);
}

// The validation part of a task, scaled as the model wants it.
template <class T>
data::Dataset<T> TaskForModel(const RunConfig& config,
                              const data::ModelCard& card, bool need_targets) {
  data::Task<T> task =
      data::MakeTask<T>("--task", config.Data().task, config.Task());
  if (need_targets && task.class_names != card.class_names) {
    throw DataError(fmt::format(
        "--task {}: its classes are {}: expected {}, as the model has",
        config.Data().task, fmt::join(task.class_names, ","),
        fmt::join(card.class_names, ",")));
  }
  const data::Normalisation& wanted = card.normalisation;
  data::Dataset<T> data = std::move(task.validation);
  const auto convert = [](const data::Scaling& from, const data::Scaling& to,
                          Matrix<T>& values) {
    if (from == to) return;
    from.Undo<T>(MutableView(values));
    const bool fits = std::ssize(to.mean) == values.cols();
    if (fits || to.mean.size() == 1) to.Apply<T>(MutableView(values));
  };
  convert(task.normalisation.inputs, wanted.inputs, data.x);
  convert(task.normalisation.targets, wanted.targets, data.y);
  return data;
}

// The columns of a file that the model takes, not scaled yet.
template <class T>
data::Dataset<T> FileForModel(const RunConfig& config,
                              const data::TrainedModel<T>& model,
                              bool need_targets) {
  const data::ModelCard& card = model.card;
  const std::string& path = config.Data().data;
  data::DatasetFileOptions options = config.File();
  data::ColumnOptions& columns = options.csv.columns;
  CheckTextSettings(config);
  const bool by_name = data::IsTextTable(path) && columns.inputs.empty() &&
                       !card.input_names.empty();
  if (by_name) {
    columns.inputs = card.input_names;
    options.csv.header = data::Header::kYes;
  }
  if (data::IsTextTable(path) && columns.targets.empty() && need_targets) {
    columns.targets = card.target_names;
  }
  const bool labels = card.loss.UsesLabels();
  if (!columns.classes.empty() &&
      (!labels || columns.classes != card.class_names)) {
    throw UsageError(fmt::format(
        "--classes {}: those of the model are {}", FormatValue(columns.classes),
        labels ? FormatValue(card.class_names) : "none: it predicts numbers"));
  }
  if (need_targets && card.loss.UsesLabels()) {
    columns.target_kind = data::TargetKind::kClasses;
    if (columns.classes.empty()) columns.classes = card.class_names;
  }
  if (need_targets) CheckTargetGiven(path, columns);
  data::Table<T> table = data::ReadDataset<T>(path, options);
  if (need_targets) CheckTargets(path, table);
  // A name that is not there may have been taken for the number of a column.
  if (by_name && table.input_names != card.input_names) {
    throw DataError(fmt::format(
        "{}: its columns are not those of the model, {}; --inputs says which "
        "to take for them",
        path, fmt::join(card.input_names, ", ")));
  }
  return std::move(table.data);
}

template <class T>
void CheckTargetsFit(const std::string& source, const data::Dataset<T>& data,
                     const data::TrainedModel<T>& model) {
  const bool labels = model.card.loss.UsesLabels();
  const Index wanted = labels ? 0 : model.net.NumOutputs();
  if (data.y.cols() == wanted && data.labels.empty() != labels) return;
  throw DataError(
      fmt::format("{}: {}: expected {}, as the model was trained for", source,
                  data.labels.empty() ? fmt::format("{} targets", data.y.cols())
                                      : "targets that are classes",
                  labels ? "classes" : fmt::format("{} targets", wanted)));
}

}  // namespace

template <class T>
RunData<T> LoadRunData(const RunConfig& config) {
  RunData<T> run =
      config.Data().task.empty() ? LoadFile<T>(config) : LoadTask<T>(config);
  run.card.loss = ChooseLoss(config, run);
  run.outputs = run.Train().y.cols();
  if (run.card.loss.UsesLabels()) {
    run.outputs = std::ssize(run.card.class_names);
    if (run.outputs < 2) {
      throw DataError(fmt::format(
          "{}: all samples are of the same class; there is nothing to learn",
          config.Data().data));
    }
  }
  run.checksum = Checksum(run.Validation(), Checksum(run.Train(), 0));
  return run;
}

template <class T>
data::Dataset<T> LoadForModel(const RunConfig& config,
                              const data::TrainedModel<T>& model,
                              bool need_targets) {
  const data::Normalisation& normalisation = model.card.normalisation;
  const bool is_task = !config.Data().task.empty();
  data::Dataset<T> data =
      is_task ? TaskForModel<T>(config, model.card, need_targets)
              : FileForModel<T>(config, model, need_targets);
  const std::string& source = is_task ? config.Data().task : config.Data().data;
  if (data.x.cols() != model.net.NumInputs()) {
    throw DataError(fmt::format("{}: {} inputs: expected {}, as the model has",
                                source, data.x.cols(), model.net.NumInputs()));
  }
  if (need_targets) CheckTargetsFit(source, data, model);
  if (!is_task) {
    normalisation.inputs.Apply<T>(MutableView(data.x));
    if (need_targets && data.y.size() > 0) {
      normalisation.targets.Apply<T>(MutableView(data.y));
    }
  }
  return data;
}

template RunData<float> LoadRunData(const RunConfig&);
template RunData<double> LoadRunData(const RunConfig&);
template data::Dataset<float> LoadForModel(const RunConfig&,
                                           const data::TrainedModel<float>&,
                                           bool);
template data::Dataset<double> LoadForModel(const RunConfig&,
                                            const data::TrainedModel<double>&,
                                            bool);

}  // namespace sven::experiment
