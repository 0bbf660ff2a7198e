// SPDX-License-Identifier: MIT
#include "sven/optim/kfac.h"

#include <algorithm>
#include <cmath>

#include "frozen.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/product.h"

namespace sven::optim {
namespace {

// scale X^T X.
void Gram(const MatrixBuffer<double>& X, double scale,
          MatrixBuffer<double>& result) {
  const Index n = X.View().cols();
  result.Resize(n, n);
  linalg::MultiplyAtB<double>(X.View(), X.View(), result.View());
  result.View() *= scale;
}

// factor <- decay factor + (1 - decay) batch, unless that has lost its numbers:
// output-gradients may overflow where their mean, the gradient, does not.
void Average(const MatrixBuffer<double>& batch, double decay,
             EigenFactor& factor) {
  if (!batch.View().allFinite()) return;
  factor.Matrix() = decay * factor.Matrix() + (1 - decay) * batch.View();
}

double Mean(std::span<const double> values, Index count) {
  double sum = 0;
  for (const double value : values) sum += std::max(value, 0.0);
  return sum / static_cast<double>(count);
}

Index FreeColumns(const nn::DenseLayer& layer) {
  return (layer.WeightFree() ? layer.in : 0) + (layer.BiasFree() ? 1 : 0);
}

}  // namespace

void KfacOptions::Validate() const { ValidateFields("KfacOptions", *this); }

void KfacState::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  VisitFactors(archive, layers);
}

template <class T>
Kfac<T>::Kfac(const KfacOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<KfacOptions>(chain);
}

template <class T>
void Kfac<T>::PrepareState(const nn::Mlp<T>& net) {
  batch_.resize(net.Layers().size());
  state_.layers.resize(net.Layers().size());
  for (Index l = 0; l < net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = net.Layers()[l];
    state_.layers[l].left.Assign(layer.out, 1);
    state_.layers[l].right.Assign(JoinedColumns(layer), 1);
  }
}

// What is frozen has zeros in the place of its inputs: the factor has then a
// block of zeros, and the rest is as if the frozen part did not exist.
template <class T>
void Kfac<T>::MeasureInputs(const nn::DenseLayer& layer,
                            const ConstMatrixView<T>& A,
                            MatrixBuffer<double>& result) {
  rows_.Resize(A.rows(), JoinedColumns(layer));
  MatrixView<double> rows = rows_.View();
  if (layer.WeightFree()) {
    rows.leftCols(layer.in) = A.template cast<double>();
  } else {
    rows.leftCols(layer.in).setZero();
  }
  if (layer.bias) rows.col(layer.in).setConstant(layer.BiasFree() ? 1 : 0);
  Gram(rows_, 1 / static_cast<double>(A.rows()), result);
}

template <class T>
void Kfac<T>::Measure(const nn::Mlp<T>& net, const nn::Propagation<T>& layers,
                      double scale) {
  for (Index l = 0; l < net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = net.Layers()[l];
    if (!AnyFree(layer)) continue;
    MeasureInputs(layer, layers.Inputs(l), batch_[l].right);
    const ConstMatrixView<T> D = layers.Gradients(l);
    rows_.Resize(D.rows(), D.cols());
    rows_.View() = D.template cast<double>();
    Gram(rows_, scale / static_cast<double>(layers.BatchSize()),
         batch_[l].left);
  }
}

template <class T>
void Kfac<T>::Absorb(const nn::DenseLayer& layer, const BatchFactors& batch,
                     LayerFactors& factors) const {
  Average(batch.left, options_.factor_decay, factors.left);
  Average(batch.right, options_.factor_decay, factors.right);
  const auto forget = [&](Index first, Index count) {
    factors.right.Matrix().middleRows(first, count).setZero();
    factors.right.Matrix().middleCols(first, count).setZero();
  };
  if (!layer.WeightFree()) forget(0, layer.in);
  if (layer.bias && !layer.BiasFree()) forget(layer.in, 1);
}

template <class T>
void Kfac<T>::Divide(const nn::DenseLayer& layer, const LayerFactors& factors,
                     MatrixView<double> X) const {
  // Eigenvalues below rounding may come out negative.
  const auto left = [&](Index i) {
    return std::max(factors.left.values[i], 0.0);
  };
  const auto right = [&](Index j) {
    return std::max(factors.right.values[j], 0.0);
  };
  if (options_.form == KfacForm::kEigen) {
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.cols(); ++j) {
        X(i, j) /= left(i) * right(j) + options_.damping;
      }
    }
    return;
  }
  const double left_mean = Mean(factors.left.values, layer.out);
  const double right_mean = Mean(factors.right.values, FreeColumns(layer));
  const bool usual = left_mean > 0 && right_mean > 0;
  const double pi = usual ? std::sqrt(right_mean / left_mean) : 1;
  const double root = std::sqrt(options_.damping);
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) {
      X(i, j) /= (left(i) + root / pi) * (right(j) + root * pi);
    }
  }
}

template <class T>
StepReport Kfac<T>::Propose(BatchProblem<T>& problem,
                            const ScheduleFactors& factors,
                            std::span<T> update) {
  if (options_.fisher == KfacFisher::kExact) {
    problem.Linearize(Conditions::kOutputs);
    // The second derivative of a squared condition is 2 M^T M.
    const bool squares = problem.LossFunction().kind != nn::Loss::kCrossEntropy;
    Stopwatch stopwatch;
    Measure(problem.Net(), problem.Layers(), squares ? 2 : 1);
    problem.seconds.gram += stopwatch.Lap();
  }
  return GradientMethod<T>::Propose(problem, factors, update);
}

template <class T>
double Kfac<T>::Transform(const GradientPoint<T>& point, std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const std::vector<nn::DenseLayer>& layers = point.net.Layers();
  if (options_.fisher == KfacFisher::kEmpirical) {
    Measure(point.net, point.layers, 1);
  }
  AddDecay<T>(layers, options_.weight_decay, point.parameters, update);
  const bool refresh = state_.steps++ % options_.every == 0;
  double product = 0;  // sum of <V, G>
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const nn::DenseLayer& layer = layers[l];
    if (!AnyFree(layer)) continue;
    LayerFactors& factors = state_.layers[l];
    Absorb(layer, batch_[l], factors);
    if (refresh) {
      basis_.Refresh(factors.left);
      basis_.Refresh(factors.right);
    }
    gradient_.Resize(layer.out, JoinedColumns(layer));
    direction_.Resize(layer.out, JoinedColumns(layer));
    GatherJoined<T>(layer, update, gradient_.View());
    direction_.View() = gradient_.View();
    basis_.To(factors, direction_.View());
    Divide(layer, factors, direction_.View());
    basis_.From(factors, direction_.View());
    product += direction_.View().cwiseProduct(gradient_.View()).sum();
    ScatterJoined<T>(layer, std::as_const(direction_).View(), -rate, update);
  }
  const double size = rate * rate * std::abs(product);
  if (options_.kl_clip && size > *options_.kl_clip) {
    const auto nu = static_cast<T>(std::sqrt(*options_.kl_clip / size));
    for (T& value : update) value *= nu;
  }
  return rate;
}

template class Kfac<float>;
template class Kfac<double>;

}  // namespace sven::optim
