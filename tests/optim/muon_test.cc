// SPDX-License-Identifier: MIT
#include "sven/optim/muon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/tolerances.h"

namespace sven::optim::muon_test {
namespace {

using testing::BiasPart;
using testing::GradientOf;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::WeightPart;

// Five layers: three hidden matrices, tall, wide and square.
Problem<double> Deep() {
  return MakeProblem<double>({.widths = {2, 4, 7, 3, 3, 2}, .batch = 12});
}

// U p(S) V^T of u / |u| by a decomposition, p five times.
Matrix<double> Orthogonalised(const Matrix<double>& u) {
  const testing::PlainSvd svd = testing::SvdOf(u);
  const Vector<double> s = (svd.s / u.norm()).unaryExpr([](double x) {
    for (int i = 0; i < 5; ++i) {
      x = 3.4445 * x - 4.7750 * std::pow(x, 3) + 2.0315 * std::pow(x, 5);
    }
    return x;
  });
  return svd.U * s.asDiagonal() * svd.V.transpose();
}

double ShapeFactor(const nn::DenseLayer& layer) {
  return std::sqrt(std::max(
      1.0, static_cast<double>(layer.out) / static_cast<double>(layer.in)));
}

TEST(Muon, HiddenMatricesMoveByTheOrthogonalisedNesterovMomentum) {
  Problem<double> problem = Deep();
  const MuonOptions options{.momentum = 0.9, .weight_decay = 0.1};
  Muon<double> optimizer(options);
  std::vector<Matrix<double>> m(5);
  for (int step = 0; step < 4; ++step) {
    const Vector<double> g = GradientOf(problem);
    const Vector<double> p =
        ToVector<double>(std::span<const double>(problem.net.Parameters()));
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> update = ToVector<double>(optimizer.Update());
    for (const Index l : {1, 2, 3}) {
      const nn::DenseLayer& layer = problem.net.Layers()[l];
      const Matrix<double> G = WeightPart(layer, g);
      if (step == 0) m[l] = Matrix<double>::Zero(G.rows(), G.cols());
      m[l] = 0.9 * m[l] + 0.1 * G;
      const Matrix<double> expected =
          -0.02 * (ShapeFactor(layer) * Orthogonalised(0.9 * m[l] + 0.1 * G) +
                   0.1 * WeightPart(layer, p));
      EXPECT_LT((WeightPart(layer, update) - expected).norm(),
                testing::Rounding<double>(1e4) * expected.norm())
          << "layer " << l << " step " << step;
    }
  }
}

TEST(Muon, FirstAndLastLayerAndAllBiasesMoveByAdamW) {
  Problem<double> problem = Deep();
  Muon<double> optimizer({.weight_decay = 0.1, .adam_learning_rate = 1e-3});
  const Index N = problem.net.NumParameters();
  Vector<double> m = Vector<double>::Zero(N);
  Vector<double> v = Vector<double>::Zero(N);
  for (int step = 1; step <= 4; ++step) {
    const Vector<double> g = GradientOf(problem);
    const Vector<double> p =
        ToVector<double>(std::span<const double>(problem.net.Parameters()));
    m = 0.9 * m + 0.1 * g;
    v = 0.95 * v + 0.05 * g.cwiseAbs2();
    const Vector<double> root =
        (v / (1 - std::pow(0.95, step))).cwiseSqrt().array() + 1e-8;
    const Vector<double> expected =
        -1e-3 * ((m / (1 - std::pow(0.9, step))).cwiseQuotient(root) + 0.1 * p);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> update = ToVector<double>(optimizer.Update());
    for (Index l = 0; l < 5; ++l) {
      const nn::DenseLayer& layer = problem.net.Layers()[l];
      EXPECT_LT(
          RelativeError(BiasPart(layer, update), BiasPart(layer, expected)),
          testing::Rounding<double>(10));
      const double error =
          (WeightPart(layer, update) - WeightPart(layer, expected)).norm() /
          WeightPart(layer, expected).norm();
      EXPECT_EQ(error < testing::Rounding<double>(10), l == 0 || l == 4);
    }
  }
}

// Whatever the length of the gradient; Adam is as indifferent but for its eps.
TEST(Muon, TheScaleOfTheLossDoesNotMatter) {
  Problem<double> small = MakeProblem<double>({.widths = {3, 4, 4, 2}});
  small.net = nn::Mlp<double>({3, 4, 4, 2}, nn::Activation::kIdentity, 4);
  // The gradient of |f - y|^2 at y = f - c r is c times that at y = f - r.
  const Matrix<double> f = small.net.Predict(small.Batch().x);
  const Matrix<double> r = small.data.y;
  Problem<double> large = small;
  small.data.y = f - r;
  large.data.y = f - 1e6 * r;
  Muon<double> first;
  Muon<double> second;
  first.Step(small.net, small.loss, small.Batch());
  second.Step(large.net, large.loss, large.Batch());
  EXPECT_LT(RelativeError(ToVector<double>(first.Update()),
                          ToVector<double>(second.Update())),
            1e-5);
}

TEST(Muon, OfAllMatricesOrOnlyTheHiddenOnes) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 2}, .batch = 9});
  const nn::DenseLayer& layer = problem.net.Layers()[0];
  Muon<double> all({.matrices = MuonMatrices::kAll});
  const Matrix<double> G = WeightPart(layer, GradientOf(problem));
  Problem<double> other = problem;
  all.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_LT((WeightPart(layer, ToVector<double>(all.Update())) +
             0.02 * Orthogonalised(G))
                .norm(),
            1e-10);
  // A network of one layer has no hidden matrix: its entries move by adam_lr.
  Muon<double> hidden;
  hidden.Step(other.net, other.loss, other.Batch());
  for (const double u : hidden.Update()) EXPECT_NEAR(std::abs(u), 3e-4, 1e-9);
}

