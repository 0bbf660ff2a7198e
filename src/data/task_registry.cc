// SPDX-License-Identifier: MIT
#include "sven/data/task_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sven/base/error.h"
#include "sven/base/suggest.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

enum class Kind { kToy1d, kPolynomial, kImages };

constexpr std::array<Index, 3> kNarrow = {16, 16, 16};
constexpr std::array<Index, 3> kWide = {32, 32, 32};

// The one list of tasks.
constexpr std::array<TaskInfo, 5> kTasks = {{
    {"toy1d", "1-D regression",
     "y = exp(-10 x^2) sin(2x), x uniform in [-1, 1]", kNarrow,
     nn::Loss::kSquaredError, 32},
    {"polynomial", "Random polynomial",
     "all monomials up to a degree, with normal coefficients and inputs",
     kNarrow, nn::Loss::kSquaredError, 32},
    {"polynomial-additive", "Random additive polynomial",
     "what the paper's published code makes of it: powers added, not "
     "multiplied",
     kNarrow, nn::Loss::kSquaredError, 32},
    {"mnist", "MNIST", "digits of 28 x 28 pixels, from files", kWide,
     nn::Loss::kLabelRegression, 64},
    {"fashion-mnist", "Fashion-MNIST",
     "pieces of clothing of 28 x 28 pixels, from files", kWide,
     nn::Loss::kLabelRegression, 64},
}};

Kind KindOf(const TaskInfo& task) {
  if (task.name == "toy1d") return Kind::kToy1d;
  return FromName<ImageSet>(task.name) ? Kind::kImages : Kind::kPolynomial;
}

Toy1dOptions ToToy1d(const TaskSettings& settings) {
  Toy1dOptions options{.standardise = settings.task_standardise};
  options.train = settings.train_size.value_or(options.train);
  options.validation = settings.val_size.value_or(options.validation);
  options.seed = settings.data_seed.value_or(options.seed);
  options.noise = settings.noise.value_or(options.noise);
  return options;
}

PolynomialOptions ToPolynomial(const TaskInfo& task,
                               const TaskSettings& settings) {
  PolynomialOptions options{.standardise = settings.task_standardise};
  if (task.name == "polynomial-additive") {
    options.form = PolynomialForm::kAdditive;
  }
  options.dimension = settings.dimension.value_or(options.dimension);
  options.degree = settings.degree.value_or(options.degree);
  options.train = settings.train_size.value_or(options.train);
  options.validation = settings.val_size.value_or(options.validation);
  options.seed = settings.data_seed.value_or(options.seed);
  options.noise = settings.noise.value_or(options.noise);
  return options;
}

MnistOptions ToMnist(const TaskInfo& task, const TaskSettings& settings) {
  return {.set = *FromName<ImageSet>(task.name),
          .folder = settings.data_dir.value_or(""),
          .digits = settings.digits.value_or(std::vector<std::string>{}),
          .train = settings.train_size,
          .validation = settings.val_size};
}

// The names of the settings that have a value.
std::vector<std::string_view> Given(const TaskSettings& settings) {
  std::vector<std::string_view> names;
  const TaskSettings unset;
  TaskSettings::VisitFields(
      settings, [&](const Field& field, const auto& value) {
        bool is_set = false;
        if constexpr (sven::internal::IsOptional<
                          std::decay_t<decltype(value)>>::value) {
          is_set = value.has_value();
        } else {
          is_set = value != unset.task_standardise;
        }
        if (is_set) names.push_back(field.name);
      });
  return names;
}

bool Takes(const TaskInfo& task, std::string_view setting) {
  return std::ranges::count(TaskSettingNames(task), setting) > 0;
}

void RefuseForeignSettings(std::string_view source, const TaskInfo& task,
                           const TaskSettings& settings) {
  for (const std::string_view setting : Given(settings)) {
    if (Takes(task, setting)) continue;
    std::vector<std::string_view> owners;
    for (const TaskInfo& other : kTasks) {
      if (Takes(other, setting)) owners.push_back(other.name);
    }
    throw UsageError(
        fmt::format("{} = {}: does not take the setting {}, which is one of {}",
                    source, task.name, setting, fmt::join(owners, ", ")));
  }
}

// Two samples are the least that have a standard deviation.
void CheckTrainSize(const TaskInfo& task, const TaskSettings& settings) {
  if (KindOf(task) == Kind::kImages || settings.train_size.value_or(2) >= 2) {
    return;
  }
  throw UsageError(fmt::format(
      "TaskSettings::train_size = {}: must satisfy train_size >= 2 for {}",
      *settings.train_size, task.name));
}

}  // namespace

std::span<const TaskInfo> AllTasks() { return kTasks; }

const TaskInfo& FindTask(std::string_view source, std::string_view name) {
  std::vector<std::string_view> names;
  for (const TaskInfo& task : kTasks) {
    if (task.name == name) return task;
    names.push_back(task.name);
  }
  throw UsageError(fmt::format("{} = {}: no such task{}", source, Quote(name),
                               SuggestOrList(name, names)));
}

std::vector<std::string_view> TaskSettingNames(const TaskInfo& task) {
  switch (KindOf(task)) {
    case Kind::kToy1d:
      return {"train_size", "val_size", "data_seed", "task_standardise",
              "noise"};
    case Kind::kPolynomial:
      return {"train_size", "val_size",         "data_seed", "dimension",
              "degree",     "task_standardise", "noise"};
    case Kind::kImages:
      break;
  }
  return {"train_size", "val_size", "digits", "data_dir"};
}

TaskSettings TaskDefaults(const TaskInfo& task) {
  TaskSettings defaults;
  if (KindOf(task) == Kind::kImages) {
    defaults.data_dir = DefaultFolder(ToMnist(task, {}).set).string();
    return defaults;
  }
  const PolynomialOptions polynomial = ToPolynomial(task, {});
  const Toy1dOptions toy1d = ToToy1d({});
  const bool is_toy1d = KindOf(task) == Kind::kToy1d;
  defaults.train_size = is_toy1d ? toy1d.train : polynomial.train;
  defaults.val_size = is_toy1d ? toy1d.validation : polynomial.validation;
  defaults.data_seed = is_toy1d ? toy1d.seed : polynomial.seed;
  defaults.task_standardise = TaskStandardise::kTargets;
  defaults.noise = 0;
  if (is_toy1d) return defaults;
  defaults.dimension = polynomial.dimension;
  defaults.degree = polynomial.degree;
  return defaults;
}

template <class T>
Task<T> MakeTask(std::string_view source, std::string_view name,
                 const TaskSettings& settings) {
  const TaskInfo& task = FindTask(source, name);
  RefuseForeignSettings(source, task, settings);
  ValidateFields("TaskSettings", settings);
  CheckTrainSize(task, settings);
  switch (KindOf(task)) {
    case Kind::kToy1d:
      return MakeToy1d<T>(ToToy1d(settings));
    case Kind::kPolynomial:
      return MakePolynomial<T>(ToPolynomial(task, settings));
    case Kind::kImages:
      break;
  }
  return MakeMnist<T>(ToMnist(task, settings));
}

template Task<float> MakeTask(std::string_view, std::string_view,
                              const TaskSettings&);
template Task<double> MakeTask(std::string_view, std::string_view,
                               const TaskSettings&);

}  // namespace sven::data
