// SPDX-License-Identifier: MIT
#include "sven/optim/shampoo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/tolerances.h"

namespace sven::optim::shampoo_test {
namespace {

using testing::GradientOf;
using testing::JoinedPart;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;

// (X + eps I)^-1/4 by Eigen's solver.
Matrix<double> InverseFourthRoot(const Matrix<double>& X, double eps) {
  const auto [values, vectors] = testing::EigenOf(X);
  const Vector<double> roots = (values.cwiseMax(0).array() + eps).pow(-0.25);
  return vectors * roots.asDiagonal() * vectors.transpose();
}

struct Twin {
  Matrix<double> L;
  Matrix<double> R;
};

std::vector<Twin> StartingTwins(const Problem<double>& problem) {
  std::vector<Twin> twins;
  for (const nn::DenseLayer& layer : problem.net.Layers()) {
    const Index cols = layer.in + (layer.bias ? 1 : 0);
    twins.push_back({.L = Matrix<double>::Zero(layer.out, layer.out),
                     .R = Matrix<double>::Zero(cols, cols)});
  }
  return twins;
}

// The direction V of a layer after its twin took in the gradient.
Matrix<double> Direction(const Matrix<double>& G, double eps, Twin& twin) {
  twin.L += G * G.transpose();
  twin.R += G.transpose() * G;
  return InverseFourthRoot(twin.L, eps) * G * InverseFourthRoot(twin.R, eps);
}

std::vector<Problem<double>> Samples() {
  std::vector<Problem<double>> samples;
  samples.push_back(MakeProblem<double>({}));
  samples.push_back(MakeProblem<double>({.widths = {3, 1, 2}}));
  samples.push_back(MakeProblem<double>({.widths = {1, 1}, .batch = 1}));
  Problem<double> plain = MakeProblem<double>({.widths = {2, 3, 2}});
  plain.net = nn::Mlp<double>(std::vector<nn::DenseSpec>{
      {.in = 2, .out = 3, .activation = nn::Activation::kTanh, .bias = false},
      {.in = 3, .out = 2, .bias = false}});
  plain.net.Initialise(5);
  samples.push_back(plain);
  return samples;
}

TEST(Shampoo, TheStepIsTheFormulaWithRootsFromAnotherDecomposition) {
  // An eps that the rounding of null directions cannot reach.
  constexpr double kEps = 1e-6;
  for (Problem<double> problem : Samples()) {
    Shampoo<double> optimizer({.learning_rate = 0.01,
                               .eps = kEps,
                               .graft = ShampooGraft::kNone,
                               .every = 1});
    std::vector<Twin> twins = StartingTwins(problem);
    for (int step = 0; step < 4; ++step) {
      const Vector<double> g = GradientOf(problem);
      optimizer.Step(problem.net, problem.loss, problem.Batch());
      const Vector<double> update = ToVector<double>(optimizer.Update());
      for (std::size_t l = 0; l < twins.size(); ++l) {
        const nn::DenseLayer& layer = problem.net.Layers()[l];
        const Matrix<double> V =
            Direction(JoinedPart(layer, g), kEps, twins[l]);
        EXPECT_LT((JoinedPart(layer, update) + 0.01 * V).norm(),
                  testing::Rounding<double>(1e4) * 0.01 * V.norm())
            << "layer " << l << " step " << step;
      }
    }
  }
}

TEST(Shampoo, TheFourthPowerOfTheRootsInvertsTheFactors) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 3}});
  Shampoo<double> optimizer({.eps = 1e-3, .every = 1});
  for (int step = 0; step < 5; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  for (const EigenFactor* factor : {&optimizer.State().layers[0].left,
                                    &optimizer.State().layers[0].right}) {
    const ConstVectorView<double> values(factor->values.data(), factor->Size());
    const Vector<double> roots = (values.array() + 1e-3).pow(-0.25);
    const Matrix<double> root =
        factor->Basis().transpose() * roots.asDiagonal() * factor->Basis();
    Matrix<double> X = factor->Matrix();
    X.diagonal().array() += 1e-3;
    const Matrix<double> one = root * root * root * root * X;
    EXPECT_LT((one - Matrix<double>::Identity(X.rows(), X.rows())).norm(),
              testing::Rounding<double>(1e4));
  }
}

// For one number L = R = sum of g^2, so that V = g / sqrt(sum of g^2 + eps).
TEST(Shampoo, OneWeightIsAdagrad) {
  Problem<double> problem = MakeProblem<double>({.widths = {1, 1}, .batch = 3});
  problem.net = nn::Mlp<double>(
      std::vector<nn::DenseSpec>{{.in = 1, .out = 1, .bias = false}});
  for (const Index every : {1, 4}) {
    Shampoo<double> optimizer(
        {.learning_rate = 0.1, .graft = ShampooGraft::kNone, .every = every});
    double sum = 0;
    for (int step = 0; step < 6; ++step) {
      const double g = GradientOf(problem)[0];
      sum += g * g;
      optimizer.Step(problem.net, problem.loss, problem.Batch());
      EXPECT_NEAR(optimizer.Update()[0], -0.1 * g / std::sqrt(sum + 1e-12),
                  1e-12);
    }
  }
}

