// SPDX-License-Identifier: MIT
#include "sven/experiment/scan_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "testing/optimizers.h"

namespace sven::experiment::scan_config_test {
namespace {

using sven::testing::UsageErrorOf;

TEST(Scan, IsAllCombinationsOfTheListsOfEachGrid) {
  const Scan scan = ParseScan(
      "title = \"t\"\n[run]\ntask = \"toy1d\"\nseed = [1, 2]\n"
      "[[grid]]\noptimizer = \"sven\"\nk = [4, 8, 16]\nlr = [0.1, 0.5]\n"
      "[[grid]]\noptimizer = [\"sgd\", \"adam\"]\nseed = 7\n",
      "s.toml");
  EXPECT_EQ(scan.title, "t");
  EXPECT_EQ(scan.points.size(), 3U * 2 * 2 + 2);
  std::set<std::string> ids;
  for (const ScanPoint& point : scan.points) ids.insert(point.id);
  EXPECT_EQ(ids.size(), scan.points.size());
  EXPECT_TRUE(ids.contains("sven_k=8_lr=0.5_seed=2"));
  EXPECT_TRUE(ids.contains("adam_seed=7"));
}

TEST(Scan, PointHasItsSettingsAndNoOthers) {
  const Scan scan = ParseScan(
      "[run]\ntask = \"toy1d\"\nhidden = [\"4,4\", \"8\"]\n"
      "[[grid]]\noptimizer = \"sven\"\nlr = 0.25\n",
      "s.toml");
  ASSERT_EQ(scan.points.size(), 2U);
  const ScanPoint& point = scan.points[0];
  EXPECT_EQ(point.config.Model().hidden->widths, (std::vector<Index>{4, 4}));
  EXPECT_EQ(point.config.Optimizer("sven").MethodFields()[0].default_value,
            "0.25");
  EXPECT_EQ(
      point.varied,
      (std::vector<std::pair<std::string, std::string>>{{"hidden", "4,4"}}));
  EXPECT_EQ(point.id, "sven_hidden=4,4");
}

TEST(Scan, NamesOfRunsAreNamesOfFiles) {
  const std::string path(300, 'x');
  const Scan scan = ParseScan(
      "[run]\ndata = [\"/a b/c\", \"" + path + "\"]\ntarget = \"y\"\n",
      "s.toml");
  EXPECT_EQ(scan.points[0].id, "sven_data=~a~b~c");
  EXPECT_LT(scan.points[1].id.size(), 200U);
}

TEST(Scan, AbsurdGridsAreRefused) {
  std::string list;
  for (int i = 0; i < 200; ++i) list += std::to_string(i + 1) + ",";
  const std::string toml = "[run]\ntask = \"toy1d\"\nseed = [" + list +
                           "]\nepochs = [" + list + "]\nbatch_size = [" + list +
                           "]\n";
  EXPECT_NE(UsageErrorOf([&] {
              ParseScan(toml, "s.toml");
            }).find("more than 1000000 runs"),
            std::string::npos);
}

// The scans of the paper: its appendix lists the points.
TEST(Scan, ThoseOfThePaperHaveItsNumbersOfPoints) {
  const std::filesystem::path folder =
      std::filesystem::path(SVEN_TEST_DATA) / "../../experiments";
  const std::size_t others = 3 * 4 + 1 + 3 * 4 * 4;  // baselines, Polyak, LBFGS
  const std::map<std::string, std::size_t> expected = {
      {"toy1d", 4 * 6 * 3 + others},
      {"polynomial", 4 * 6 * 3 + others},
      {"polynomial-additive", 4 * 6 * 3 + others},
      {"mnist", 4 * 8 * 4 + others - 48},
      {"mnist-ce", 4 * 8 * 3 + others - 48},
      {"mnist-lbfgs", 48},
      {"mnist-ce-lbfgs", 48},
      {"sweep-toy1d", 4 * (6 + 2) * 10},
      {"sweep-polynomial", 4 * (6 + 2) * 10},
      {"sweep-polynomial-additive", 4 * (6 + 2) * 10},
      {"mnist-ce-rms", 4 * 2 * 2},
      {"lbfgs-plain", 3 * 4 * 4},
      {"cost", 3 * (2 * (4 + 6) + 4 + 8)},
      {"microbatch-toy1d", 60},
      {"microbatch-polynomial", 60},
      {"microbatch-polynomial-additive", 60},
      {"fraction-toy1d", 50},
      {"fraction-polynomial", 50},
      {"fraction-polynomial-additive", 50},
      {"kappa", 3 * 4 * 4 * 2 * 2 * 3},
  };
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().stem().string();
    ASSERT_TRUE(expected.contains(name)) << name;
    EXPECT_EQ(ReadScan(entry.path()).points.size(), expected.at(name)) << name;
    ++files;
  }
  EXPECT_EQ(files, expected.size());
}

TEST(Scan, ThoseOfTheStudyOfAdaptiveSvenCanBeRead) {
  const std::filesystem::path folder =
      std::filesystem::path(SVEN_TEST_DATA) / "../../experiments/adaptive";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Scan scan = ReadScan(entry.path());
    EXPECT_TRUE(std::ranges::any_of(scan.points, [](const ScanPoint& point) {
      return point.optimizer == "sven-adaptive" || point.optimizer == "spring";
    })) << entry.path();
  }
}

}  // namespace
}  // namespace sven::experiment::scan_config_test
