// SPDX-License-Identifier: MIT
#include "sven/optim/kfac.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/tolerances.h"

namespace sven::optim::kfac_test {
namespace {

using testing::GradientOf;
using testing::JoinedPart;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::SolvePlain;
using testing::ToVector;

// ---- The twin: dense, by loops, from the definition ----

struct Rows {
  std::vector<Matrix<double>> A;  // per layer: B x in
  std::vector<Matrix<double>> D;  // per layer: B x out, of the losses
};

Rows RowsOf(const Problem<double>& problem) {
  nn::Mlp<double> net = problem.net;
  const nn::Batch<double> batch = problem.Batch();
  BatchProblem<double> bound;
  bound.Bind(net, problem.loss, batch);
  bound.Linearize(Conditions::kLosses);
  Rows rows;
  for (Index l = 0; l < net.NumLayers(); ++l) {
    rows.A.emplace_back(bound.Layers().Inputs(l));
    rows.D.emplace_back(bound.Layers().Gradients(l));
  }
  return rows;
}

struct Factors {
  Matrix<double> S;
  Matrix<double> A;
};

// Of one layer; only the columns of [W b] that are free.
Factors IdentityFactors(const nn::DenseLayer& layer) {
  const Index cols = (layer.WeightFree() ? layer.in : 0) + layer.BiasFree();
  return {.S = Matrix<double>::Identity(layer.out, layer.out),
          .A = Matrix<double>::Identity(cols, cols)};
}

Matrix<double> FreeColumns(const nn::DenseLayer& layer,
                           const Matrix<double>& joined) {
  const Index first = layer.WeightFree() ? 0 : layer.in;
  const Index last = layer.BiasFree() ? layer.in + 1 : layer.in;
  return joined.middleCols(first, last - first);
}

Matrix<double> MeanOfInputs(const nn::DenseLayer& layer,
                            const Matrix<double>& A) {
  Matrix<double> joined = Matrix<double>::Ones(A.rows(), layer.in + 1);
  joined.leftCols(layer.in) = A;
  const Matrix<double> rows = FreeColumns(layer, joined);
  return rows.transpose() * rows / static_cast<double>(A.rows());
}

// mean over samples of d d^T with targets as they are, ...
std::vector<Matrix<double>> MeansOfLosses(const Problem<double>& problem) {
  std::vector<Matrix<double>> S;
  for (const Matrix<double>& D : RowsOf(problem).D) {
    S.emplace_back(D.transpose() * D / static_cast<double>(D.rows()));
  }
  return S;
}

// ... in expectation over labels drawn from the softmax, ...
std::vector<Matrix<double>> MeansOfLabels(Problem<double> problem) {
  const Matrix<double> f = problem.net.Predict(problem.Batch().x);
  std::vector<Matrix<double>> S(problem.net.Layers().size());
  for (Index c = 0; c < f.cols(); ++c) {
    std::fill(problem.data.labels.begin(), problem.data.labels.end(), c);
    const Rows rows = RowsOf(problem);
    for (std::size_t l = 0; l < S.size(); ++l) {
      if (c == 0) S[l].setZero(rows.D[l].cols(), rows.D[l].cols());
      for (Index a = 0; a < f.rows(); ++a) {
        const Vector<double> e = f.row(a).array().exp();
        const Vector<double> d = rows.D[l].row(a);
        S[l] +=
            e[c] / e.sum() / static_cast<double>(f.rows()) * d * d.transpose();
      }
    }
  }
  return S;
}

// ... or over targets y with the density exp(-|f - y|^2), of variance 1/2. d is
// linear in y, so two points per output are an exact quadrature.
std::vector<Matrix<double>> MeansOfTargets(Problem<double> problem) {
  const Matrix<double> f = problem.net.Predict(problem.Batch().x);
  const Index C = f.cols();
  std::vector<Matrix<double>> S(problem.net.Layers().size());
  for (Index c = 0; c < C; ++c) {
    for (const double sign : {-1.0, 1.0}) {
      problem.data.y = f;
      problem.data.y.col(c).array() +=
          sign * std::sqrt(static_cast<double>(C) / 2);
      const std::vector<Matrix<double>> part = MeansOfLosses(problem);
      for (std::size_t l = 0; l < S.size(); ++l) {
        if (S[l].size() == 0) S[l].setZero(part[l].rows(), part[l].cols());
        S[l] += part[l] / static_cast<double>(2 * C);
      }
    }
  }
  return S;
}

std::vector<Matrix<double>> MeansOfOutputs(const Problem<double>& problem,
                                           KfacFisher fisher) {
  if (fisher == KfacFisher::kEmpirical) return MeansOfLosses(problem);
  return problem.loss.kind == nn::Loss::kCrossEntropy ? MeansOfLabels(problem)
                                                      : MeansOfTargets(problem);
}

// S (x) A for matrices stored by rows.
Matrix<double> Kronecker(const Matrix<double>& S, const Matrix<double>& A) {
  Matrix<double> product(S.rows() * A.rows(), S.rows() * A.rows());
  for (Index i = 0; i < S.rows(); ++i) {
    for (Index k = 0; k < S.rows(); ++k) {
      product.block(i * A.rows(), k * A.rows(), A.rows(), A.rows()) =
          S(i, k) * A;
    }
  }
  return product;
}

Matrix<double> PlusIdentity(Matrix<double> X, double shift) {
  X.diagonal().array() += shift;
  return X;
}

Matrix<double> Curvature(const Factors& factors, const KfacOptions& options) {
  if (options.form == KfacForm::kEigen) {
    return PlusIdentity(Kronecker(factors.S, factors.A), options.damping);
  }
  const double pi =
      std::sqrt(factors.A.diagonal().mean() / factors.S.diagonal().mean());
  const double root = std::sqrt(options.damping);
  return Kronecker(PlusIdentity(factors.S, root / pi),
                   PlusIdentity(factors.A, root * pi));
}

Vector<double> Flattened(const Matrix<double>& X) {
  return ConstVectorView<double>(X.data(), X.size());
}

// Takes the batch into `factors` and compares the optimizer's step from there.
double ErrorOfNextStep(Problem<double>& problem, Kfac<double>& optimizer,
                       std::vector<Factors>& factors) {
  const KfacOptions& options = optimizer.Options();
  const Vector<double> gradient = GradientOf(problem);
  const std::vector<Matrix<double>> S = MeansOfOutputs(problem, options.fisher);
  const Rows rows = RowsOf(problem);
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const Vector<double> update = ToVector<double>(optimizer.Update());
  double error = 0;
  for (std::size_t l = 0; l < factors.size(); ++l) {
    const nn::DenseLayer& layer = problem.net.Layers()[l];
    if (!AnyFree(layer)) continue;
    const double kept = options.factor_decay;
    factors[l].S = kept * factors[l].S + (1 - kept) * S[l];
    factors[l].A =
        kept * factors[l].A + (1 - kept) * MeanOfInputs(layer, rows.A[l]);
    const Vector<double> V =
        SolvePlain(Curvature(factors[l], options),
                   Flattened(FreeColumns(layer, JoinedPart(layer, gradient))));
    error = std::max(
        error,
        RelativeError(Flattened(FreeColumns(layer, JoinedPart(layer, update))),
                      -options.learning_rate * V));
  }
  return error;
}

std::vector<Factors> StartingFactors(const Problem<double>& problem) {
  std::vector<Factors> factors;
  for (const nn::DenseLayer& layer : problem.net.Layers()) {
    factors.push_back(IdentityFactors(layer));
  }
  return factors;
}

std::vector<Problem<double>> Samples() {
  std::vector<Problem<double>> samples;
  samples.push_back(MakeProblem<double>({}));
  samples.push_back(MakeProblem<double>({.widths = {3, 1, 2}}));
  samples.push_back(MakeProblem<double>({.widths = {1, 1}, .batch = 1}));
  samples.push_back(MakeProblem<double>(
      {.widths = {2, 4, 3}, .loss = nn::Loss::kCrossEntropy}));
  // No biases.
  Problem<double> plain = MakeProblem<double>({.widths = {2, 3, 2}});
  plain.net = nn::Mlp<double>(std::vector<nn::DenseSpec>{
      {.in = 2, .out = 3, .activation = nn::Activation::kTanh, .bias = false},
      {.in = 3, .out = 2, .bias = false}});
  plain.net.Initialise(5);
  samples.push_back(plain);
  // Partly frozen.
  Problem<double> frozen = MakeProblem<double>({.widths = {2, 4, 3, 2}});
  frozen.net.Freeze(0, /*weight=*/true, /*bias=*/true);
  frozen.net.Freeze(1, /*weight=*/true, /*bias=*/false);
  frozen.net.Freeze(2, /*weight=*/false, /*bias=*/true);
  samples.push_back(frozen);
  return samples;
}

// ---- Laws ----

TEST(Kfac, TheStepSolvesWithTheDenseKroneckerProduct) {
  for (const KfacForm form : {KfacForm::kEigen, KfacForm::kFactored}) {
    for (const KfacFisher fisher :
         {KfacFisher::kEmpirical, KfacFisher::kExact}) {
      for (Problem<double> problem : Samples()) {
        Kfac<double> optimizer({.damping = 0.01,
                                .form = form,
                                .fisher = fisher,
                                .factor_decay = 0.6,
                                .kl_clip = std::nullopt,
                                .every = 1});
        std::vector<Factors> factors = StartingFactors(problem);
        for (int step = 0; step < 3; ++step) {
          EXPECT_LT(ErrorOfNextStep(problem, optimizer, factors),
                    testing::Rounding<double>(1e3))
              << Name(form) << ' ' << Name(fisher) << " layers "
              << problem.net.NumLayers() << " step " << step;
        }
      }
    }
  }
}

TEST(Kfac, OneLinearLayerWithSquaredErrorsIsSolvedInOneStep) {
  for (const nn::Loss& loss :
       {nn::Loss(nn::Loss::kSquaredError), nn::Loss(nn::Loss::kLabelRegression),
        nn::Loss(nn::Loss::kHuber, /*huber_delta_in=*/100)}) {
    Problem<double> problem =
        MakeProblem<double>({.widths = {3, 2}, .batch = 9, .loss = loss});
    Kfac<double> optimizer({.learning_rate = 1,
                            .damping = 1e-13,
                            .factor_decay = 0,
                            .kl_clip = std::nullopt});
    const double before = GradientOf(problem).norm();
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_LT(GradientOf(problem).norm(), 1e-10 * before) << Name(loss.kind);
  }
}

// M^T M / B of the conditions on the outputs, times 2 for squared errors.
Matrix<double> DenseFisher(const Problem<double>& problem) {
  nn::Mlp<double> net = problem.net;
  const nn::Batch<double> batch = problem.Batch();
  BatchProblem<double> bound;
  bound.Bind(net, problem.loss, batch);
  auto& conditions = bound.Linearize(Conditions::kOutputs);
  Matrix<double> M(conditions.NumConditions(), net.NumParameters());
  conditions.Jacobian(M);
  const double scale = problem.loss.kind == nn::Loss::kCrossEntropy ? 1 : 2;
  return scale / static_cast<double>(batch.Size()) * M.transpose() * M;
}

double ErrorToNaturalGradient(Problem<double> problem, double damping) {
  Kfac<double> optimizer({.learning_rate = 1,
                          .damping = damping,
                          .factor_decay = 0,
                          .kl_clip = std::nullopt});
  const Vector<double> expected = -SolvePlain(
      PlusIdentity(DenseFisher(problem), damping), GradientOf(problem));
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  return RelativeError(ToVector<double>(optimizer.Update()), expected);
}

TEST(Kfac, ExactFactorsGiveTheNaturalGradientWhereTheFisherMatrixIsAProduct) {
  const double tolerance = testing::Rounding<double>(1e5);
  // One linear layer with squared errors.
  EXPECT_LT(ErrorToNaturalGradient(
                MakeProblem<double>({.widths = {3, 2}, .batch = 9}), 1e-4),
            tolerance);
  // Cross-entropy: the same softmax for all samples, or one sample only.
  Problem<double> uniform = MakeProblem<double>(
      {.widths = {3, 4}, .batch = 9, .loss = nn::Loss::kCrossEntropy});
  for (double& p : uniform.net.Parameters()) p = 0;
  uniform.net.Parameters().back() = 1;
  EXPECT_LT(ErrorToNaturalGradient(uniform, 1e-4), tolerance);
  EXPECT_LT(
      ErrorToNaturalGradient(
          MakeProblem<double>(
              {.widths = {3, 4}, .batch = 1, .loss = nn::Loss::kCrossEntropy}),
          1e-4),
      tolerance);
  // And not where it is none.
  EXPECT_GT(
      ErrorToNaturalGradient(
          MakeProblem<double>(
              {.widths = {3, 4}, .batch = 9, .loss = nn::Loss::kCrossEntropy}),
          1e-4),
      1e-3);
}

TEST(Kfac, TheNormLimitScalesTheWholeStep) {
  const Problem<double> start = MakeProblem<double>({});
  const Vector<double> g = GradientOf(start);
  const auto update = [&](std::optional<double> limit) {
    Problem<double> problem = start;
    Kfac<double> optimizer({.learning_rate = 0.5, .kl_clip = limit});
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    return Vector<double>(ToVector<double>(optimizer.Update()));
  };
  const Vector<double> free = update(std::nullopt);
  // lr^2 <V, G> with the update -lr V.
  const double size = -0.5 * free.dot(g);
  ASSERT_GT(size, 0);
  EXPECT_EQ(update(1.01 * size), free);
  EXPECT_LT(RelativeError(update(size / 9), free / 3),
            testing::Rounding<double>());
}

TEST(Kfac, BasesAreComputedEverySoManySteps) {
  Problem<double> problem = MakeProblem<double>({});
  Kfac<double> optimizer({.every = 3});
  std::vector<KfacState> states;
  for (int step = 0; step < 4; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    states.push_back(optimizer.State());
  }
  const auto basis = [&](int step) {
    return states[step].layers[1].left.basis;
  };
  const auto matrix = [&](int step) {
    return states[step].layers[1].left.matrix;
  };
  EXPECT_EQ(basis(1), basis(0));
  EXPECT_EQ(basis(2), basis(0));
  EXPECT_NE(basis(3), basis(0));
  EXPECT_NE(matrix(1), matrix(0));
}

TEST(Kfac, FrozenTensorsNeitherMoveNorDecay) {
  Problem<double> problem = MakeProblem<double>({});
  const std::vector<double> before(problem.net.Parameters().begin(),
                                   problem.net.Parameters().end());
  Kfac<double> optimizer({.weight_decay = 0.1});
  // Also one that freezes on the way.
  problem.net.Freeze(0);
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const Matrix<double> weight = problem.net.Weight(1);
  problem.net.Freeze(1, /*weight=*/true, /*bias=*/false);
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const nn::DenseLayer& first = problem.net.Layers()[0];
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + first.Size(),
                         problem.net.Parameters().begin()));
  EXPECT_EQ(Matrix<double>(problem.net.Weight(1)), weight);
}

