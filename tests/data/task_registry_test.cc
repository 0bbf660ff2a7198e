// SPDX-License-Identifier: MIT
#include "sven/data/task_registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sven/base/error.h"

namespace sven::data::task_registry_test {
namespace {

std::string UsageErrorOf(std::string_view task, const TaskSettings& settings) {
  try {
    MakeTask<float>("--task", task, settings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

bool Has(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

TEST(TaskRegistry, TasksAreFoundByTheirNames) {
  std::set<std::string_view> names;
  for (const TaskInfo& task : AllTasks()) {
    EXPECT_EQ(&FindTask("--task", task.name), &task);
    EXPECT_TRUE(names.insert(task.name).second);
    EXPECT_EQ(task.hidden.size(), 3U);
  }
  EXPECT_TRUE(names.contains("polynomial-additive"));
  try {
    FindTask("--task", "toy2d");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--task = 'toy2d': no such task; did you mean 'toy1d'?");
  }
}

TEST(TaskRegistry, EverySettingIsTakenBySomeTaskAndEveryNameIsAField) {
  std::set<std::string_view> fields;
  const TaskSettings settings;
  TaskSettings::VisitFields(settings, [&](const Field& field, const auto&) {
    fields.insert(field.name);
  });
  EXPECT_EQ(fields,
            (std::set<std::string_view>{
                "train_size", "val_size", "data_seed", "dimension", "degree",
                "task_standardise", "noise", "digits", "data_dir"}));
  std::set<std::string_view> taken;
  for (const TaskInfo& task : AllTasks()) {
    for (const std::string_view name : TaskSettingNames(task)) {
      EXPECT_TRUE(fields.contains(name)) << name;
      taken.insert(name);
    }
  }
  EXPECT_EQ(taken, fields);
}

TEST(TaskRegistry, NoiseIsAddedToTheTrainingTargetsAlone) {
  for (const char* name : {"toy1d", "polynomial", "polynomial-additive"}) {
    const Task<double> clean = MakeTask<double>("--task", name);
    const Task<double> noisy = MakeTask<double>("--task", name, {.noise = 0.3});
    EXPECT_EQ(noisy.train.x, clean.train.x);
    EXPECT_EQ(noisy.validation.y, clean.validation.y);
    EXPECT_EQ(noisy.normalisation, clean.normalisation);
    const Matrix<double> noise = noisy.train.y - clean.train.y;
    const auto n = static_cast<double>(noise.size());
    EXPECT_NEAR(noise.mean(), 0, 4 * 0.3 / std::sqrt(n)) << name;
    EXPECT_NEAR(std::sqrt(noise.squaredNorm() / n), 0.3,
                4 * 0.3 / std::sqrt(2 * n))
        << name;
  }
}

TEST(TaskRegistry, SettingsComeThrough) {
  TaskSettings settings{.train_size = 30,
                        .val_size = 20,
                        .data_seed = 5,
                        .task_standardise = TaskStandardise::kInputs};
  const Task<double> toy = MakeTask<double>("--task", "toy1d", settings);
  EXPECT_EQ(toy.train.x,
            MakeToy1d<double>({.train = 30,
                               .validation = 20,
                               .seed = 5,
                               .standardise = TaskStandardise::kInputs})
                .train.x);
  settings.dimension = 3;
  settings.degree = 2;
  for (const PolynomialForm form :
       {PolynomialForm::kProducts, PolynomialForm::kAdditive}) {
    const std::string_view name = form == PolynomialForm::kProducts
                                      ? "polynomial"
                                      : "polynomial-additive";
    const Task<double> task = MakeTask<double>("--task", name, settings);
    const Task<double> expected =
        MakePolynomial<double>({.form = form,
                                .dimension = 3,
                                .degree = 2,
                                .train = 30,
                                .validation = 20,
                                .seed = 5,
                                .standardise = TaskStandardise::kInputs});
    EXPECT_EQ(task.train.x, expected.train.x);
    EXPECT_EQ(task.validation.y, expected.validation.y);
  }
}

TEST(TaskRegistry, DefaultsAreWhatATaskDoesByItself) {
  for (const std::string_view name :
       {"toy1d", "polynomial", "polynomial-additive"}) {
    const TaskInfo& info = FindTask("--task", name);
    const Task<float> task = MakeTask<float>("--task", name);
    EXPECT_EQ(MakeTask<float>("--task", name, TaskDefaults(info)).train.y,
              task.train.y);
    EXPECT_EQ(task.train.Size(), 10000);
    EXPECT_EQ(task.validation.Size(), 10000);
  }
  EXPECT_EQ(*TaskDefaults(FindTask("", "toy1d")).data_seed, 54631U);
  EXPECT_EQ(*TaskDefaults(FindTask("", "polynomial")).data_seed, 57728U);
  EXPECT_EQ(*TaskDefaults(FindTask("", "fashion-mnist")).data_dir,
            "data/fashion-mnist");
}

TEST(TaskRegistry, ASettingOfOtherTasksIsRefusedWithTheirNames) {
  const std::string digits =
      UsageErrorOf("toy1d", {.digits = std::vector<std::string>{"1", "2"}});
  EXPECT_TRUE(Has(digits, "--task = toy1d")) << digits;
  EXPECT_TRUE(Has(digits, "digits, which is one of mnist, fashion-mnist"))
      << digits;
  const std::string degree = UsageErrorOf("mnist", {.degree = 3});
  EXPECT_TRUE(Has(degree, "polynomial, polynomial-additive")) << degree;
  // "none" is a value to give, not the absence of one.
  TaskSettings settings;
  EXPECT_TRUE(
      SetField("--task-standardise", "task_standardise", "none", settings));
  EXPECT_TRUE(Has(UsageErrorOf("mnist", settings), "task_standardise"));
  EXPECT_TRUE(MakeTask<float>("--task", "toy1d", settings)
                  .normalisation.targets.IsIdentity());
}

TEST(TaskRegistry, ValuesThatCannotBeAreRefused) {
  EXPECT_TRUE(Has(UsageErrorOf("toy1d", {.train_size = 1}),
                  "train_size = 1: must satisfy train_size >= 2"));
  EXPECT_TRUE(Has(UsageErrorOf("polynomial", {.val_size = 0}),
                  "val_size = 0: must satisfy val_size >= 1"));
  EXPECT_TRUE(
      Has(UsageErrorOf("polynomial", {.degree = 40}), "1 <= degree <= 32"));
  EXPECT_TRUE(Has(UsageErrorOf("polynomial", {.dimension = 1000}),
                  "more than 1000000 terms"));
  EXPECT_TRUE(Has(UsageErrorOf("nonsense", {}), "expected toy1d"));
}

}  // namespace
}  // namespace sven::data::task_registry_test