TEST(Shampoo, GraftingKeepsTheDirectionAndTakesTheLengthOfAdamsStep) {
  Problem<double> grafted = MakeProblem<double>({});
  Problem<double> plain = grafted;
  Shampoo<double> with(
      {.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.9, .every = 1});
  Shampoo<double> without(
      {.learning_rate = 0.01, .graft = ShampooGraft::kNone, .every = 1});
  const Index N = grafted.net.NumParameters();
  Vector<double> m = Vector<double>::Zero(N);
  Vector<double> v = Vector<double>::Zero(N);
  for (int step = 1; step <= 3; ++step) {
    std::ranges::copy(grafted.net.Parameters(), plain.net.Parameters().begin());
    const Vector<double> g = GradientOf(grafted);
    m = 0.8 * m + 0.2 * g;
    v = 0.9 * v + 0.1 * g.cwiseAbs2();
    const Vector<double> adam =
        (m / (1 - std::pow(0.8, step)))
            .cwiseQuotient(
                ((v / (1 - std::pow(0.9, step))).cwiseSqrt().array() + 1e-8)
                    .matrix());
    with.Step(grafted.net, grafted.loss, grafted.Batch());
    without.Step(plain.net, plain.loss, plain.Batch());
    for (const nn::DenseLayer& layer : grafted.net.Layers()) {
      const Matrix<double> a =
          JoinedPart(layer, ToVector<double>(with.Update()));
      const Matrix<double> b =
          JoinedPart(layer, ToVector<double>(without.Update()));
      EXPECT_NEAR(a.norm(), 0.01 * JoinedPart(layer, adam).norm(), 1e-13);
      EXPECT_LT((a / a.norm() - b / b.norm()).norm(), 1e-12);
    }
  }
}

// Between the decompositions the basis stays and the values follow the diagonal.
TEST(Shampoo, ValuesBetweenRefreshesAreTheDiagonalInTheLastBasis) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 4, 2}});
  Shampoo<double> optimizer({.every = 4});
  AlignedVector<double> first;
  for (int step = 0; step < 5; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    for (const LayerFactors& factors : optimizer.State().layers) {
      for (const EigenFactor* factor : {&factors.left, &factors.right}) {
        const Vector<double> expected =
            (factor->Basis() * factor->Matrix() * factor->Basis().transpose())
                .diagonal();
        EXPECT_LT(
            (ConstVectorView<double>(factor->values.data(), factor->Size()) -
             expected)
                .norm(),
            testing::Rounding<double>(10) * expected.norm());
      }
    }
    const AlignedVector<double>& basis = optimizer.State().layers[0].left.basis;
    if (step == 0) first = basis;
    EXPECT_EQ(basis == first, step < 4);
  }
}

TEST(Shampoo, ADirectionThatIsNewSinceTheLastRefreshDoesNotExplode) {
  Problem<double> problem = MakeProblem<double>({.batch = 1});
  Problem<double> other = MakeProblem<double>({.batch = 1, .seed = 8});
  Shampoo<double> optimizer({.graft = ShampooGraft::kNone, .every = 100});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, other.Batch());
  // Each side divides by the root of at least the length of its own part.
  EXPECT_LT(report.update_norm, 0.01 * 10);
}

TEST(Shampoo, FrozenTensorsNeitherMoveNorDecay) {
  for (const ShampooGraft graft : {ShampooGraft::kNone, ShampooGraft::kAdam}) {
    Problem<double> problem = MakeProblem<double>({});
    problem.net.Freeze(0);
    problem.net.Freeze(1, /*weight=*/true, /*bias=*/false);
    const nn::Mlp<double> before = problem.net;
    Shampoo<double> optimizer({.graft = graft, .weight_decay = 0.1});
    for (int i = 0; i < 3; ++i) {
      optimizer.Step(problem.net, problem.loss, problem.Batch());
    }
    EXPECT_EQ(problem.net.Weight(0), before.Weight(0));
    EXPECT_EQ(problem.net.Bias(0), before.Bias(0));
    EXPECT_EQ(problem.net.Weight(1), before.Weight(1));
    EXPECT_NE(problem.net.Bias(1), before.Bias(1));
    EXPECT_NE(problem.net.Weight(2), before.Weight(2));
  }
}

