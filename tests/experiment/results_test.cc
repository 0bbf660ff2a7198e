// SPDX-License-Identifier: MIT
#include "sven/experiment/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sven/base/atomic_file.h"
#include "sven/train/records.h"
#include "testing/files.h"

namespace sven::experiment::results_test {
namespace {

using sven::testing::DataErrorOf;
using sven::testing::TemporaryFolder;

constexpr const char* kScan =
    "title = \"a scan\"\n[run]\ntask = \"toy1d\"\nseed = [1, 2, 3]\n"
    "[[grid]]\noptimizer = \"sven\"\nk = [4, 16]\nrtol = [1e-3, 1e-2]\n"
    "[[grid]]\noptimizer = \"sgd\"\nlr = 0.5\n";

// A run of two epochs that ends with `loss`; infinite: it diverged.
void WriteRun(const std::filesystem::path& path, double loss, bool spectrum) {
  train::RunFile file;
  for (Index epoch = 1; epoch <= 2; ++epoch) {
    train::EpochRecord record;
    record.epoch = epoch;
    record.seconds = static_cast<double>(epoch);
    record.train.loss = 2 * loss;
    record.validation.loss = epoch == 2 ? loss : 10 * loss;
    if (spectrum) {
      record.kept = 2;
      record.spectrum = {1, 0.123456789};
    }
    file.epochs.push_back(record);
  }
  train::RunSummary summary;
  summary.epochs = 2;
  summary.final_train.loss = 2 * loss;
  summary.final_validation.loss = loss;
  summary.initial_validation.loss = 1.5;
  summary.train_seconds = 2;
  summary.total_seconds = 3;
  if (std::isinf(loss)) {
    // What it was like before.
    summary.final_train.loss = summary.final_validation.loss = 1e30;
    summary.status = train::RunStatus::kDiverged;
    summary.diverged_at_step = 17;
  }
  file.summary = summary;
  WriteFileAtomically(path, train::FormatRunFile(file));
}

class ResultsOfAScan : public ::testing::Test {
 protected:
  ResultsOfAScan() : scan_(ParseScan(kScan, "s.toml")) {
    std::filesystem::create_directories(folder_ / "runs");
    double loss = 1;
    for (const ScanPoint& point : scan_.points) {
      WriteRun(ScanRecord(folder_.Path(), point), loss,
               point.optimizer == "sven");
      loss += 1;
    }
  }

  [[nodiscard]] ExperimentResult Analyse() const {
    return AnalyseScan("name", scan_, folder_.Path());
  }

