// SPDX-License-Identifier: MIT
#include "sven/optim/soap.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "adam_direction.h"
#include "sven/linalg/product.h"

namespace sven::optim {

void SoapOptions::Validate() const { ValidateFields("SoapOptions", *this); }

void SoapState::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  VisitFactors(archive, layers);
  archive.Array("mean", mean);
  archive.Array("mean_square", mean_square);
}

template <class T>
Soap<T>::Soap(const SoapOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<SoapOptions>(chain);
}

template <class T>
void Soap<T>::PrepareState(const nn::Mlp<T>& net) {
  state_.layers.resize(net.Layers().size());
  for (Index l = 0; l < net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = net.Layers()[l];
    state_.layers[l].left.Assign(layer.out, 0);
    state_.layers[l].right.Assign(layer.in, 0);
    // What the first step does not size.
    direction_.Resize(layer.out, layer.in);
    sorted_.Resize(layer.out, layer.in);
    basis_.Reserve(layer.out, layer.in);
    left_order_.reserve(static_cast<std::size_t>(layer.out));
    right_order_.reserve(static_cast<std::size_t>(layer.in));
  }
  const auto N = static_cast<std::size_t>(net.NumParameters());
  state_.mean.assign(N, 0.0);
  state_.mean_square.assign(N, 0.0);
}

template <class T>
void Soap<T>::LoadGradient(const Tensor& tensor, std::span<const T> flat) {
  gradient_.Resize(tensor.rows, tensor.cols);
  gradient_.View() =
      ConstMatrixView<T>(flat.data() + tensor.offset, tensor.rows, tensor.cols)
          .template cast<double>();
}

template <class T>
void Soap<T>::Move(const GradientPoint<T>& point, const Tensor& tensor,
                   double rate, const LayerFactors* factors,
                   std::span<T> update) {
  direction_.Resize(tensor.rows, tensor.cols);
  MatrixView<double> direction = direction_.View();
  direction = gradient_.View();
  if (factors != nullptr) basis_.To(*factors, direction);
  const auto size = static_cast<std::size_t>(direction.size());
  const auto first = static_cast<std::size_t>(tensor.offset);
  AdamDirection<double>(
      {.beta1 = options_.beta1, .beta2 = options_.beta2, .eps = options_.eps},
      state_.steps, std::span(state_.mean).subspan(first, size),
      std::span(state_.mean_square).subspan(first, size),
      std::span(direction.data(), size));
  if (factors != nullptr) basis_.From(*factors, direction);
  const std::span<const T> p = point.parameters.subspan(first, size);
  for (std::size_t i = 0; i < size; ++i) {
    const double decay = options_.weight_decay * static_cast<double>(p[i]);
    update[first + i] = static_cast<T>(-rate * (direction.data()[i] + decay));
  }
}

template <class T>
void Soap<T>::Accumulate(LayerFactors& factors) {
  const ConstMatrixView<double> G = std::as_const(gradient_).View();
  const double kept = options_.beta2;
  product_.Resize(G.rows(), G.rows());
  linalg::MultiplyABt<double>(G, G, product_.View());
  factors.left.Matrix() =
      kept * factors.left.Matrix() + (1 - kept) * product_.View();
  product_.Resize(G.cols(), G.cols());
  linalg::MultiplyAtB<double>(G, G, product_.View());
  factors.right.Matrix() =
      kept * factors.right.Matrix() + (1 - kept) * product_.View();
}

template <class T>
void Soap<T>::ChangeBasis(EigenFactor& factor, std::vector<Index>& order) {
  const Index n = factor.Size();
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  // Row i: (L q)^T of the i-th basis vector q.
  product_.Resize(n, n);
  linalg::MultiplyAB<double>(std::as_const(factor).Basis(),
                             std::as_const(factor).Matrix(), product_.View());
  if (!product_.View().allFinite()) return;
  for (Index i = 0; i < n; ++i) {
    factor.values[i] = factor.Basis().row(i).dot(product_.View().row(i));
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (factor.values[a] != factor.values[b]) {
      return factor.values[a] > factor.values[b];
    }
    return a < b;
  });
  std::sort(factor.values.begin(), factor.values.end(), std::greater<double>());
  for (Index i = 0; i < n; ++i) {
    factor.Basis().row(i) = product_.View().row(order[i]);
  }
  // Finite, as the product was.
  static_cast<void>(basis_.Solver().Orthonormalise(factor.Basis()));
}

template <class T>
void Soap<T>::ChangeBases(const Tensor& tensor, LayerFactors& factors) {
  MatrixView<double> m = View(tensor, state_.mean);
  MatrixView<double> v = View(tensor, state_.mean_square);
  basis_.From(factors, m);
  ChangeBasis(factors.left, left_order_);
  ChangeBasis(factors.right, right_order_);
  basis_.To(factors, m);
  sorted_.Resize(tensor.rows, tensor.cols);
  MatrixView<double> sorted = sorted_.View();
  for (Index i = 0; i < tensor.rows; ++i) {
    for (Index j = 0; j < tensor.cols; ++j) {
      sorted(i, j) = v(left_order_[i], right_order_[j]);
    }
  }
  v = sorted;
}

template <class T>
double Soap<T>::Transform(const GradientPoint<T>& point, std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const bool first = state_.steps == 0;
  const bool change = !first && state_.steps % options_.every == 0;
  for (Index l = 0; l < point.net.NumLayers(); ++l) {
    const nn::DenseLayer& layer = point.net.Layers()[l];
    LayerFactors& factors = state_.layers[l];
    if (layer.WeightFree()) {
      const Tensor weight = {layer.weight_offset, layer.out, layer.in};
      LoadGradient(weight, update);
      if (!first) Move(point, weight, rate, &factors, update);
      Accumulate(factors);
      if (change) ChangeBases(weight, factors);
      if (first) {
        basis_.Refresh(factors.left);
        basis_.Refresh(factors.right);
      }
    }
    if (layer.BiasFree() && !first) {
      const Tensor bias = {layer.bias_offset, layer.out, 1};
      LoadGradient(bias, update);
      Move(point, bias, rate, nullptr, update);
    }
  }
  ++state_.steps;
  if (first) std::fill(update.begin(), update.end(), T{0});
  return rate;
}

template class Soap<float>;
template class Soap<double>;

}  // namespace sven::optim
