// SPDX-License-Identifier: MIT
#include "sven/nn/network_linearization.h"

#include <gtest/gtest.h>

#include "testing/references.h"
#include "testing/tolerances.h"

namespace sven::nn::network_linearization_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::ProblemSpec;
using testing::RandomVector;
using testing::Rounding;
using testing::ToVector;

// A problem linearised at its parameters, losses as conditions.
template <class T>
struct Linearised {
  explicit Linearised(Problem<T> from) : problem(std::move(from)) {
    selection.SelectAll(problem.net.Layers());
    Run();
  }
  void Run() {
    const Batch<T> batch = problem.Batch();
    CheckBatch(problem.loss, batch, problem.net.NumInputs(),
               problem.net.NumOutputs());
    propagation.Forward(problem.net, batch.x);
    losses.resize(std::size_t(batch.Size()));
    MatrixView<T> gradient = propagation.OutputGradient();
    std::vector<double> scratch;
    EvaluateLoss<T>(problem.loss, propagation.Outputs(), batch, losses,
                    &gradient, scratch);
    propagation.Backward(problem.net, selection.LowestLayer());
    linearization.Bind(problem.net, propagation, selection, losses, losses);
  }
  Matrix<double> Jacobian() {
    Matrix<double> M(linearization.NumConditions(),
                     linearization.NumParameters());
    linearization.Jacobian(M);
    return M;
  }

  Problem<T> problem;
  ParameterSelection selection;
  Propagation<T> propagation;
  std::vector<double> losses;
  NetworkLinearization<T> linearization;
};

std::vector<ProblemSpec> Specs() {
  std::vector<ProblemSpec> specs;
  std::uint64_t seed = 1;
  for (const Activation activation :
       {Activation::kGelu, Activation::kGeluTanh, Activation::kTanh,
        Activation::kSilu, Activation::kSigmoid, Activation::kSoftplus,
        Activation::kRelu, Activation::kIdentity}) {
    specs.push_back({.activation = activation, .seed = seed++});
  }
  for (const Loss::Kind loss : {Loss::kSquaredError, Loss::kLabelRegression,
                                Loss::kCrossEntropy, Loss::kHuber}) {
    specs.push_back({.widths = {3, 6, 4}, .loss = loss, .seed = seed++});
  }
  specs.push_back({.widths = {1, 1}, .batch = 1, .seed = seed++});
  specs.push_back({.widths = {1, 16, 16, 16, 1}, .batch = 32, .seed = seed++});
  specs.push_back({.widths = {40, 33, 5}, .batch = 70, .seed = seed++});
  return specs;
}

TEST(NetworkLinearization, TheJacobianAgreesWithFiniteDifferences) {
  for (const ProblemSpec& spec : Specs()) {
    Linearised<double> l(MakeProblem<double>(spec));
    const auto losses = [&](const Vector<double>& theta) {
      return testing::PlainLosses(l.problem, theta);
    };
    const Vector<double> theta =
        ToVector<double>(std::span<const double>(l.problem.net.Parameters()));
    EXPECT_LT(
        (ToVector<double>(std::span<const double>(l.losses)) - losses(theta))
            .norm(),
        1e-12 * losses(theta).norm());
    const Matrix<double> expected =
        testing::FiniteDifferenceJacobian(losses, theta);
    EXPECT_LT((l.Jacobian() - expected).norm(), 1e-7 * expected.norm())
        << Name(spec.activation) << " " << Name(spec.loss.kind);
  }
}

template <class T>
void ExpectProductsOf(Linearised<T>& l, const Matrix<double>& M,
                      linalg::Accumulation accumulation, double tolerance) {
  Matrix<double> K(M.rows(), M.rows());
  l.linearization.Gram(accumulation, K);
  const Matrix<double> full = M * M.transpose();
  const Matrix<double> difference =
      Matrix<double>((K - full).template triangularView<Eigen::Lower>());
  EXPECT_LE(difference.norm(), tolerance * full.norm());

  const Vector<double> w = RandomVector(M.rows(), 5);
  std::vector<T> pulled(std::size_t(M.cols()), T{7});
  l.linearization.PullBack({w.data(), std::size_t(w.size())}, pulled);
  EXPECT_LE((ToVector<T>(pulled) - M.transpose() * w).norm(),
            tolerance * M.norm() * w.norm());

  const Vector<T> v = RandomVector(M.cols(), 6).template cast<T>();
  std::vector<double> pushed(std::size_t(M.rows()));
  l.linearization.PushForward({v.data(), std::size_t(v.size())}, pushed);
  EXPECT_LE((ToVector<double>(pushed) - M * v.template cast<double>()).norm(),
            tolerance * M.norm() * double(v.norm()));
}

