// SPDX-License-Identifier: MIT
//
// Conditions on single outputs: what they are, and the linearization of several
// rows per sample, with scaled columns and with selections.
#include "sven/nn/output_conditions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sven/nn/network_linearization.h"
#include "testing/references.h"
#include "testing/tolerances.h"

namespace sven::nn::output_conditions_test {
namespace {

using testing::MakeProblem;
using testing::PlainOutputJacobian;
using testing::PlainOutputs;
using testing::Problem;
using testing::ProblemSpec;
using testing::RandomVector;
using testing::RelativeError;
using testing::Rounding;
using testing::ToVector;

template <class T>
struct Linearised {
  explicit Linearised(Problem<T> from) : problem(std::move(from)) {
    selection.SelectAll(problem.net.Layers());
    Run();
  }
  void Run() {
    const Batch<T> batch = problem.Batch();
    const Index C = problem.net.NumOutputs();
    propagation.Forward(problem.net, batch.x);
    residuals.resize(std::size_t(batch.Size() * C));
    propagation.SetRowsPerSample(C);
    std::vector<double> scratch;
    EvaluateOutputConditions<T>(problem.loss, propagation.Outputs(), batch,
                                residuals, propagation.OutputGradient(),
                                scratch);
    propagation.Backward(problem.net, selection.LowestLayer());
    linearization.Bind(problem.net, propagation, selection, residuals,
                       residuals);
  }
  Matrix<double> Jacobian() {
    Matrix<double> M(linearization.NumConditions(),
                     linearization.NumParameters());
    linearization.Jacobian(M);
    return M;
  }
  Vector<double> R() const {
    return ToVector<double>(std::span<const double>(residuals));
  }

