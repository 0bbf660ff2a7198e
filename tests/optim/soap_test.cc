// SPDX-License-Identifier: MIT
#include "sven/optim/soap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/tolerances.h"

namespace sven::optim::soap_test {
namespace {

using testing::BiasPart;
using testing::GradientOf;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::WeightPart;

// Adam by loops; t counts its calls.
struct PlainAdam {
  explicit PlainAdam(const SoapOptions& with) : options(with) {}

  Matrix<double> Direction(const Matrix<double>& g) {
    if (t++ == 0) {
      m = Matrix<double>::Zero(g.rows(), g.cols());
      v = m;
    }
    m = options.beta1 * m + (1 - options.beta1) * g;
    v = options.beta2 * v + (1 - options.beta2) * g.cwiseAbs2();
    Matrix<double> direction = g;
    for (Index i = 0; i < g.size(); ++i) {
      direction.data()[i] =
          m.data()[i] / (1 - std::pow(options.beta1, t)) /
          (std::sqrt(v.data()[i] / (1 - std::pow(options.beta2, t))) +
           options.eps);
    }
    return direction;
  }

  SoapOptions options;
  Matrix<double> m;
  Matrix<double> v;
  int t = 0;
};

Vector<double> Parameters(const Problem<double>& problem) {
  return ToVector<double>(problem.net.Parameters());
}

TEST(Soap, TheFirstStepMovesNothing) {
  Problem<double> problem = MakeProblem<double>({});
  Soap<double> optimizer;
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(report.Applied());
  EXPECT_EQ(report.update_norm, 0);
  EXPECT_EQ(optimizer.State().steps, 1);
}

// Where the first gradient is zero, the bases are those of a zero matrix: unit
// vectors in some order, to which Adam is indifferent.
TEST(Soap, WithUnitVectorsForBasesItIsAdamW) {
  Problem<double> problem = MakeProblem<double>({});
  const SoapOptions options{
      .learning_rate = 0.01, .weight_decay = 0.1, .every = 1000};
  Soap<double> optimizer(options);
  Problem<double> flat = problem;
  flat.data.y = problem.net.Predict(problem.Batch().x);
  optimizer.Step(problem.net, problem.loss, flat.Batch());
  PlainAdam adam(options);
  for (int step = 0; step < 5; ++step) {
    const Vector<double> expected =
        -0.01 * (adam.Direction(GradientOf(problem)) +
                 0.1 * Matrix<double>(Parameters(problem)));
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()), expected),
              testing::Rounding<double>(10));
  }
}

TEST(Soap, BiasesAreAdamW) {
  Problem<double> problem = MakeProblem<double>({});
  const SoapOptions options{.learning_rate = 0.01, .every = 2};
  Soap<double> optimizer(options);
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  PlainAdam adam(options);
  const nn::DenseLayer& layer = problem.net.Layers()[1];
  for (int step = 0; step < 5; ++step) {
    const Vector<double> expected =
        -0.01 * (adam.Direction(BiasPart(layer, GradientOf(problem))) +
                 0.01 * Matrix<double>(BiasPart(layer, Parameters(problem))));
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_LT(
        RelativeError(BiasPart(layer, ToVector<double>(optimizer.Update())),
                      expected),
        testing::Rounding<double>(10));
  }
}

// The whole method for one square matrix, by columns and with Eigen's
// decompositions, m kept in the space of the weights. Signs of basis vectors may
// differ from the optimizer's; nothing depends on them.
struct PlainSoap {
  explicit PlainSoap(const SoapOptions& with) : options(with) {}

  void Start(const Matrix<double>& G) {
    L = (1 - options.beta2) * G * G.transpose();
    R = (1 - options.beta2) * G.transpose() * G;
    QL = Vectors(L);
    QR = Vectors(R);
    m = Matrix<double>::Zero(G.rows(), G.cols());
    v = m;
  }

  Matrix<double> Direction(const Matrix<double>& G) {
    ++t;
    m = options.beta1 * m + (1 - options.beta1) * G;
    const Matrix<double> projected = QL.transpose() * G * QR;
    v = options.beta2 * v + (1 - options.beta2) * projected.cwiseAbs2();
    const Matrix<double> mean =
        QL.transpose() * m * QR / (1 - std::pow(options.beta1, t));
    const Matrix<double> root =
        (v / (1 - std::pow(options.beta2, t))).cwiseSqrt();
    const Matrix<double> direction =
        QL * mean.cwiseQuotient((root.array() + options.eps).matrix()) *
        QR.transpose();
    L = options.beta2 * L + (1 - options.beta2) * G * G.transpose();
    R = options.beta2 * R + (1 - options.beta2) * G.transpose() * G;
    if (t % options.every == 0) {
      const auto left = Change(L, QL);
      const auto right = Change(R, QR);
      v = (left.transpose() * v * right).eval();
    }
    return direction;
  }