TEST(NetworkLinearization, ProductsAreThoseOfTheJacobianInDouble) {
  for (const ProblemSpec& spec : Specs()) {
    Linearised<double> l(MakeProblem<double>(spec));
    ExpectProductsOf<double>(l, l.Jacobian(), linalg::Accumulation::kDouble,
                             Rounding<double>());
  }
}

TEST(NetworkLinearization, ProductsAreThoseOfTheJacobianInFloat) {
  for (const ProblemSpec& spec : Specs()) {
    Linearised<float> l(MakeProblem<float>(spec));
    for (const auto accumulation :
         {linalg::Accumulation::kWorking, linalg::Accumulation::kDouble}) {
      ExpectProductsOf<float>(l, l.Jacobian(), accumulation, Rounding<float>());
    }
  }
}

TEST(NetworkLinearization, DoubleAccumulationFromFloatIsExactToDouble) {
  Linearised<float> l(
      MakeProblem<float>({.widths = {50, 20, 1}, .batch = 20, .seed = 3}));
  const Matrix<double> M = l.Jacobian();  // products of floats, exact
  Matrix<double> K(M.rows(), M.rows());
  l.linearization.Gram(linalg::Accumulation::kDouble, K);
  const Matrix<double> full = M * M.transpose();
  const Matrix<double> difference =
      Matrix<double>((K - full).triangularView<Eigen::Lower>());
  EXPECT_LT(difference.norm(), Rounding<double>() * full.norm());
}

// Columns outside `kept` set to zero.
Matrix<double> Masked(Matrix<double> M, const std::vector<bool>& kept) {
  for (Index i = 0; i < M.cols(); ++i) {
    if (!kept[std::size_t(i)]) M.col(i).setZero();
  }
  return M;
}

class SelectionTest : public ::testing::Test {
 protected:
  SelectionTest()
      : l_(MakeProblem<double>({.widths = {3, 6, 5, 2}, .batch = 9})),
        full_(l_.Jacobian()),
        layers_(l_.problem.net.Layers()),
        kept_(std::size_t(full_.cols()), false) {}

  void KeepRange(Index offset, Index count) {
    std::fill_n(kept_.begin() + offset, count, true);
  }
  void ExpectSelectedProducts() {
    l_.Run();
    const Matrix<double> M = Masked(full_, kept_);
    EXPECT_EQ(l_.Jacobian(), M);
    ExpectProductsOf<double>(l_, M, linalg::Accumulation::kDouble,
                             Rounding<double>());
  }

  Linearised<double> l_;
  Matrix<double> full_;
  const std::vector<DenseLayer>& layers_;
  std::vector<bool> kept_;
};

TEST_F(SelectionTest, WholeLayersRestrictTheSum) {
  l_.selection.SelectLayers(layers_, std::vector<Index>{1});
  EXPECT_EQ(l_.selection.LowestLayer(), 1);
  KeepRange(layers_[1].weight_offset, layers_[1].Size());
  ExpectSelectedProducts();
}

TEST_F(SelectionTest, NeuronsRestrictTheSumToTheirRowsAndBiases) {
  // Neurons 2 and 5 of the first layer, 0 of the second, all of the third.
  l_.selection.SelectNeurons(layers_, std::vector<Index>{2, 5, 6, 11, 12});
  const auto keep = [&](Index layer, Index neuron) {
    const DenseLayer& shape = layers_[layer];
    KeepRange(shape.weight_offset + neuron * shape.in, shape.in);
    KeepRange(shape.bias_offset + neuron, 1);
  };
  keep(0, 2);
  keep(0, 5);
  keep(1, 0);
  keep(2, 0);
  keep(2, 1);
  EXPECT_EQ(l_.selection.Layers()[2].kind, LayerSelection::Kind::kAll);
  ExpectSelectedProducts();
}

TEST_F(SelectionTest, SingleParametersRestrictTheSum) {
  RandomStream random(3, RandomUse::kSubsampling);
  for (const Index count : {1, 10, 40, 70}) {
    std::vector<Index> chosen;
    SampleWithoutReplacement(full_.cols(), count, random, chosen);
    l_.selection.SelectParameters(layers_, chosen);
    std::fill(kept_.begin(), kept_.end(), false);
    for (const Index i : chosen) KeepRange(i, 1);
    ExpectSelectedProducts();
  }
}