TEST(Muon, AScheduleAppliesToBothRates) {
  Problem<double> problem = Deep();
  Problem<double> other = problem;
  ChainOptions chain;
  chain.schedule = Schedule::FromText("test", "exponential:every=1,factor=0.5");
  Muon<double> constant;
  Muon<double> halved({}, chain);
  const auto step = [](Muon<double>& optimizer, Problem<double>& on) {
    return optimizer.Step(on.net, on.loss, on.Batch()).learning_rate;
  };
  step(constant, problem);
  step(halved, other);
  ASSERT_TRUE(
      std::ranges::equal(problem.net.Parameters(), other.net.Parameters()));
  EXPECT_EQ(step(constant, problem), 2 * step(halved, other));
  EXPECT_LT(RelativeError(ToVector<double>(constant.Update()),
                          2 * ToVector<double>(halved.Update())),
            testing::Rounding<double>());
}

TEST(Muon, ThinLayersAndLayersWithoutBiasesStep) {
  for (const std::vector<Index>& widths :
       {std::vector<Index>{1, 1}, {3, 1, 2}, {1, 1, 1, 1}, {2, 1, 5, 1, 2}}) {
    std::vector<nn::DenseSpec> specs;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      specs.push_back({.in = widths[i], .out = widths[i + 1], .bias = false});
    }
    Problem<double> problem = MakeProblem<double>({.widths = widths});
    problem.net = nn::Mlp<double>(specs);
    problem.net.Initialise(2);
    Muon<double> optimizer;
    EXPECT_LT(testing::TrainedShare<double>(optimizer, problem, 60), 1);
  }
}

