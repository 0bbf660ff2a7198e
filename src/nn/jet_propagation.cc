// SPDX-License-Identifier: MIT
//
// Letters: B points, d inputs, T components of a jet, z and y before and after
// an activation f. A jet of a layer with n neurons is a T x n matrix.
#include "sven/nn/jet_propagation.h"

#include <fmt/format.h>

#include "sven/base/error.h"
#include "sven/linalg/product.h"
#include "sven/nn/jet_activation.h"

namespace sven::nn {
namespace {

// f', f'' and f''' at the neurons of a point.
template <class T>
struct PointSlopes {
  PointSlopes(const T* data, Index count)
      : first(data, count),
        second(data + count, count),
        third(data + 2 * count, count) {}

  using Row = Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>>;
  Row first, second, third;
};

// y from z but for the value; y may be z, so the highest order comes first.
template <class T>
void ApplyForward(const JetShape& shape, const PointSlopes<T>& f,
                  const ConstMatrixView<T>& zs, MatrixView<T> ys) {
  const auto z = zs.array();
  auto y = ys.array();
  const Index d = shape.inputs;
  const auto product = [&](Index t, Index i, Index j) {
    y.row(t) = f.second * z.row(1 + i) * z.row(1 + j) + f.first * z.row(t);
  };
  if (shape.derivatives == Derivatives::kLaplacian) {
    const Index t = shape.Second();
    y.row(t) = f.first * z.row(t);
    for (Index i = 0; i < d; ++i) {
      y.row(t) += f.second * z.row(1 + i).square();
    }
  } else if (shape.derivatives == Derivatives::kDiagonal) {
    for (Index i = 0; i < d; ++i) product(shape.Second(i, i), i, i);
  } else if (shape.derivatives == Derivatives::kHessian) {
    for (Index i = 0, t = shape.Second(); i < d; ++i) {
      for (Index j = i; j < d; ++j, ++t) product(t, i, j);
    }
  }
  if (!shape.HasGradient()) return;
  for (Index i = 0; i < d; ++i) y.row(1 + i) = f.first * z.row(1 + i);
}

// The derivatives D in y become those in z.
template <class T>
void ApplyBackward(const JetShape& shape, const PointSlopes<T>& f,
                   const ConstMatrixView<T>& zs, MatrixView<T> Ds) {
  const auto z = zs.array();
  auto D = Ds.array();
  const Index d = shape.inputs;
  D.row(0) *= f.first;
  if (!shape.HasGradient()) return;
  for (Index i = 0; i < d; ++i) {
    D.row(0) += f.second * z.row(1 + i) * D.row(1 + i);
    D.row(1 + i) *= f.first;
  }
  const auto product = [&](Index t, Index i, Index j) {
    D.row(0) += (f.third * z.row(1 + i) * z.row(1 + j) + f.second * z.row(t)) *
                D.row(t);
    D.row(1 + i) += f.second * z.row(1 + j) * D.row(t);
    D.row(1 + j) += f.second * z.row(1 + i) * D.row(t);
    D.row(t) *= f.first;
  };
  if (shape.derivatives == Derivatives::kLaplacian) {
    const Index t = shape.Second();
    D.row(0) += f.second * z.row(t) * D.row(t);
    for (Index i = 0; i < d; ++i) {
      D.row(0) += f.third * z.row(1 + i).square() * D.row(t);
      D.row(1 + i) += 2 * f.second * z.row(1 + i) * D.row(t);
    }
    D.row(t) *= f.first;
  } else if (shape.derivatives == Derivatives::kDiagonal) {
    for (Index i = 0; i < d; ++i) product(shape.Second(i, i), i, i);
  } else if (shape.derivatives == Derivatives::kHessian) {
    for (Index i = 0, t = shape.Second(); i < d; ++i) {
      for (Index j = i; j < d; ++j, ++t) product(t, i, j);
    }
  }
}

}  // namespace

template <class T>
void JetPropagation<T>::CheckActivations(const Mlp<T>& net) const {
  if (!shape_.HasSecond()) return;
  for (const DenseLayer& layer : net.Layers()) {
    if (IsSmooth(layer.activation)) continue;
    throw UsageError(fmt::format(
        "activation = {}: has no second derivative, which derivatives = {} "
        "need; use a smooth one, such as tanh",
        Name(layer.activation), Name(shape_.derivatives)));
  }
}

template <class T>
void JetPropagation<T>::Resize(const Mlp<T>& net) {
  const auto all = static_cast<std::size_t>(net.NumLayers());
  outputs_.resize(all);
  sums_.resize(all);
  slopes_.resize(all);
  gradients_.resize(all);
  const Index rows = batch_size_ * shape_.Components();
  const bool everything = keep_ == Keep::kEverything;
  for (Index l = 0; l < layers_; ++l) {
    const DenseLayer& layer = net.Layers()[l];
    if (everything) {
      outputs_[l].Resize(rows, layer.out);
      gradients_[l].Resize(rows, layer.out);
    }
    if (layer.activation == Activation::kIdentity) continue;
    slopes_[everything ? l : 0].Resize(3 * batch_size_, layer.out);
    if (everything) sums_[l].Resize(rows, layer.out);
  }
}

template <class T>
void JetPropagation<T>::Forward(const Mlp<T>& net, const ConstMatrixView<T>& x,
                                Derivatives derivatives, Keep keep) {
  Check(x.cols() == net.NumInputs(), "x must have one column per input");
  x_ = x.data();
  batch_size_ = x.rows();
  layers_ = net.NumLayers();
  keep_ = keep;
  shape_ = {.inputs = x.cols(), .derivatives = derivatives};
  CheckActivations(net);
  Resize(net);
  const Index rows = batch_size_ * shape_.Components();
  for (Index l = 0; l < layers_; ++l) {
    const DenseLayer& layer = net.Layers()[l];
    const bool identity = layer.activation == Activation::kIdentity;
    if (keep_ == Keep::kOutputs) outputs_[Slot(l)].Resize(rows, layer.out);
    MatrixView<T> z = keep_ == Keep::kEverything && !identity
                          ? sums_[l].View()
                          : outputs_[Slot(l)].View();
    if (l == 0) {
      EnterFirstLayer(net, z);
    } else {
      const MatrixBuffer<T>& inputs = outputs_[Slot(l - 1)];
      linalg::MultiplyABt<T>(inputs.View(), net.Weight(l), z);
      if (layer.bias) {
        for (Index row = 0; row < rows; row += shape_.Components()) {
          z.row(row) += net.Bias(l).transpose();
        }
      }
    }
    if (!identity) Activate(layer, l, z);
  }
}

// W x + b, the columns of W, and zeros.
template <class T>
void JetPropagation<T>::EnterFirstLayer(const Mlp<T>& net, MatrixView<T> z) {
  const DenseLayer& layer = net.Layers().front();
  const Index components = shape_.Components();
  const Index d = shape_.inputs;
  values_.Resize(batch_size_, layer.out);
  MatrixView<T> values = values_.View();
  linalg::MultiplyABt<T>(Points(), net.Weight(0), values);
  if (layer.bias) values.rowwise() += net.Bias(0).transpose();
  transposed_.Resize(d, layer.out);
  MatrixView<T> columns = transposed_.View();
  columns = net.Weight(0).transpose();
  for (Index p = 0; p < batch_size_; ++p) {
    const Index row = p * components;
    z.row(row) = values.row(p);
    if (!shape_.HasGradient()) continue;
    z.middleRows(row + 1, d) = columns;
    z.middleRows(row + shape_.Second(), shape_.NumSecond()).setZero();
  }
}

template <class T>
void JetPropagation<T>::Activate(const DenseLayer& layer, Index number,
                                 MatrixView<T> z) {
  const Index components = shape_.Components();
  const Index n = layer.out;
  T* y = outputs_[Slot(number)].View().data();
  T* f = slopes_[keep_ == Keep::kEverything ? number : 0].View().data();
  for (Index p = 0; p < batch_size_; ++p) {
    const Index start = p * components * n;
    T* slopes = f + 3 * p * n;
    const ConstMatrixView<T> sums(z.data() + start, components, n);
    ActivateJet<T>(layer.activation, n, sums.data(),
                   {.value = y + start,
                    .first = slopes,
                    .second = slopes + n,
                    .third = slopes + 2 * n});
    ApplyForward<T>(shape_, PointSlopes<T>(slopes, n), sums,
                    {y + start, components, n});
  }
}

template <class T>
void JetPropagation<T>::BackThroughActivation(const DenseLayer& layer,
                                              Index number) {
  const Index components = shape_.Components();
  const Index n = layer.out;
  const T* z = sums_[number].View().data();
  const T* f = slopes_[number].View().data();
  T* D = gradients_[number].View().data();
  for (Index p = 0; p < batch_size_; ++p) {
    const Index start = p * components * n;
    ApplyBackward<T>(shape_, PointSlopes<T>(f + 3 * p * n, n),
                     {z + start, components, n}, {D + start, components, n});
  }
}

template <class T>
void JetPropagation<T>::Backward(const Mlp<T>& net) {
  Check(keep_ == Keep::kEverything, "Forward must have kept everything");
  for (Index l = layers_ - 1; l >= 0; --l) {
    if (l + 1 < layers_) {
      linalg::MultiplyAB<T>(Gradients(l + 1), net.Weight(l + 1),
                            gradients_[l].View());
    }
    const DenseLayer& layer = net.Layers()[l];
    if (layer.activation != Activation::kIdentity) {
      BackThroughActivation(layer, l);
    }
  }
}

template class JetPropagation<float>;
template class JetPropagation<double>;

}  // namespace sven::nn