TEST(Kfac, AZeroGradientMovesNothing) {
  for (const KfacForm form : {KfacForm::kEigen, KfacForm::kFactored}) {
    for (const KfacFisher fisher :
         {KfacFisher::kEmpirical, KfacFisher::kExact}) {
      Problem<double> problem = MakeProblem<double>({});
      problem.data.y = problem.net.Predict(problem.Batch().x);
      Kfac<double> optimizer(
          {.form = form, .fisher = fisher, .factor_decay = 0});
      const StepReport report =
          optimizer.Step(problem.net, problem.loss, problem.Batch());
      EXPECT_TRUE(report.Applied());
      EXPECT_EQ(report.update_norm, 0);
    }
  }
}

TEST(Kfac, NanLeavesParametersAndFactorsAsTheyWere) {
  for (const KfacFisher fisher : {KfacFisher::kEmpirical, KfacFisher::kExact}) {
    Problem<double> problem = MakeProblem<double>({});
    Kfac<double> optimizer({.fisher = fisher});
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const KfacState state = optimizer.State();
    const Problem<double> good = problem;
    problem.data.x(0, 0) = testing::kNan;
    EXPECT_FALSE(
        optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
    EXPECT_EQ(optimizer.State(), state);
    EXPECT_TRUE(
        std::ranges::equal(problem.net.Parameters(), good.net.Parameters()));
  }
}

// They cancel in the mean, so that the frame has nothing to object to.
TEST(Kfac, OutputGradientsWhoseSquaresOverflowFloatLeaveTheFactorsFinite) {
  Problem<float> problem = MakeProblem<float>({.widths = {1, 1}, .batch = 2});
  for (float& p : problem.net.Parameters()) p = 0;
  problem.data.x.setOnes();
  problem.data.y << 1e25F, -1e25F;
  for (const KfacFisher fisher : {KfacFisher::kEmpirical, KfacFisher::kExact}) {
    Kfac<float> optimizer({.fisher = fisher});
    EXPECT_TRUE(
        optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
    for (const double value : optimizer.State().layers[0].left.matrix) {
      EXPECT_TRUE(std::isfinite(value));
    }
    EXPECT_TRUE(std::isfinite(problem.net.Parameters()[0]));
  }
}

TEST(Kfac, ARestoredStateContinuesBitForBit) {
  const auto check = [](const auto& problem, auto number) {
    using T = decltype(number);
    for (const KfacOptions& options :
         {KfacOptions{}, KfacOptions{.form = KfacForm::kFactored,
                         .fisher = KfacFisher::kEmpirical,
                         .every = 3,
                         .weight_decay = 0.1}}) {
      EXPECT_TRUE(testing::ContinuesAfterRestore<T>(
          [&] { return std::make_unique<Kfac<T>>(options); }, problem, 5, 9));
    }
  };
  check(MakeProblem<double>({}), double{});
  check(MakeProblem<float>(
            {.widths = {3, 5, 4}, .loss = nn::Loss::kCrossEntropy}),
        float{});
}

TEST(Kfac, TrainsWithItsDefaults) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Kfac<double> regression;
    EXPECT_LT(testing::TrainedShare(
                  regression, testing::LearnableRegression<double>(seed), 150),
              0.02);
    Kfac<float> classification;
    EXPECT_LT(
        testing::TrainedShare(
            classification, testing::LearnableClassification<float>(seed), 150),
        0.2);
  }
}

