// SPDX-License-Identifier: MIT
#include "sven/experiment/paper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "sven/base/atomic_file.h"
#include "sven/experiment/identities.h"

namespace sven::experiment::paper_test {
namespace {

TEST(PaperExperiments, AreTheFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(SVEN_TEST_DATA) / "../../experiments";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(PaperExperiments().size(), files);
  for (const PaperExperiment& one : PaperExperiments()) {
    EXPECT_EQ(ReadTextFile(folder / (std::string(one.name) + ".toml")),
              one.toml);
  }
}

TEST(PaperExperiments, CanHaveOtherSeedsAndAnotherFolder) {
  for (const PaperExperiment& one : PaperExperiments()) {
    const std::string toml =
        WithDataFolder(WithSeeds(one.toml, 3), "/a \"b\\c");
    const Scan scan = ParseScan(toml, std::string(one.name));
    std::size_t third = 0;
    for (const ScanPoint& point : scan.points) {
      third += point.config.Model().seed == 3 ? 1 : 0;
      EXPECT_LE(point.config.Model().seed, 3U);
      if (point.config.Data().task == "mnist") {
        EXPECT_EQ(point.config.Task().data_dir, "/a \"b\\c");
      }
    }
    EXPECT_EQ(3 * third, scan.points.size()) << one.name;
  }
  EXPECT_EQ(WithSeeds("[run]\nseed = [1, 2]\nlr = 1\n", 1),
            "[run]\nseed = 1\nlr = 1\n");
}

TEST(PaperExperiments, PartsComeAfterTheWhole) {
  std::map<std::string, std::string> parts;
  std::set<std::string> names;
  for (const PaperExperiment& one : PaperExperiments()) {
    if (!one.part_of.empty()) {
      parts.emplace(one.name, one.part_of);
      EXPECT_TRUE(names.contains(std::string(one.part_of)));
    }
    names.emplace(one.name);
  }
  EXPECT_EQ(parts,
            (std::map<std::string, std::string>{
                {"mnist-lbfgs", "mnist"}, {"mnist-ce-lbfgs", "mnist-ce"}}));
}

PointResult PointWith(const std::string& optimizer,
                      std::map<std::string, std::string> settings,
                      double loss) {
  PointResult point;
  point.optimizer = optimizer;
  point.settings = std::move(settings);
  point.runs = {{.train_loss = loss, .val_loss = loss}};
  return point;
}

TEST(RepeatScan, HasTheBestPointOfEveryOptimizer) {
  const Scan scan = ParseScan(
      "title = \"a \\\"scan\\\"\"\n"
      "[run]\ntask = \"toy1d\"\nhidden = \"4,4\"\nseed = 1\nepochs = 2\n"
      "[[grid]]\noptimizer = \"sven\"\nk = [4, 16]\n"
      "[[grid]]\noptimizer = [\"sgd\", \"adam\"]\nlr = [0.1, 0.5]\n",
      "s.toml");
  ExperimentResult result;
  result.points = {PointWith("sven", {{"k", "4"}}, 2),
                   PointWith("sven", {{"k", "16"}}, 1),
                   PointWith("sgd", {{"lr", "0.1"}}, 1),
                   PointWith("sgd", {{"lr", "0.5"}}, 2),
                   // All diverged: nothing to repeat.
                   PointWith("adam", {{"lr", "0.1"}},
                             std::numeric_limits<double>::quiet_NaN())};
  const Scan again =
      ParseScan(RepeatScan(scan, result, Repeats()[0], 3), "again");
  EXPECT_EQ(again.title, "a \"scan\": best points, other initial weights");
  ASSERT_EQ(again.points.size(), 6U);
  const RunConfig& config = again.points[2].config;
  EXPECT_EQ(again.points[2].optimizer, "sven");
  EXPECT_EQ(config.GivenText("k"), "16");
  EXPECT_EQ(config.Model().seed, 3U);
  EXPECT_EQ(config.Model().hidden->widths, (std::vector<Index>{4, 4}));
  EXPECT_EQ(config.Training().epochs, 2);
  EXPECT_EQ(again.points[3].config.GivenText("lr"), "0.1");

  const Scan orders =
      ParseScan(RepeatScan(scan, result, Repeats()[1], 1), "orders");
  EXPECT_EQ(orders.points.size(), 2U);
  EXPECT_EQ(orders.points[0].config.Model().seed, 1U);
  EXPECT_EQ(orders.points[0].config.GivenText("shuffle_seed"), "1");
}

TEST(MergePart, AddsPointsAndTime) {
  ExperimentResult whole;
  whole.points = {PointWith("sven", {}, 1)};
  whole.run_seconds = 10;
  ExperimentResult part;
  part.points = {PointWith("lbfgs", {}, 2)};
  part.run_seconds = 5;
  part.missing = 3;
  MergePart(part, whole);
  EXPECT_EQ(whole.Optimizers(), (std::vector<std::string>{"sven", "lbfgs"}));
  EXPECT_EQ(whole.run_seconds, 15);
  EXPECT_EQ(whole.missing, 3);
}

// The bounds are those of the claims that rest on them.
TEST(Identities, AreWhatThePaperDerives) {
  const Identities identities = MeasureIdentities();
  EXPECT_LT(identities.natural_gradient_difference, 1e-6);
  EXPECT_LT(identities.linear_decay_error, 1e-6);
  EXPECT_NEAR(identities.network_decay_rate, 1, 0.2);
  EXPECT_NEAR(identities.one_condition_cosine, 1, 1e-12);
  // The conditions contradict each other, so their weights matter.
  EXPECT_LT(identities.kappa_cosine, 0.99);
  EXPECT_GT(identities.kappa_cosine, 0);
}

}  // namespace
}  // namespace sven::experiment::paper_test