// The frozen weights take no part in the length or the direction.
TEST(Shampoo, ALayerWithFrozenWeightsStepsAsIfItHadOnlyABias) {
  Problem<double> problem = MakeProblem<double>({.widths = {2, 3}});
  problem.net.Freeze(0, /*weight=*/true, /*bias=*/false);
  const Vector<double> b =
      testing::BiasPart(problem.net.Layers()[0], GradientOf(problem));
  Shampoo<double> optimizer({.learning_rate = 1, .graft = ShampooGraft::kNone});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  // L = b b^T, R = |b|^2: V = b / |b|.
  EXPECT_LT(
      RelativeError(testing::BiasPart(problem.net.Layers()[0],
                                      ToVector<double>(optimizer.Update())),
                    -b / b.norm()),
      1e-9);
}

TEST(Shampoo, AZeroGradientMovesNothing) {
  for (const ShampooGraft graft : {ShampooGraft::kNone, ShampooGraft::kAdam}) {
    Problem<double> problem = MakeProblem<double>({});
    problem.data.y = problem.net.Predict(problem.Batch().x);
    Shampoo<double> optimizer({.graft = graft});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_TRUE(report.Applied());
    EXPECT_EQ(report.update_norm, 0);
  }
}

TEST(Shampoo, NanLeavesParametersAndStateAsTheyWere) {
  Problem<double> problem = MakeProblem<double>({});
  Shampoo<double> optimizer;
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const ShampooState<double> state = optimizer.State();
  const Problem<double> good = problem;
  problem.data.x(0, 0) = testing::kNan;
  EXPECT_FALSE(
      optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  EXPECT_EQ(optimizer.State(), state);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), good.net.Parameters()));
}

// The largest that the frame lets pass is 1.3e154.
TEST(Shampoo, GradientsNearTheEndOfTheRangeNeitherCrashNorReachTheParameters) {
  for (const double norm : {1.2e154, 1e-160}) {
    Problem<double> problem = testing::WithGradientOfNorm(norm);
    Shampoo<double> optimizer({.every = 2});
    for (int i = 0; i < 6; ++i) {
      optimizer.Step(problem.net, problem.loss, problem.Batch());
    }
    for (const double p : problem.net.Parameters()) {
      EXPECT_LT(std::abs(p), 10);
    }
  }
}

TEST(Shampoo, ARestoredStateContinuesBitForBit) {
  for (const ShampooOptions& options :
       {ShampooOptions{},
        ShampooOptions{
            .graft = ShampooGraft::kNone, .every = 3, .weight_decay = 0.1}}) {
    EXPECT_TRUE(testing::ContinuesAfterRestore<double>(
        [&] { return std::make_unique<Shampoo<double>>(options); },
        MakeProblem<double>({}), 5, 9));
    EXPECT_TRUE(testing::ContinuesAfterRestore<float>(
        [&] { return std::make_unique<Shampoo<float>>(options); },
        MakeProblem<float>(
            {.widths = {3, 5, 4}, .loss = nn::Loss::kCrossEntropy}),
        5, 9));
  }
}

TEST(Shampoo, TrainsWithItsDefaults) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Shampoo<double> regression;
    EXPECT_LT(testing::TrainedShare(
                  regression, testing::LearnableRegression<double>(seed), 150),
              0.05);
    Shampoo<float> classification;
    EXPECT_LT(
        testing::TrainedShare(
            classification, testing::LearnableClassification<float>(seed), 150),
        0.3);
  }
}

TEST(ShampooOptions, EveryFieldOutOfRangeIsNamed) {
  const auto message = [](const ShampooOptions& options) {
    return testing::UsageErrorOf([&] { Shampoo<double> optimizer(options); });
  };
  EXPECT_EQ(message({}), "no UsageError");
  EXPECT_EQ(message({.learning_rate = 0}),
            "ShampooOptions::lr = 0: must satisfy lr > 0");
  EXPECT_EQ(message({.eps = 0}),
            "ShampooOptions::eps = 0: must satisfy eps > 0");
  EXPECT_EQ(message({.beta1 = 1}),
            "ShampooOptions::beta1 = 1: must satisfy 0 <= beta1 < 1");
  EXPECT_EQ(message({.beta2 = -1}),
            "ShampooOptions::beta2 = -1: must satisfy 0 <= beta2 < 1");
  EXPECT_EQ(message({.adam_eps = 0}),
            "ShampooOptions::adam_eps = 0: must satisfy adam_eps > 0");
  EXPECT_EQ(message({.every = 0}),
            "ShampooOptions::every = 0: must satisfy every >= 1");
  EXPECT_EQ(message({.weight_decay = -1}),
            "ShampooOptions::weight_decay = -1: must satisfy 0 <= weight_decay "
            "<= 1000");
}

}  // namespace
}  // namespace sven::optim::shampoo_test
