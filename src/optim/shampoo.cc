// SPDX-License-Identifier: MIT
#include "sven/optim/shampoo.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adam_direction.h"
#include "frozen.h"
#include "sven/linalg/norm.h"
#include "sven/linalg/product.h"

namespace sven::optim {
namespace {

// (value + eps)^-1/4; eigenvalues below rounding may come out negative.
void InverseFourthRoots(const EigenFactor& factor, double eps,
                        AlignedVector<double>& roots) {
  roots.resize(factor.values.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i] = 1 / std::sqrt(std::sqrt(std::max(factor.values[i], 0.0) + eps));
  }
}

}  // namespace

void ShampooOptions::Validate() const {
  ValidateFields("ShampooOptions", *this);
}

template <class T>
void ShampooState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  VisitFactors(archive, layers);
  archive.Array("mean", mean);
  archive.Array("mean_square", mean_square);
}

template <class T>
Shampoo<T>::Shampoo(const ShampooOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<ShampooOptions>(chain);
}

template <class T>
void Shampoo<T>::PrepareState(const nn::Mlp<T>& net) {
  state_.layers.resize(net.Layers().size());
  for (Index l = 0; l < net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = net.Layers()[l];
    state_.layers[l].left.Assign(layer.out, 0);
    state_.layers[l].right.Assign(JoinedColumns(layer), 0);
  }
  if (options_.graft == ShampooGraft::kNone) return;
  const auto N = static_cast<std::size_t>(net.NumParameters());
  state_.mean.assign(N, T{0});
  state_.mean_square.assign(N, T{0});
  adam_.assign(N, T{0});
}

template <class T>
void Shampoo<T>::TakeAdamStep(const nn::Mlp<T>& net, std::span<const T> g) {
  std::copy(g.begin(), g.end(), adam_.begin());
  AdamDirection<T>({.beta1 = options_.beta1,
                    .beta2 = options_.beta2,
                    .eps = options_.adam_eps},
                   state_.steps, state_.mean, state_.mean_square, adam_);
  ZeroFrozen<T>(net.Layers(), adam_);
}

template <class T>
void Shampoo<T>::Accumulate(LayerFactors& factors) {
  const ConstMatrixView<double> G = std::as_const(direction_).View();
  product_.Resize(G.rows(), G.rows());
  linalg::MultiplyABt<double>(G, G, product_.View());
  factors.left.Matrix() += product_.View();
  product_.Resize(G.cols(), G.cols());
  linalg::MultiplyAtB<double>(G, G, product_.View());
  factors.right.Matrix() += product_.View();
}

template <class T>
void Shampoo<T>::Precondition(bool refresh, LayerFactors& factors) {
  MatrixView<double> X = direction_.View();
  if (refresh) {
    basis_.Refresh(factors.left);
    basis_.Refresh(factors.right);
  }
  basis_.To(factors, X);
  if (!refresh) {
    // The diagonals of E G G^T E^T and F G^T G F^T.
    for (Index i = 0; i < X.rows(); ++i) {
      factors.left.values[i] += X.row(i).squaredNorm();
    }
    for (Index j = 0; j < X.cols(); ++j) {
      factors.right.values[j] += X.col(j).squaredNorm();
    }
  }
  InverseFourthRoots(factors.left, options_.eps, left_roots_);
  InverseFourthRoots(factors.right, options_.eps, right_roots_);
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) {
      X(i, j) *= left_roots_[i] * right_roots_[j];
    }
  }
  basis_.From(factors, X);
}

template <class T>
double Shampoo<T>::Length(const nn::DenseLayer& layer) const {
  if (options_.graft == ShampooGraft::kNone) return 1;
  const double own = direction_.View().norm();
  if (own == 0) return 0;
  const std::span<const T> part =
      std::span(adam_).subspan(static_cast<std::size_t>(layer.weight_offset),
                               static_cast<std::size_t>(layer.Size()));
  return linalg::Norm<T>(part) / own;
}

template <class T>
double Shampoo<T>::Transform(const GradientPoint<T>& point,
                             std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  AddDecay<T>(point.net.Layers(), options_.weight_decay, point.parameters,
              update);
  const bool refresh = state_.steps++ % options_.every == 0;
  if (options_.graft == ShampooGraft::kAdam) TakeAdamStep(point.net, update);
  for (Index l = 0; l < point.net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = point.net.Layers()[l];
    if (!AnyFree(layer)) continue;
    LayerFactors& factors = state_.layers[l];
    direction_.Resize(layer.out, JoinedColumns(layer));
    GatherJoined<T>(layer, update, direction_.View());
    Accumulate(factors);
    Precondition(refresh, factors);
    ScatterJoined<T>(layer, std::as_const(direction_).View(),
                     -rate * Length(layer), update);
  }
  return rate;
}

template struct ShampooState<float>;
template struct ShampooState<double>;
template class Shampoo<float>;
template class Shampoo<double>;

}  // namespace sven::optim