  Problem<T> problem;
  ParameterSelection selection;
  Propagation<T> propagation;
  std::vector<double> residuals;
  NetworkLinearization<T> linearization;
};

ProblemSpec Spec(Loss::Kind loss) {
  return {.widths = {3, 6, 4},
          .batch = 5,
          .loss = loss,
          .activation = Activation::kTanh,
          .seed = 3};
}

constexpr Loss::Kind kLosses[] = {Loss::kSquaredError, Loss::kLabelRegression,
                                  Loss::kCrossEntropy, Loss::kHuber};

TEST(OutputConditions, TheirGradientIsThatOfTheLoss) {
  for (const Loss::Kind loss : kLosses) {
    Linearised<double> l(MakeProblem<double>(Spec(loss)));
    const auto losses = [&](const Vector<double>& theta) {
      return testing::PlainLosses(l.problem, theta);
    };
    const Vector<double> gradient =
        testing::FiniteDifferenceJacobian(
            losses, ToVector<double>(
                        std::span<const double>(l.problem.net.Parameters())))
            .colwise()
            .sum()
            .transpose();
    const double factor = loss == Loss::kCrossEntropy ? 1 : 2;
    EXPECT_LT(
        RelativeError(factor * l.Jacobian().transpose() * l.R(), gradient),
        1e-7)
        << Name(loss);
  }
}

TEST(OutputConditions, SquaresAddUpToTheLossUnlessItIsCrossEntropy) {
  for (const Loss::Kind loss :
       {Loss::kSquaredError, Loss::kLabelRegression, Loss::kHuber}) {
    Linearised<double> l(MakeProblem<double>(Spec(loss)));
    const Vector<double> losses = testing::PlainLosses(
        l.problem,
        ToVector<double>(std::span<const double>(l.problem.net.Parameters())));
    const Index C = l.problem.net.NumOutputs();
    for (Index a = 0; a < losses.size(); ++a) {
      EXPECT_NEAR(l.R().segment(a * C, C).squaredNorm(), losses[a], 1e-13)
          << Name(loss);
    }
  }
}

TEST(OutputConditions, OfCrossEntropyHaveTheFisherMatrixAsTheirSquare) {
  Linearised<double> l(MakeProblem<double>(Spec(Loss::kCrossEntropy)));
  const Matrix<double> J = PlainOutputJacobian(l.problem);
  const Matrix<double> p = testing::Softmax(PlainOutputs(l.problem));
  const Index C = p.cols();
  Matrix<double> fisher = Matrix<double>::Zero(J.cols(), J.cols());
  for (Index a = 0; a < p.rows(); ++a) {
    const Vector<double> row = p.row(a).transpose();
    const Matrix<double> Q =
        Matrix<double>(row.asDiagonal()) - row * row.transpose();
    fisher += J.middleRows(a * C, C).transpose() * Q * J.middleRows(a * C, C);
  }
  const Matrix<double> M = l.Jacobian();
  EXPECT_LT((M.transpose() * M - fisher).norm(), 1e-13 * fisher.norm());
}

TEST(OutputConditions, OfHuberAreSmoothAcrossItsEdge) {
  Problem<double> problem = MakeProblem<double>(Spec(Loss::kHuber));
  problem.loss.huber_delta = 0.3;  // some outputs beyond, some within
  Linearised<double> l(std::move(problem));
  const auto residuals = [&](const Vector<double>& theta) {
    Linearised<double> moved(l.problem);
    std::copy(theta.begin(), theta.end(),
              moved.problem.net.Parameters().begin());
    moved.Run();
    return moved.R();
  };
  const Matrix<double> M = testing::FiniteDifferenceJacobian(
      residuals,
      ToVector<double>(std::span<const double>(l.problem.net.Parameters())));
  EXPECT_LT((l.Jacobian() - M).norm(), 1e-7 * M.norm());
}

TEST(OutputConditions, AreFiniteForOutputsOfEverySize) {
  for (const double size : {0.0, 1.0, 40.0, 1e3, 1e300}) {
    Problem<double> problem = MakeProblem<double>(Spec(Loss::kCrossEntropy));
    Matrix<double> f = testing::RandomMatrix(5, 4, 1) * size;
    std::vector<double> R(20);
    std::vector<double> scratch;
    Matrix<double> rows(20, 4);
    EvaluateOutputConditions<double>(problem.loss, View(f), problem.Batch(), R,
                                     MutableView(rows), scratch);
    EXPECT_TRUE(rows.allFinite()) << size;
    for (const double value : R) EXPECT_TRUE(std::isfinite(value)) << size;
  }
}

// All products against the Jacobian, which is checked above.
template <class T>
void ExpectProductsOf(Linearised<T>& l, const std::string& context) {
  const Matrix<double> M = l.Jacobian();
  const Index rows = M.rows();
  const double tolerance = 100 * Rounding<T>();
  Matrix<double> K(rows, rows);
  l.linearization.Gram(linalg::Accumulation::kDouble, K);
  const Matrix<double> expected = M * M.transpose();
  const Matrix<double> lower = K.template triangularView<Eigen::Lower>();
  const Matrix<double> wanted =
      expected.template triangularView<Eigen::Lower>();
  EXPECT_LT((lower - wanted).norm(), tolerance * wanted.norm()) << context;

  const Vector<double> w = RandomVector(rows, 5);
  AlignedVector<T> out(std::size_t(M.cols()));
  l.linearization.PullBack({w.data(), std::size_t(rows)}, out);
  EXPECT_LT(
      RelativeError(ToVector<T>(std::span<const T>(out)), M.transpose() * w),
      tolerance)
      << context;

  const Vector<T> v = RandomVector(M.cols(), 6).cast<T>();
  std::vector<double> forward(std::size_t(rows), 0.0);
  l.linearization.PushForward({v.data(), std::size_t(v.size())}, forward);
  EXPECT_LT(RelativeError(ToVector<double>(std::span<const double>(forward)),
                          M * v.template cast<double>()),
            tolerance)
      << context;
}

template <class T>
void ExpectProductsOfAllSelections(bool scaled) {
  for (const Loss::Kind loss : {Loss::kSquaredError, Loss::kCrossEntropy}) {
    Linearised<T> l(MakeProblem<T>(Spec(loss)));
    const auto& layers = l.problem.net.Layers();
    const Index N = l.problem.net.NumParameters();
    AlignedVector<T> scale(static_cast<std::size_t>(N));
    for (Index i = 0; i < N; ++i)
      scale[i] = static_cast<T>(0.1 * double(i % 13));
    const auto check = [&](const char* what) {
      l.Run();
      if (scaled) l.linearization.ScaleColumns(scale);
      ExpectProductsOf(l, std::string(what) + ", " + std::string(Name(loss)));
    };
    check("everything");
    l.selection.SelectNeurons(layers, std::vector<Index>{1, 4, 7});
    check("neurons");
    l.selection.SelectParameters(layers, std::vector<Index>{0, 5, 19, 30, 45});
    check("entries");
    l.selection.SelectLayers(layers, std::vector<Index>{1});
    check("a layer");
    l.problem.net.Freeze(0, /*weight=*/true, /*bias=*/false);
    l.problem.net.Freeze(1, /*weight=*/false, /*bias=*/true);
    l.selection.SelectAll(layers);
    check("frozen parts");
  }
}

TEST(SeveralRowsPerSample, HaveTheProductsOfTheirJacobian) {
  ExpectProductsOfAllSelections<double>(/*scaled=*/false);
  ExpectProductsOfAllSelections<float>(/*scaled=*/false);
}

TEST(ScaledColumns, HaveTheProductsOfTheirJacobian) {
  ExpectProductsOfAllSelections<double>(/*scaled=*/true);
  ExpectProductsOfAllSelections<float>(/*scaled=*/true);
}

TEST(ScaledColumns, AreTheColumnsTimesTheScale) {
  Linearised<double> l(MakeProblem<double>(Spec(Loss::kSquaredError)));
  const Matrix<double> M = l.Jacobian();
  AlignedVector<double> scale(std::size_t(M.cols()));
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = 1.0 / double(i + 1);
  l.linearization.ScaleColumns(scale);
  const Matrix<double> scaled = l.Jacobian();
  for (Index i = 0; i < M.cols(); ++i) {
    EXPECT_LT((scaled.col(i) - scale[i] * M.col(i)).norm(), 1e-15);
  }
  l.linearization.ScaleColumns({});
  EXPECT_EQ(l.Jacobian(), M);
}

TEST(ParameterSelection, AMaskGoesThereAndBack) {
  Mlp<double> net({3, 6, 4}, Activation::kTanh, 1);
  net.Freeze(1, /*weight=*/false, /*bias=*/true);
  const Index N = net.NumParameters();
  ParameterSelection selection;
  std::vector<std::uint8_t> mask(std::size_t(N), 9);
  selection.SelectAll(net.Layers());
  selection.FillMask(mask);
  EXPECT_EQ(std::accumulate(mask.begin(), mask.end(), 0), N - 4);
  selection.SelectNeurons(net.Layers(), std::vector<Index>{2, 6});
  selection.FillMask(mask);
  EXPECT_EQ(std::accumulate(mask.begin(), mask.end(), 0), 4 + 6);
  std::vector<std::uint8_t> chosen(std::size_t(N), 0);
  for (const std::size_t i : {0, 7, 20, 41}) chosen[i] = 1;
  selection.SelectMask(net.Layers(), chosen);
  selection.FillMask(mask);
  EXPECT_EQ(mask, chosen);
}

}  // namespace
}  // namespace sven::nn::output_conditions_test