TEST_F(SelectionTest, AMaskOfAllIsNoMask) {
  const std::vector<std::uint8_t> all(kept_.size(), 1);
  l_.selection.SelectMask(layers_, all);
  for (const LayerSelection& layer : l_.selection.Layers()) {
    EXPECT_EQ(layer.kind, LayerSelection::Kind::kAll);
  }
  KeepRange(0, full_.cols());
  ExpectSelectedProducts();
}

TEST_F(SelectionTest, AMaskOfNothingGivesAZeroJacobian) {
  l_.selection.SelectMask(layers_, std::vector<std::uint8_t>(kept_.size(), 0));
  EXPECT_EQ(l_.selection.LowestLayer(), 3);
  ExpectSelectedProducts();
}

TEST_F(SelectionTest, FrozenTensorsTakeNoPartInAnySelection) {
  Mlp<double>& net = l_.problem.net;
  net.Freeze(0, /*weight=*/true, /*bias=*/false);
  net.Freeze(1, /*weight=*/false, /*bias=*/true);
  const auto keep_free = [&] {
    std::fill(kept_.begin(), kept_.end(), false);
    KeepRange(layers_[0].bias_offset, layers_[0].BiasSize());
    KeepRange(layers_[1].weight_offset, layers_[1].WeightSize());
    KeepRange(layers_[2].weight_offset, layers_[2].Size());
  };
  l_.selection.SelectAll(layers_);
  keep_free();
  ExpectSelectedProducts();

  l_.selection.SelectMask(layers_, std::vector<std::uint8_t>(kept_.size(), 1));
  ExpectSelectedProducts();

  l_.selection.SelectNeurons(layers_, std::vector<Index>{1, 7, 12});
  std::fill(kept_.begin(), kept_.end(), false);
  KeepRange(layers_[0].bias_offset + 1, 1);
  KeepRange(layers_[1].weight_offset + 1 * layers_[1].in, layers_[1].in);
  KeepRange(layers_[2].weight_offset + 1 * layers_[2].in, layers_[2].in);
  KeepRange(layers_[2].bias_offset + 1, 1);
  ExpectSelectedProducts();
}

TEST_F(SelectionTest, ASelectionOfAnotherNetworkOrFromBeforeFreezingIsRefused) {
  l_.problem.net.Freeze(0);
  EXPECT_THROW(l_.Run(), std::logic_error);
  l_.selection.SelectAll(
      Mlp<double>({3, 7, 5, 2}, Activation::kGelu, 1).Layers());
  EXPECT_THROW(l_.Run(), std::logic_error);
}

TEST(NetworkLinearization, LayersWithoutBiasHaveNoBiasTerm) {
  Problem<double> problem = MakeProblem<double>({.widths = {3, 4, 1}});
  problem.net = Mlp<double>(std::vector<DenseSpec>{
      {.in = 3, .out = 4, .activation = Activation::kTanh, .bias = false},
      {.in = 4, .out = 1, .bias = false}});
  problem.net.Initialise(5);
  EXPECT_EQ(problem.net.NumParameters(), 16);
  Linearised<double> l(std::move(problem));
  const Vector<double> theta =
      ToVector<double>(std::span<const double>(l.problem.net.Parameters()));
  const Matrix<double> expected = testing::FiniteDifferenceJacobian(
      [&](const Vector<double>& at) {
        return testing::PlainLosses(l.problem, at);
      },
      theta);
  EXPECT_LT((l.Jacobian() - expected).norm(), 1e-7 * expected.norm());
  ExpectProductsOf<double>(l, l.Jacobian(), linalg::Accumulation::kDouble,
                           Rounding<double>());
}

TEST(NetworkLinearization, ASmallerBatchAfterALargerOneGivesTheSame) {
  Linearised<double> reused(MakeProblem<double>({.batch = 20, .seed = 1}));
  reused.problem = MakeProblem<double>({.batch = 6, .seed = 2});
  reused.selection.SelectAll(reused.problem.net.Layers());
  reused.Run();
  Linearised<double> fresh(MakeProblem<double>({.batch = 6, .seed = 2}));
  EXPECT_EQ(reused.Jacobian(), fresh.Jacobian());
}

}  // namespace
}  // namespace sven::nn::network_linearization_test