TEST(Muon, FrozenTensorsNeitherMoveNorDecay) {
  Problem<double> problem = Deep();
  problem.net.Freeze(0);
  problem.net.Freeze(1, /*weight=*/true, /*bias=*/false);
  problem.net.Freeze(2, /*weight=*/false, /*bias=*/true);
  const nn::Mlp<double> before = problem.net;
  Muon<double> optimizer({.weight_decay = 0.1});
  for (int i = 0; i < 3; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  EXPECT_EQ(problem.net.Weight(0), before.Weight(0));
  EXPECT_EQ(problem.net.Bias(0), before.Bias(0));
  EXPECT_EQ(problem.net.Weight(1), before.Weight(1));
  EXPECT_NE(problem.net.Bias(1), before.Bias(1));
  EXPECT_NE(problem.net.Weight(2), before.Weight(2));
  EXPECT_EQ(problem.net.Bias(2), before.Bias(2));
}

TEST(Muon, AZeroGradientMovesNothing) {
  Problem<double> problem = Deep();
  problem.data.y = problem.net.Predict(problem.Batch().x);
  Muon<double> optimizer;
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(report.Applied());
  EXPECT_EQ(report.update_norm, 0);
}

TEST(Muon, NanLeavesParametersAndStateAsTheyWere) {
  Problem<double> problem = Deep();
  Muon<double> optimizer;
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const MuonState<double> state = optimizer.State();
  const Problem<double> good = problem;
  problem.data.x(0, 0) = testing::kNan;
  EXPECT_FALSE(
      optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  EXPECT_EQ(optimizer.State(), state);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), good.net.Parameters()));
}

TEST(Muon, ARestoredStateContinuesBitForBit) {
  EXPECT_TRUE(testing::ContinuesAfterRestore<double>(
      [] { return std::make_unique<Muon<double>>(); }, Deep(), 5, 9));
  EXPECT_TRUE(testing::ContinuesAfterRestore<float>(
      [] {
        return std::make_unique<Muon<float>>(
            MuonOptions{.matrices = MuonMatrices::kAll, .weight_decay = 0.1});
      },
      MakeProblem<float>(
          {.widths = {3, 5, 4}, .loss = nn::Loss::kCrossEntropy}),
      5, 9));
}

TEST(Muon, TrainsWithItsDefaults) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Muon<double> regression;
    EXPECT_LT(testing::TrainedShare(
                  regression, testing::LearnableRegression<double>(seed), 400),
              0.1);
    Muon<float> classification;
    EXPECT_LT(
        testing::TrainedShare(
            classification, testing::LearnableClassification<float>(seed), 400),
        0.6);
  }
}

TEST(MuonOptions, EveryFieldOutOfRangeIsNamed) {
  const auto message = [](const MuonOptions& options,
                          const ChainOptions& chain = {}) {
    return testing::UsageErrorOf(
        [&] { Muon<double> optimizer(options, chain); });
  };
  EXPECT_EQ(message({}), "no UsageError");
  EXPECT_EQ(message({.learning_rate = 0}),
            "MuonOptions::lr = 0: must satisfy lr > 0");
  EXPECT_EQ(message({.momentum = 1}),
            "MuonOptions::momentum = 1: must satisfy 0 <= momentum < 1");
  EXPECT_EQ(message({.iterations = 0}),
            "MuonOptions::iterations = 0: must satisfy 1 <= iterations <= 100");
  EXPECT_EQ(message({.weight_decay = -1}),
            "MuonOptions::weight_decay = -1: must satisfy weight_decay >= 0");
  EXPECT_EQ(message({.adam_learning_rate = 0}),
            "MuonOptions::adam_lr = 0: must satisfy adam_lr > 0");
  EXPECT_EQ(message({.beta1 = 1}),
            "MuonOptions::beta1 = 1: must satisfy 0 <= beta1 < 1");
  EXPECT_EQ(message({.beta2 = 1}),
            "MuonOptions::beta2 = 1: must satisfy 0 <= beta2 < 1");
  EXPECT_EQ(message({.eps = 0}), "MuonOptions::eps = 0: must satisfy eps > 0");
  // It decouples its own.
  EXPECT_NE(message({}, {.decoupled_decay = 0.1}), "");
}

}  // namespace
}  // namespace sven::optim::muon_test