// The reason for the default.
TEST(Kfac, ExactFactorsTrainARegressionFurtherThanEmpiricalOnes) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto share = [&](KfacFisher fisher) {
      Kfac<double> optimizer({.fisher = fisher});
      return testing::TrainedShare(
          optimizer, testing::LearnableRegression<double>(seed), 300);
    };
    EXPECT_LT(share(KfacFisher::kExact), 0.1 * share(KfacFisher::kEmpirical));
  }
}

TEST(KfacOptions, EveryFieldOutOfRangeIsNamed) {
  const auto message = [](const KfacOptions& options) {
    return testing::UsageErrorOf([&] { Kfac<double> optimizer(options); });
  };
  EXPECT_EQ(message({}), "no UsageError");
  EXPECT_EQ(message({.learning_rate = 0}),
            "KfacOptions::lr = 0: must satisfy lr > 0");
  EXPECT_EQ(message({.damping = 0}),
            "KfacOptions::damping = 0: must satisfy damping > 0");
  EXPECT_EQ(
      message({.factor_decay = 1}),
      "KfacOptions::factor_decay = 1: must satisfy 0 <= factor_decay < 1");
  EXPECT_EQ(message({.kl_clip = 0.0}),
            "KfacOptions::kl_clip = 0: must satisfy kl_clip > 0");
  EXPECT_EQ(message({.every = 0}),
            "KfacOptions::every = 0: must satisfy every >= 1");
  EXPECT_EQ(
      message({.weight_decay = -1}),
      "KfacOptions::weight_decay = -1: must satisfy 0 <= weight_decay <= 1000");
}

}  // namespace
}  // namespace sven::optim::kfac_test
