// SPDX-License-Identifier: MIT
#include "sven/experiment/claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace sven::experiment::claims_test {
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

TEST(Claims, WithoutResultsNothingIsJudged) {
  std::set<std::string> ids;
  for (const Claim& claim : JudgeClaims({})) {
    EXPECT_EQ(claim.Judge(), Verdict::kNotMeasured) << claim.id;
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.statement.empty());
    EXPECT_FALSE(claim.place.empty());
    EXPECT_FALSE(claim.rule.empty());
  }
}

// The verdict on a claim that rests on one of the identities.
Verdict VerdictOn(const std::string& id, double Identities::*member,
                  double value) {
  Results results;
  results.identities.*member = value;
  for (const Claim& claim : JudgeClaims(results)) {
    if (claim.id == id) return claim.Judge();
  }
  return Verdict::kNotMeasured;
}

TEST(Claims, DerivationsHaveTheirLimits) {
  const auto difference = &Identities::natural_gradient_difference;
  EXPECT_EQ(VerdictOn("natural-gradient", difference, 1e-7), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("natural-gradient", difference, 1e-5),
            Verdict::kDoesNotHold);
  const auto kappa = &Identities::kappa_cosine;
  EXPECT_EQ(VerdictOn("kappa-prefactor", kappa, 0.9999), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("kappa-prefactor", kappa, 0.99), Verdict::kDoesNotHold);
  const auto error = &Identities::linear_decay_error;
  EXPECT_EQ(VerdictOn("exponential-decay", error, 1e-7), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("exponential-decay", error, 1e-5), Verdict::kDoesNotHold);
  const auto rate = &Identities::network_decay_rate;
  EXPECT_EQ(VerdictOn("exponential-decay", rate, 1.1), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("exponential-decay", rate, 0.5), Verdict::kDoesNotHold);
  const auto one = &Identities::one_condition_cosine;
  EXPECT_EQ(VerdictOn("microbatch-sgd", one, 1), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("microbatch-sgd", one, 0.99), Verdict::kDoesNotHold);
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
            "1-D, scan: 1.0000 against 2.0000 (adam)");
  EXPECT_EQ(VerdictOn("beats-first-order-mnist", with(1)),
            Verdict::kNotMeasured);
}

TEST(Claims, TrainingLossIsThatOfTheBestByValidation) {
  PointResult sven = Point("sven", {}, 1);
  const std::vector others = {Point("sgd", {}, 9), Point("adam", {}, 4)};
  sven.runs[0].train_loss = 1.9;
  EXPECT_EQ(VerdictOn("trains-lower",
                      {Experiment("toy1d", 32, {sven, others[0], others[1]})}),
            Verdict::kHolds);
  sven.runs[0].train_loss = 2.1;
  EXPECT_EQ(VerdictOn("trains-lower",
                      {Experiment("toy1d", 32, {sven, others[0], others[1]})}),
            Verdict::kDoesNotHold);
}

TEST(Claims, KeptValuesAreThoseOfTheLargestK) {
  PointResult point = Point("sven", {{"k", "32"}, {"rtol", "0.001"}}, 2);
  point.kept = {30, 19};
  // A smaller k does not count, though it is better.
  PointResult other = Point("sven", {{"k", "16"}, {"rtol", "0.001"}}, 1);
  other.kept = {30, 30};
  EXPECT_EQ(
      VerdictOn("tail-unused", {Experiment("polynomial", 32, {point, other})}),
      Verdict::kHolds);
  point.kept = {19, 20};
  EXPECT_EQ(
      VerdictOn("tail-unused", {Experiment("polynomial", 32, {point, other})}),
      Verdict::kDoesNotHold);
}