  TemporaryFolder folder_;
  Scan scan_;
};

TEST_F(ResultsOfAScan, RunsThatDifferInTheirSeedsAreOnePoint) {
  const ExperimentResult result = Analyse();
  EXPECT_EQ(result.title, "a scan");
  EXPECT_EQ(result.task, "toy1d");
  EXPECT_EQ(result.batch_size, 32);
  EXPECT_EQ(result.initial_loss, 1.5);
  EXPECT_EQ(result.missing, 0);
  EXPECT_EQ(result.run_seconds, 45);
  EXPECT_EQ(result.NumRuns(), 15);
  ASSERT_EQ(result.points.size(), 5U);
  EXPECT_EQ(result.Optimizers(), (std::vector<std::string>{"sven", "sgd"}));
  const PointResult& point = result.points[0];
  EXPECT_EQ(point.settings, (std::map<std::string, std::string>{
                                {"k", "4"}, {"rtol", "0.001"}}));
  EXPECT_EQ(point.Number("k"), 4);
  EXPECT_TRUE(std::isnan(point.Number("lr")));
  EXPECT_EQ(point.MedianLoss(), 2);
  EXPECT_EQ(point.MedianTrainLoss(), 4);
  EXPECT_EQ(point.MedianSeconds(), 2);
  EXPECT_EQ(point.validation.mean, (std::vector<double>{20, 2}));
  EXPECT_EQ(point.validation.median, (std::vector<double>{20, 2}));
  EXPECT_EQ(point.validation.deviation, (std::vector<double>{10, 1}));
  EXPECT_EQ(point.seconds, (std::vector<double>{1, 2}));
  EXPECT_EQ(point.kept, (std::vector<double>{2, 2}));
}

TEST_F(ResultsOfAScan, SpectraAreThoseOfTheBestAndOfTheLargestK) {
  const ExperimentResult result = Analyse();
  for (const PointResult& point : result.points) {
    const bool best = &point == result.Best("sven");
    const bool largest = point.Setting("k") == "16";
    EXPECT_EQ(!point.spectra.empty(), best || largest)
        << point.optimizer << point.Setting("k");
  }
  EXPECT_EQ(result.points[0].spectra,
            (std::vector<std::vector<double>>{{1, 0.123457}, {1, 0.123457}}));
}

TEST_F(ResultsOfAScan, DivergedAndMissingRunsAreCounted) {
  const double infinity = std::numeric_limits<double>::infinity();
  WriteRun(ScanRecord(folder_.Path(), scan_.points[0]), infinity, true);
  WriteRun(ScanRecord(folder_.Path(), scan_.points[3]), infinity, true);
  WriteRun(ScanRecord(folder_.Path(), scan_.points[4]), infinity, true);
  std::filesystem::remove(ScanRecord(folder_.Path(), scan_.points[6]));
  WriteFileAtomically(ScanRecord(folder_.Path(), scan_.points[7]),
                      "{\"type\":\"con");
  const ExperimentResult result = Analyse();
  EXPECT_EQ(result.missing, 2);
  EXPECT_EQ(result.NumDiverged(), 3);
  // One of three: the median is that of the others and infinity.
  EXPECT_EQ(result.points[0].MedianLoss(), 3);
  EXPECT_EQ(result.points[0].runs[0].diverged_at_step, 17);
  EXPECT_TRUE(std::isnan(result.points[0].runs[0].train_loss));
  EXPECT_EQ(result.points[0].validation.mean.back(), 2.5);
  // Two of three.
  EXPECT_TRUE(std::isinf(result.points[1].MedianLoss()));
  EXPECT_EQ(result.points[2].runs.size(), 1U);
  EXPECT_TRUE(result.points[2].validation.deviation.empty());
}

TEST_F(ResultsOfAScan, ComeBackFromTheirFile) {
  WriteRun(ScanRecord(folder_.Path(), scan_.points[0]),
           std::numeric_limits<double>::infinity(), true);
  Results results = StartResults();
  results.identities.kappa_cosine = 0.25;
  results.experiments.push_back(Analyse());
  const std::string text = FormatResults(results);
  const Results read = ParseResults(text, "r.json");
  EXPECT_EQ(FormatResults(read), text);
  EXPECT_EQ(read.identities.kappa_cosine, 0.25);
  const PointResult& point = read.Find("name")->points[0];
  EXPECT_TRUE(std::isnan(point.runs[0].val_loss));
  EXPECT_EQ(point.runs[0].diverged_at_step, 17);
  EXPECT_EQ(point.spectra, results.experiments[0].points[0].spectra);
  EXPECT_EQ(read.Find("other"), nullptr);
}

TEST(Results, FilesThatAreNoneAreRefused) {
  for (const char* text :
       {"", "[]", "{}", "null", R"({"format": 3})",
        R"({"format": "sven-results-1", "version": "1", "machine": {}})"}) {
    EXPECT_NE(DataErrorOf([&] {
                ParseResults(text, "r.json");
              }).find("r.json: is not a results.json"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(DataErrorOf([] {
              ParseResults(R"({"format": "sven-results-9"})", "r.json");
            }),
            "r.json: 'format' = 'sven-results-9': expected sven-results-1");
}

TEST_F(ResultsOfAScan, CurvesOfDifferentLengthAreRefused) {
  Results results = StartResults();
  results.experiments.push_back(Analyse());
  results.experiments[0].points[0].seconds.push_back(3);
  EXPECT_NE(DataErrorOf([&] {
              ParseResults(FormatResults(results), "r.json");
            }).find("r.json: is not a results.json"),
            std::string::npos);
  results.experiments[0].points[0].seconds.pop_back();
  results.experiments[0].points[0].runs.clear();
  EXPECT_NE(DataErrorOf([&] {
              ParseResults(FormatResults(results), "r.json");
            }).find("a point without runs"),
            std::string::npos);
}

TEST(Results, QuantilesAreBetweenNeighbours) {
  EXPECT_EQ(Quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(Quantile({0, 4}, 0.25), 1);
  EXPECT_EQ(Quantile({7}, 0.9), 7);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(Quantile({none, none, none, 1}, 0.5)));
  EXPECT_TRUE(std::isnan(Quantile({}, 0.5)));
  EXPECT_TRUE(
      std::isinf(Quantile({std::numeric_limits<double>::quiet_NaN(), 1}, 0.5)));
}

}  // namespace
}  // namespace sven::experiment::results_test