  static Matrix<double> Vectors(const Matrix<double>& X) {
    return testing::EigenOf(X).vectors.rowwise().reverse();
  }

  // Q <- QR of X Q, its columns sorted; returns the permutation P, Q <- Q P.
  static Matrix<double> Change(const Matrix<double>& X, Matrix<double>& Q) {
    const Vector<double> estimates = (Q.transpose() * X * Q).diagonal();
    std::vector<Index> order(static_cast<std::size_t>(Q.cols()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(
        order, [&](Index a, Index b) { return estimates[a] > estimates[b]; });
    Matrix<double> P = Matrix<double>::Zero(Q.cols(), Q.cols());
    for (Index i = 0; i < Q.cols(); ++i) P(order[i], i) = 1;
    const Matrix<double> moved = X * Q * P;
    Q = testing::FullQ(moved);
    return P;
  }

  SoapOptions options;
  Matrix<double> L;
  Matrix<double> R;
  Matrix<double> QL;
  Matrix<double> QR;
  Matrix<double> m;
  Matrix<double> v;
  int t = 0;
};

// Square layers, so that both factors have full rank and their eigenbases are
// unique.
TEST(Soap, TheStepIsThatOfAPlainSoapThroughSeveralChangesOfBasis) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {4, 4, 4}, .batch = 20});
  const SoapOptions options{.learning_rate = 0.02,
                            .beta1 = 0.8,
                            .beta2 = 0.7,
                            .weight_decay = 0.1,
                            .every = 3};
  Soap<double> optimizer(options);
  std::vector<PlainSoap> twins(2, PlainSoap(options));
  for (int step = 0; step < 12; ++step) {
    // Another batch each time, so that the factors turn.
    problem.data.x = testing::RandomMatrix(20, 4, 100 + step);
    const Vector<double> g = GradientOf(problem);
    const Vector<double> p = Parameters(problem);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> update = ToVector<double>(optimizer.Update());
    for (std::size_t l = 0; l < twins.size(); ++l) {
      const nn::DenseLayer& layer = problem.net.Layers()[l];
      const Matrix<double> G = WeightPart(layer, g);
      if (step == 0) {
        twins[l].Start(G);
        continue;
      }
      const Matrix<double> expected =
          -0.02 * (twins[l].Direction(G) + 0.1 * WeightPart(layer, p));
      EXPECT_LT((WeightPart(layer, update) - expected).norm(),
                1e-8 * expected.norm())
          << "layer " << l << " step " << step;
    }
  }
}

TEST(Soap, BasesStayOrthonormalAndSorted) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 8, 2}});
  Soap<double> optimizer({.every = 1});
  for (int step = 0; step < 30; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  for (const LayerFactors& factors : optimizer.State().layers) {
    for (const EigenFactor* factor : {&factors.left, &factors.right}) {
      const Matrix<double> one = factor->Basis() * factor->Basis().transpose();
      EXPECT_LT((one - Matrix<double>::Identity(one.rows(), one.rows())).norm(),
                testing::Rounding<double>());
      EXPECT_TRUE(std::ranges::is_sorted(factor->values, std::greater<>()));
    }
  }
}

// Of a factor that does not change, the rows become the eigenvectors.
TEST(Soap, RepeatedChangesConvergeToTheEigenbasis) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {4, 4}, .batch = 20});
  // lr so small that the gradient stays the same.
  Soap<double> optimizer({.learning_rate = 1e-14, .every = 1});
  problem.data.x *= 3;
  for (int step = 0; step < 3; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  const EigenFactor& left = optimizer.State().layers[0].left;
  const Matrix<double> inside =
      left.Basis() * left.Matrix() * left.Basis().transpose();
  Matrix<double> off = inside;
  off.diagonal().setZero();
  EXPECT_LT(off.norm(), 1e-9 * inside.norm());
}

TEST(Soap, ThinLayersAndLayersWithoutBiasesStep) {
  for (const std::vector<Index>& widths :
       {std::vector<Index>{1, 1}, {3, 1, 2}, {1, 6, 1}}) {
    Problem<double> problem = MakeProblem<double>({.widths = widths});
    std::vector<nn::DenseSpec> specs(problem.net.Layers().begin(),
                                     problem.net.Layers().end());
    for (nn::DenseSpec& spec : specs) spec.bias = false;
    Problem<double> plain = problem;
    plain.net = nn::Mlp<double>(specs);
    plain.net.Initialise(2);
    for (Problem<double>* each : {&problem, &plain}) {
      Soap<double> optimizer({.every = 2});
      EXPECT_LT(testing::TrainedShare<double>(optimizer, *each, 100), 1);
    }
  }
}