TEST(Claims, WhatDivergedIsNotTheBestAndCountsAsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Claim claim = Judged(
      "beats-first-order",
      {Experiment("toy1d", 32,
                  {Point("sven", {{"k", "1"}}, nan), Point("sven", {}, 3),
                   Point("adam", {}, nan), Point("sgd", {}, 5)}),
       Experiment("polynomial", 32,
                  {Point("sven", {}, nan), Point("adam", {}, 3)})});
  ASSERT_EQ(claim.cases.size(), 2U);
  EXPECT_EQ(claim.cases[0].measured, "1-D, scan: 3.0000 against 5.0000 (sgd)");
  EXPECT_TRUE(claim.cases[0].holds);
  EXPECT_EQ(claim.cases[1].measured,
            "polynomial as printed, scan: diverged against 3.0000 (adam)");
  EXPECT_FALSE(claim.cases[1].holds);
}

TEST(Claims, FasterIsTheSameLossEarlier) {
  // Adam ends with 1, Sven has 0.5 in its second epoch.
  const auto with = [](double seconds) {
    return std::vector{Experiment(
        "toy1d", 32, {Point("sven", {}, 0.05, seconds), Point("adam", {}, 1)})};
  };
  EXPECT_EQ(Judged("faster-by-epoch", with(1)).cases[0].measured,
            "1-D: 1.0000 in epoch 2, adam in epoch 3");
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
  EXPECT_EQ(VerdictOn("not-above-adam", with(1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("not-above-adam", with(0.9)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("beats-first-order-mnist", with(0.9)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("beats-first-order-mnist", with(1.1)),
            Verdict::kDoesNotHold);
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
  // Another one is below Sven, too.
  std::vector<ExperimentResult> more = with(1);
  more[0].points.push_back(Point("adam", {}, 2));
  EXPECT_EQ(VerdictOn("lbfgs-lower", more), Verdict::kDoesNotHold);
  EXPECT_EQ(Judged("lbfgs-lower", more).cases[0].measured,
            "1-D: 1.5000, below it: lbfgs 0.5000, adam 1.0000");
}

TEST(Claims, ConvergenceIsLittleChangeEitherWay) {
  const auto with = [](double last) {
    PointResult point = Point("sven", {}, 1);
    point.validation.mean = {9, 1, 1, 1, 1, 1, last};
    point.seconds.resize(7);
    return std::vector{Experiment("toy1d", 32, {point})};
  };
  EXPECT_EQ(VerdictOn("enough-epochs", with(0.95)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("enough-epochs", with(0.8)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("enough-epochs", with(1.3)), Verdict::kDoesNotHold);
}

TEST(Claims, PolyakIsComparedWithSgd) {
  const auto with = [](double polyak) {
    return std::vector{Experiment(
        "toy1d", 32, {Point("polyak", {}, polyak), Point("sgd", {}, 1)})};
  };
  EXPECT_EQ(VerdictOn("polyak", with(0.5)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("polyak", with(2)), Verdict::kDoesNotHold);
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
  EXPECT_EQ(VerdictOn("cost-of-k", with(6, 6, 12)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("cost-bound", with(6, 6, 9)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("cost-bound", with(6, 60, 9)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("epoch-cost", with(6, 6, 9)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("epoch-cost", with(6, 9, 9)), Verdict::kDoesNotHold);
}

// Losses for k = 1 (and 2), 4, 16 and 32 of a batch of 32.
std::vector<ExperimentResult> ByK(double one, double four, double sixteen,
                                  double all,
                                  const std::string& name = "toy1d") {
  const auto with = [](const char* k, double loss) {
    return Point("sven", {{"k", k}, {"lr", "0.1"}, {"rtol", "0.001"}}, loss);
  };
  return {Experiment(name, 32,
                     {with("1", one), with("2", one), with("4", four),
                      with("16", sixteen), with("32", all)})};
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
  // Not at all.
  EXPECT_EQ(VerdictOn("k-saturates", ByK(1e-4, 1e-3, 1, 2)),
            Verdict::kDoesNotHold);
}

TEST(Claims, OtherCutsDoNotCountForK) {
  std::vector<ExperimentResult> scan = ByK(1, 0.1, 1.1e-4, 1e-4);
  scan[0].points.push_back(
      Point("sven", {{"k", "32"}, {"lr", "0.1"}, {"rtol", "0.01"}}, 1e-9));
  EXPECT_EQ(VerdictOn("k-saturates", scan), Verdict::kHolds);
}

TEST(Claims, TheBestKIsAtLeastHalfTheBatch) {
  EXPECT_EQ(VerdictOn("best-k", ByK(1, 1, 0.1, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("best-k", ByK(1, 0.1, 1, 1)), Verdict::kDoesNotHold);
  EXPECT_EQ(
      VerdictOn("best-k", {Experiment("toy1d", 32, {Point("sven", {}, 1)})}),
      Verdict::kNotMeasured);
}

TEST(Claims, FewDirectionsFailIfTheLossStaysHigh) {
  EXPECT_EQ(VerdictOn("few-directions", ByK(0.9, 0.1, 1, 1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("few-directions", ByK(0.1, 0.1, 1, 1)),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("few-directions",
                      ByK(std::numeric_limits<double>::quiet_NaN(), 1, 1, 1)),
            Verdict::kHolds);
  // With another learning rate it learns.
  std::vector<ExperimentResult> scan = ByK(0.9, 0.1, 1, 1e-4);
  scan[0].points.push_back(
      Point("sven", {{"k", "1"}, {"lr", "1"}, {"rtol", "0.001"}}, 0.01));
  EXPECT_EQ(VerdictOn("few-directions", scan), Verdict::kHoldsInPart);
}

TEST(Claims, TheEffectOfKIsComparedByItsFactor) {
  const auto with = [](double toy, double polynomial) {
    return std::vector{ByK(1, 1, toy, 1)[0],
                       ByK(1, 1, polynomial, 1, "polynomial")[0]};
  };
  EXPECT_EQ(VerdictOn("k-1d", with(1e-3, 0.1)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("k-1d", with(0.1, 1e-3)), Verdict::kDoesNotHold);
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
  EXPECT_EQ(VerdictOn("spectra", with(0.94, 0.5, 0.95)), Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("spectra-polynomial", with(0.5, 0.8, 0.95)),
            Verdict::kHolds);
  EXPECT_EQ(VerdictOn("spectra-polynomial", with(0.8, 0.5, 0.95)),
            Verdict::kDoesNotHold);
}

TEST(Claims, SpectraOfCrossEntropyAreComparedByLargeValues) {
  const auto with = [](double ratio) {
    return std::vector{WithSpectrum("mnist", 64, 0.95),
                       WithSpectrum("mnist-ce", 64, ratio)};
  };
  EXPECT_EQ(VerdictOn("ce-spectrum", with(0.5)), Verdict::kHolds);
  EXPECT_EQ(VerdictOn("ce-spectrum", with(0.95)), Verdict::kDoesNotHold);
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
  // Falls, and rises again above the first.
  EXPECT_EQ(VerdictOn("microbatch", {Sweep("microbatch", "toy1d",
                                           {{"1", 1},
                                            {"2", 0.3},
                                            {"4", 0.4},
                                            {"8", 0.5},
                                            {"16", 0.6},
                                            {"32", 1.1}})}),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("sensitive-1d", {MicroBatches("toy1d", 1.5),
                                       MicroBatches("polynomial", 2)}),
            Verdict::kDoesNotHold);
  EXPECT_EQ(VerdictOn("fraction-smaller",
                      {Fractions("toy1d", 99, 1.2), MicroBatches("toy1d", 2)}),
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
  std::vector<ExperimentResult> results = with(1, 1);
  results[0].points[0].runs[0].train_loss = 0.9;
  results[1].points[0].runs[0].train_loss = 0.1;
  EXPECT_EQ(VerdictOn("ce-overfit", results), Verdict::kHoldsInPart);
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
  EXPECT_NE(tables.find("| `toy1d` | sven | 4.1e-07 | 1.0000 | 3.0000 (3.0000 "
                        "– 3.0000) |"),
            std::string::npos)
      << tables;
}

}  // namespace
}  // namespace sven::experiment::claims_test
