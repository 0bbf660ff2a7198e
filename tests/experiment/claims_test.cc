// SPDX-License-Identifier: MIT
#include "sven/experiment/claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace sven::experiment {
namespace {

using Settings = std::map<std::string, std::string>;

PointResult Point(const std::string& optimizer, const Settings& settings,
                  double loss, double seconds = 1) {
  PointResult point;
  point.optimizer = optimizer;
  point.settings = settings;
  point.runs = {{.train_loss = loss / 2, .val_loss = loss, .seconds = seconds}};
  // Falls tenfold in each of three epochs.
  point.validation.mean = {100 * loss, 10 * loss, loss};
  point.train = point.validation;
  point.seconds = {seconds / 3, 2 * seconds / 3, seconds};
  return point;
}

ExperimentResult Experiment(const std::string& name, Index batch_size,
                            std::vector<PointResult> points) {
  ExperimentResult experiment;
  experiment.name = name;
  experiment.batch_size = batch_size;
  experiment.initial_loss = 1;
  experiment.points = std::move(points);
  return experiment;
}

Claim Judged(const std::string& id, std::vector<ExperimentResult> experiments) {
  Results results;
  results.experiments = std::move(experiments);
  for (const Claim& claim : JudgeClaims(results)) {
    if (claim.id == id) return claim;
  }
  ADD_FAILURE() << "no claim " << id;
  return {};
}

Verdict VerdictOn(const std::string& id,
                  std::vector<ExperimentResult> experiments) {
  return Judged(id, std::move(experiments)).Judge();
}

TEST(Claim, IsJudgedByItsCases) {
  Claim claim;
  EXPECT_EQ(claim.Judge(), Verdict::kNotMeasured);
  claim.cases = {{"a", true}, {"b", true}};
  EXPECT_EQ(claim.Judge(), Verdict::kHolds);
  claim.cases[0].holds = false;
  EXPECT_EQ(claim.Judge(), Verdict::kHoldsInPart);
  claim.cases[1].holds = false;
  EXPECT_EQ(claim.Judge(), Verdict::kDoesNotHold);
}

TEST(Claims, WithoutExperimentsOnlyIdentitiesAreJudged) {
  for (const Claim& claim : JudgeClaims({})) {
    const bool derived = claim.id == "natural-gradient" ||
                         claim.id == "kappa-prefactor" ||
                         claim.id == "exponential-decay";
    EXPECT_EQ(claim.Judge() == Verdict::kNotMeasured, !derived) << claim.id;
    EXPECT_FALSE(claim.statement.empty());
    EXPECT_FALSE(claim.place.empty());
    EXPECT_FALSE(claim.rule.empty());
  }
}

TEST(Claims, FirstOrderMethodsAreBeatenByALowerLoss) {
  const auto with = [](double sven) {
    return std::vector{
        Experiment("toy1d", 32,
                   {Point("sven", {}, sven), Point("sgd", {}, 4),
                    Point("adam", {}, 2), Point("lbfgs", {}, 0.1)}),
        Experiment("seeds-toy1d", 32,
                   {Point("sven", {}, 1.5), Point("adam", {}, 2)})};
  };
  EXPECT_EQ(VerdictOn("beats-first-order", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("beats-first-order", with(3)), Verdict::kHoldsInPart);
  EXPECT_EQ(Judged("beats-first-order", with(1)).cases[0].measured,
            "1-D, scan: 1.00e+00 against 2.00e+00 (adam)");
  EXPECT_EQ(VerdictOn("beats-first-order-mnist", with(1)),
            Verdict::kNotMeasured);
}

TEST(Claims, DivergedPointsAreNotTheBest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Claim claim = Judged(
      "beats-first-order",
      {Experiment("toy1d", 32,
                  {Point("sven", {{"k", "1"}}, nan), Point("sven", {}, 3),
                   Point("adam", {}, nan), Point("sgd", {}, 5)})});
  ASSERT_EQ(claim.cases.size(), 1U);
  EXPECT_EQ(claim.cases[0].measured,
            "1-D, scan: 3.00e+00 against 5.00e+00 (sgd)");
}

TEST(Claims, FasterIsTheSameLossEarlier) {
  // Adam ends with 1, Sven has 0.5 in its second epoch.
  const auto with = [](double seconds) {
    return std::vector{Experiment(
        "toy1d", 32, {Point("sven", {}, 0.05, seconds), Point("adam", {}, 1)})};
  };
  EXPECT_EQ(Judged("faster-by-epoch", with(1)).cases[0].measured,
            "1-D: reaches 1.00e+00 in epoch 2, adam in epoch 3");
  EXPECT_EQ(VerdictOn("faster-by-epoch", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("faster-by-time", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("faster-by-time", with(3)), Verdict::kDoesNotHold);
  EXPECT_EQ(
      VerdictOn("faster-by-epoch",
                {Experiment("toy1d", 32,
                            {Point("sven", {}, 2), Point("adam", {}, 1)})}),
      Verdict::kDoesNotHold);
}

TEST(Claims, MatchingIsWithinATenth) {
  const auto with = [](double sven) {
    return std::vector{Experiment(
        "mnist", 64, {Point("sven", {}, sven), Point("adam", {}, 1)})};
  };
  EXPECT_EQ(VerdictOn("matches-adam", with(1.05)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("matches-adam", with(0.8)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("matches-adam", with(1.2)), Verdict::kDoesNotHold);
}

TEST(Claims, LbfgsIsComparedWithTheSlowestOther) {
  const auto with = [](double seconds) {
    return std::vector{
        Experiment("toy1d", 32,
                   {Point("lbfgs", {}, 1, seconds), Point("sven", {}, 3, 2),
                    Point("sgd", {}, 4, 1)})};
  };
  EXPECT_EQ(VerdictOn("lbfgs-slow", with(20)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("lbfgs-slow", with(19)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("lbfgs-lower", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("lbfgs-competitive", with(1)), Verdict::kDoesNotHold);
}

TEST(Claims, CostIsThatOfTheFastestRunPerEpoch) {
  const auto with = [](double one, double half, double all) {
    return std::vector{
        Experiment("cost", 32,
                   {Point("sgd", {{"task", "toy1d"}}, 1, 3),
                    Point("sven", {{"task", "toy1d"}, {"k", "1"}}, 1, one),
                    Point("sven", {{"task", "toy1d"}, {"k", "16"}}, 1, half),
                    Point("sven", {{"task", "toy1d"}, {"k", "32"}}, 1, all)})};
  };
  EXPECT_EQ(Judged("cost-of-k", with(6, 6, 9)).cases[0].measured,
            "1-D: k = 1 2.0 times SGD, k = 32 3.0 times");
  EXPECT_EQ(VerdictOn("cost-of-k", with(6, 6, 9)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("cost-of-k", with(6, 6, 96)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("epoch-cost", with(6, 6, 9)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("epoch-cost", with(6, 9, 9)), Verdict::kDoesNotHold);
}

// Losses for k = 1, 4, 16 and 32 of a batch of 32.
std::vector<ExperimentResult> ByK(double one, double four, double sixteen,
                                  double all) {
  return {Experiment(
      "toy1d", 32,
      {Point("sven", {{"k", "1"}}, one), Point("sven", {{"k", "2"}}, one),
       Point("sven", {{"k", "4"}}, four), Point("sven", {{"k", "16"}}, sixteen),
       Point("sven", {{"k", "32"}}, all)})};
}

TEST(Claims, SaturationIsInTheLogarithmOfTheLoss) {
  EXPECT_EQ(VerdictOn("k-saturates", ByK(1, 0.1, 1.1e-4, 1e-4)),
            Verdict::kHolds);
  // Not yet at B/2.
  EXPECT_EQ(VerdictOn("k-saturates", ByK(1, 0.1, 1e-2, 1e-4)),
            Verdict::kDoesNotHold);
  // At B/8 already.
  EXPECT_EQ(VerdictOn("k-saturates", ByK(1, 1e-4, 1e-4, 1e-4)),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("best-k", ByK(1, 1, 0.1, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("best-k", ByK(1, 0.1, 1, 1)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("few-directions", ByK(0.9, 0.1, 1, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("few-directions", ByK(0.1, 0.1, 1, 1)),
            Verdict::kDoesNotHold);
  // With another learning rate it learns.
  std::vector<ExperimentResult> scan = ByK(0.9, 0.1, 1, 1e-4);
  scan[0].points.push_back(Point("sven", {{"k", "1"}, {"lr", "1"}}, 0.01));
  EXPECT_EQ(VerdictOn("few-directions", scan), Verdict::kHoldsInPart);
}

std::vector<ExperimentResult> ByCut(const std::string& task, double fine,
                                    double middle, double coarse) {
  return {Experiment(task, 32,
                     {Point("sven", {{"k", "32"}, {"rtol", "0.0001"}}, fine),
                      Point("sven", {{"k", "32"}, {"rtol", "0.001"}}, middle),
                      Point("sven", {{"k", "32"}, {"rtol", "0.01"}}, coarse),
                      // Another k does not count.
                      Point("sven", {{"k", "1"}, {"rtol", "0.01"}}, 1e-9)})};
}

TEST(Claims, CutsAreJudgedAtTheLargestK) {
  EXPECT_EQ(VerdictOn("rtol-1d", ByCut("toy1d", 1, 0.05, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("rtol-1d", ByCut("toy1d", 1, 0.5, 2)),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("rtol-1d-direction", ByCut("toy1d", 1, 2, 20)),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("rtol-1d-direction", ByCut("toy1d", 20, 2, 1)),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("rtol-polynomial", ByCut("polynomial", 2, 2, 1)),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("rtol-polynomial", ByCut("polynomial", 1, 2, 2)),
            Verdict::kDoesNotHold);
}

ExperimentResult WithSpectrum(const std::string& name, Index batch_size,
                              double ratio) {
  PointResult point =
      Point("sven", {{"k", std::to_string(batch_size)}, {"rtol", "0.0001"}}, 1);
  std::vector<double> spectrum;
  for (Index i = 0; i < batch_size; ++i) {
    spectrum.push_back(std::pow(ratio, static_cast<double>(i)));
  }
  point.spectra = {spectrum, spectrum};
  return Experiment(name, batch_size, {point, Point("adam", {}, 1)});
}

TEST(Claims, SpectraAreComparedInTheMiddle) {
  const auto with = [](double toy, double polynomial, double mnist) {
    return std::vector{WithSpectrum("toy1d", 32, toy),
                       WithSpectrum("polynomial", 32, polynomial),
                       WithSpectrum("mnist", 64, mnist)};
  };
  EXPECT_EQ(VerdictOn("spectra", with(0.5, 0.8, 0.95)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("spectra", with(0.8, 0.5, 0.95)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("ce-spectrum", {WithSpectrum("mnist", 64, 0.95),
                                      WithSpectrum("mnist-ce", 64, 0.5)}),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("ce-spectrum", {WithSpectrum("mnist", 64, 0.95),
                                      WithSpectrum("mnist-ce", 64, 0.95)}),
            Verdict::kDoesNotHold);
}

ExperimentResult Sweep(const std::string& name, const std::string& task,
                       const std::map<std::string, double>& losses) {
  std::vector<PointResult> points;
  for (const auto& [value, loss] : losses) {
    points.push_back(Point("sven", {{name, value}}, loss));
  }
  return Experiment(name + "-" + task, 32, points);
}

ExperimentResult MicroBatches(const std::string& task, double factor) {
  return Sweep("microbatch", task,
               {{"1", 1},
                {"2", factor},
                {"4", std::pow(factor, 2)},
                {"8", std::pow(factor, 3)},
                {"16", std::pow(factor, 4)},
                {"32", std::pow(factor, 5)}});
}

ExperimentResult Fractions(const std::string& task, double tenth, double half) {
  return Sweep("fraction", task,
               {{"0.1", tenth}, {"0.5", half}, {"0.75", 1.1}, {"1", 1}});
}

TEST(Claims, SweepsAreJudgedByTheirRatios) {
  EXPECT_EQ(VerdictOn("microbatch", {MicroBatches("toy1d", 2)}),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("microbatch", {MicroBatches("toy1d", 0.5)}),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("sensitive-1d", {MicroBatches("toy1d", 2),
                                       MicroBatches("polynomial", 1.5)}),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("fraction-polynomial", {Fractions("polynomial", 3, 1.2)}),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("fraction-polynomial", {Fractions("polynomial", 3, 1.4)}),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("fraction-1d", {Fractions("toy1d", 3, 1.4)}),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("fraction-1d", {Fractions("toy1d", 3, 1.2)}),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("fraction-smaller",
                      {Fractions("toy1d", 3, 1.2), MicroBatches("toy1d", 2)}),
            Verdict::kHolds);
}

TEST(Claims, CrossEntropyIsComparedWithTheBaselinesOfItsScan) {
  const auto with = [](double plain, double scaled) {
    return std::vector{
        Experiment("mnist-ce", 64,
                   {Point("sven", {}, plain), Point("adam", {}, 1)}),
        Experiment("mnist-ce-rms", 64, {Point("sven", {}, scaled)})};
  };
  EXPECT_EQ(VerdictOn("ce-validation", with(1.05, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("ce-validation", with(1.05, 2)), Verdict::kHoldsInPart);
  EXPECT_EQ(VerdictOn("ce-training", with(2, 2)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("ce-training", with(1, 1)), Verdict::kDoesNotHold);
}

TEST(Claims, KappaIsComparedAtTheBestPoints) {
  const auto with = [](double one) {
    return std::vector{Experiment(
        "kappa", 32,
        {Point("sven", {{"task", "toy1d"}, {"kappa", "1"}, {"lr", "1"}}, 9),
         Point("sven", {{"task", "toy1d"}, {"kappa", "1"}, {"lr", "2"}}, one),
         Point("sven", {{"task", "toy1d"}, {"kappa", "2"}, {"lr", "1"}}, 3)})};
  };
  EXPECT_EQ(VerdictOn("kappa-one", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("kappa-one", with(4)), Verdict::kDoesNotHold);
}

TEST(Claims, AreWrittenAsJsonAndMarkdown) {
  Claim claim{.id = "x",
              .statement = "says",
              .place = "here",
              .rule = "always",
              .cases = {{"1-D: 2", true}, {"MNIST: 3", false}}};
  const auto json = nlohmann::json::parse(FormatClaims({claim}));
  EXPECT_EQ(json[0]["verdict"], "holds in part");
  EXPECT_EQ(json[0]["cases"][1]["holds"], false);
  EXPECT_NE(ClaimsMarkdown({claim}).find(
                "| says | here | always | ✓ 1-D: 2<br>✗ MNIST: 3 | **holds in "
                "part** |"),
            std::string::npos);
  Results results;
  ExperimentResult scan = Experiment(
      "toy1d", 32,
      {Point("sven", {{"k", "4"}}, 2), Point("sven", {{"k", "8"}}, 1)});
  scan.title = "1-D regression";
  results.experiments = {scan,
                         Experiment("seeds-toy1d", 32, {Point("sven", {}, 3)})};
  const std::string tables = TablesMarkdown(results);
  EXPECT_NE(tables.find("| sven | k 8 | 1.0000 | 3.0000 | 3.0000 – 3.0000 | 0 "
                        "of 1 | 1.00 s |"),
            std::string::npos)
      << tables;
  EXPECT_NE(tables.find("| 1-D | sven | 4.1e-07 | 3.0000 (3.0000 – 3.0000) |"),
            std::string::npos)
      << tables;
}

}  // namespace
}  // namespace sven::experiment