TEST(Soap, FrozenTensorsNeitherMoveNorDecay) {
  Problem<double> problem = MakeProblem<double>({});
  problem.net.Freeze(0);
  problem.net.Freeze(1, /*weight=*/true, /*bias=*/false);
  const nn::Mlp<double> before = problem.net;
  Soap<double> optimizer({.every = 2});
  for (int i = 0; i < 4; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  EXPECT_EQ(problem.net.Weight(0), before.Weight(0));
  EXPECT_EQ(problem.net.Bias(0), before.Bias(0));
  EXPECT_EQ(problem.net.Weight(1), before.Weight(1));
  EXPECT_NE(problem.net.Bias(1), before.Bias(1));
  EXPECT_NE(problem.net.Weight(2), before.Weight(2));
}

TEST(Soap, AZeroGradientOnlyDecays) {
  Problem<double> problem = MakeProblem<double>({});
  problem.data.y = problem.net.Predict(problem.Batch().x);
  Soap<double> still({.weight_decay = 0, .every = 1});
  for (int i = 0; i < 3; ++i) {
    const StepReport report =
        still.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_TRUE(report.Applied());
    EXPECT_EQ(report.update_norm, 0);
  }
}

TEST(Soap, NanLeavesParametersAndStateAsTheyWere) {
  Problem<double> problem = MakeProblem<double>({});
  Soap<double> optimizer;
  for (int i = 0; i < 2; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  const SoapState state = optimizer.State();
  const Problem<double> good = problem;
  problem.data.x(0, 0) = testing::kNan;
  EXPECT_FALSE(
      optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  EXPECT_EQ(optimizer.State(), state);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), good.net.Parameters()));
}

// The largest that the frame lets pass is 1.3e154.
TEST(Soap, GradientsNearTheEndOfTheRangeNeitherCrashNorReachTheParameters) {
  for (const double norm : {1.2e154, 1e-160}) {
    Problem<double> problem = testing::WithGradientOfNorm(norm);
    Soap<double> optimizer({.every = 1});
    for (int i = 0; i < 6; ++i) {
      optimizer.Step(problem.net, problem.loss, problem.Batch());
    }
    for (const double p : problem.net.Parameters()) {
      EXPECT_LT(std::abs(p), 10);
    }
  }
}

TEST(Soap, ARestoredStateContinuesBitForBit) {
  for (const Index before : {0, 1, 5}) {
    EXPECT_TRUE(testing::ContinuesAfterRestore<double>(
        [] { return std::make_unique<Soap<double>>(SoapOptions{.every = 3}); },
        MakeProblem<double>({}), before, 9));
    EXPECT_TRUE(testing::ContinuesAfterRestore<float>(
        [] { return std::make_unique<Soap<float>>(); },
        MakeProblem<float>(
            {.widths = {3, 5, 4}, .loss = nn::Loss::kCrossEntropy}),
        before, 12));
  }
}

TEST(Soap, TrainsWithItsDefaults) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Soap<double> regression;
    EXPECT_LT(testing::TrainedShare(
                  regression, testing::LearnableRegression<double>(seed), 400),
              0.1);
    Soap<float> classification;
    EXPECT_LT(
        testing::TrainedShare(
            classification, testing::LearnableClassification<float>(seed), 400),
        0.5);
  }
}

TEST(SoapOptions, EveryFieldOutOfRangeIsNamed) {
  const auto message = [](const SoapOptions& options,
                          const ChainOptions& chain = {}) {
    return testing::UsageErrorOf(
        [&] { Soap<double> optimizer(options, chain); });
  };
  EXPECT_EQ(message({}), "no UsageError");
  EXPECT_EQ(message({.learning_rate = 0}),
            "SoapOptions::lr = 0: must satisfy lr > 0");
  EXPECT_EQ(message({.beta1 = 1}),
            "SoapOptions::beta1 = 1: must satisfy 0 <= beta1 < 1");
  EXPECT_EQ(message({.beta2 = 1}),
            "SoapOptions::beta2 = 1: must satisfy 0 <= beta2 < 1");
  EXPECT_EQ(message({.eps = 0}), "SoapOptions::eps = 0: must satisfy eps > 0");
  EXPECT_EQ(message({.weight_decay = -1}),
            "SoapOptions::weight_decay = -1: must satisfy weight_decay >= 0");
  EXPECT_EQ(message({.every = 0}),
            "SoapOptions::every = 0: must satisfy every >= 1");
  // It decouples its own.
  EXPECT_NE(message({}, {.decoupled_decay = 0.1}), "");
}

}  // namespace
}  // namespace sven::optim::soap_test
