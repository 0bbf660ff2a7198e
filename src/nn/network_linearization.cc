// SPDX-License-Identifier: MIT
#include "sven/nn/network_linearization.h"

#include <algorithm>
#include <numeric>

#include "sven/base/error.h"
#include "sven/linalg/product.h"

namespace sven::nn {
namespace {

using Kind = LayerSelection::Kind;

// Columns of M formed at a time for single parameters.
constexpr Index kColumnBlock = 256;

// Sets everything outside the ascending `kept` positions to zero.
template <class T>
void ZeroGaps(std::span<const Index> kept, std::span<T> values) {
  Index next = 0;
  for (const Index position : kept) {
    std::fill(values.begin() + next, values.begin() + position, T{0});
    next = position + 1;
  }
  std::fill(values.begin() + next, values.end(), T{0});
}

// Zero where the layer's selection does not reach.
template <class T>
void KeepSelected(const DenseLayer& layer, const LayerSelection& selection,
                  std::span<T> values) {
  if (selection.kind == Kind::kEntries) {
    ZeroGaps<T>(selection.indices, values);
    return;
  }
  const auto weights =
      values.first(static_cast<std::size_t>(layer.WeightSize()));
  const auto bias = values.subspan(weights.size());
  if (!selection.weight) std::fill(weights.begin(), weights.end(), T{0});
  if (!selection.bias) std::fill(bias.begin(), bias.end(), T{0});
  if (selection.kind != Kind::kNeurons) return;
  Index next = 0;
  for (const Index row : selection.indices) {
    std::fill(weights.begin() + next * layer.in,
              weights.begin() + row * layer.in, T{0});
    next = row + 1;
  }
  std::fill(weights.begin() + next * layer.in, weights.end(), T{0});
  if (!bias.empty()) ZeroGaps<T>(selection.indices, bias);
}

template <class T>
std::span<T> LayerPart(const DenseLayer& layer, std::span<T> flat) {
  return flat.subspan(static_cast<std::size_t>(layer.weight_offset),
                      static_cast<std::size_t>(layer.Size()));
}

}  // namespace

template <class T>
void NetworkLinearization<T>::Bind(const Mlp<T>& net,
                                   const Propagation<T>& propagation,
                                   const ParameterSelection& selection,
                                   std::span<const double> losses,
                                   std::span<const double> residuals) {
  Check(std::ssize(residuals) == propagation.BatchSize(),
        "one residual per sample");
  Check(selection.Fits(net.Layers()),
        "the selection must be one of this network as it is now: select again "
        "after freezing");
  net_ = &net;
  propagation_ = &propagation;
  selection_ = &selection;
  losses_ = losses;
  residuals_ = residuals;
}

template <class T>
double NetworkLinearization<T>::Loss() const {
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) /
         static_cast<double>(losses_.size());
}

template <class T>
ConstMatrixView<T> NetworkLinearization<T>::SelectedGradients(Index layer) {
  const LayerSelection& selection = selection_->Layers()[layer];
  const ConstMatrixView<T> D = propagation_->Gradients(layer);
  if (selection.kind != Kind::kNeurons) return D;
  const Index count = std::ssize(selection.indices);
  selected_.Resize(D.rows(), count);
  MatrixView<T> gathered = selected_.View();
  for (Index a = 0; a < D.rows(); ++a) {
    for (Index i = 0; i < count; ++i) {
      gathered(a, i) = D(a, selection.indices[i]);
    }
  }
  return std::as_const(selected_).View();
}

template <class T>
void NetworkLinearization<T>::Gram(linalg::Accumulation accumulation,
                                   MatrixRef<double> K) {
  K.setZero();
  for (Index l = 0; l < net_->NumLayers(); ++l) {
    const LayerSelection& selection = selection_->Layers()[l];
    switch (selection.kind) {
      case Kind::kNone:
        break;
      case Kind::kAll:
      case Kind::kNeurons:
        gram_.AddOuter(SelectedGradients(l), propagation_->Inputs(l),
                       {.weight = selection.weight, .bias = selection.bias},
                       accumulation, K);
        break;
      case Kind::kEntries:
        GramOfEntries(l, accumulation, K);
        break;
    }
  }
}

template <class T>
void NetworkLinearization<T>::GramOfEntries(Index layer,
                                            linalg::Accumulation accumulation,
                                            MatrixRef<double> K) {
  const std::span<const Index> all = selection_->Layers()[layer].indices;
  const ConstMatrixView<T> D = propagation_->Gradients(layer);
  const ConstMatrixView<T> A = propagation_->Inputs(layer);
  const Index weights = A.cols() * D.cols();
  for (Index first = 0; first < std::ssize(all); first += kColumnBlock) {
    const Index count = std::min(kColumnBlock, std::ssize(all) - first);
    columns_.Resize(D.rows(), count);
    MatrixView<T> G = columns_.View();
    for (Index c = 0; c < count; ++c) {
      const Index position = all[first + c];
      if (position < weights) {
        const Index neuron = position / A.cols();
        const Index input = position % A.cols();
        G.col(c) = D.col(neuron).cwiseProduct(A.col(input));
      } else {
        G.col(c) = D.col(position - weights);
      }
    }
    gram_.AddPlain(std::as_const(columns_).View(), accumulation, K);
  }
}

template <class T>
void NetworkLinearization<T>::PullBack(std::span<const double> w,
                                       std::span<T> out) {
  Check(std::ssize(w) == NumConditions() && std::ssize(out) == NumParameters(),
        "sizes must fit the linearization");
  for (Index l = 0; l < net_->NumLayers(); ++l) {
    const DenseLayer& layer = net_->Layers()[l];
    const LayerSelection& selection = selection_->Layers()[l];
    const std::span<T> part = LayerPart<T>(layer, out);
    if (selection.kind == Kind::kNone) {
      std::fill(part.begin(), part.end(), T{0});
      continue;
    }
    const ConstMatrixView<T> D = SelectedGradients(l);
    scaled_.Resize(D.rows(), D.cols());
    MatrixView<T> scaled = scaled_.View();
    for (Index a = 0; a < D.rows(); ++a) {
      // The weight may be out of T's range where its product is not.
      scaled.row(a) =
          (w[a] * D.row(a).template cast<double>()).template cast<T>();
    }
    if (selection.kind == Kind::kNeurons) {
      PullBackNeurons(l, part);
    } else {
      PullBackDense(l, part);
    }
  }
}

template <class T>
void NetworkLinearization<T>::PullBackDense(Index layer, std::span<T> out) {
  const DenseLayer& shape = net_->Layers()[layer];
  const LayerSelection& selection = selection_->Layers()[layer];
  const ConstMatrixView<T> scaled = std::as_const(scaled_).View();
  linalg::MultiplyAtB<T>(scaled, propagation_->Inputs(layer),
                         MatrixView<T>(out.data(), shape.out, shape.in));
  if (shape.bias) {
    VectorView<T>(out.data() + shape.WeightSize(), shape.out) =
        scaled.colwise().sum().transpose();
  }
  const bool whole = selection.kind == Kind::kAll && selection.weight &&
                     (selection.bias || !shape.bias);
  if (!whole) KeepSelected<T>(shape, selection, out);
}

template <class T>
void NetworkLinearization<T>::PullBackNeurons(Index layer, std::span<T> out) {
  const DenseLayer& shape = net_->Layers()[layer];
  const LayerSelection& selection = selection_->Layers()[layer];
  const ConstMatrixView<T> scaled = std::as_const(scaled_).View();
  std::fill(out.begin(), out.end(), T{0});
  if (selection.weight) {
    result_.Resize(scaled.cols(), shape.in);
    linalg::MultiplyAtB<T>(scaled, propagation_->Inputs(layer), result_.View());
  }
  for (Index i = 0; i < scaled.cols(); ++i) {
    const Index neuron = selection.indices[i];
    if (selection.weight) {
      VectorView<T>(out.data() + neuron * shape.in, shape.in) =
          result_.View().row(i).transpose();
    }
    if (selection.bias) {
      out[shape.WeightSize() + neuron] = scaled.col(i).sum();
    }
  }
}

template <class T>
void NetworkLinearization<T>::PushForward(std::span<const T> v,
                                          std::span<double> out) {
  Check(std::ssize(v) == NumParameters() && std::ssize(out) == NumConditions(),
        "sizes must fit the linearization");
  std::fill(out.begin(), out.end(), 0.0);
  for (Index l = 0; l < net_->NumLayers(); ++l) {
    const DenseLayer& layer = net_->Layers()[l];
    const LayerSelection& selection = selection_->Layers()[l];
    if (selection.kind == Kind::kNone) continue;
    const std::span<const T> part = LayerPart<const T>(layer, v);
    masked_.assign(part.begin(), part.end());
    KeepSelected<T>(layer, selection, masked_);
    const ConstMatrixView<T> D = propagation_->Gradients(l);
    scaled_.Resize(D.rows(), D.cols());
    MatrixView<T> Z = scaled_.View();  // A V^T
    linalg::MultiplyABt<T>(
        propagation_->Inputs(l),
        ConstMatrixView<T>(masked_.data(), layer.out, layer.in), Z);
    if (layer.bias) {
      Z.rowwise() +=
          ConstVectorView<T>(masked_.data() + layer.WeightSize(), layer.out)
              .transpose();
    }
    for (Index a = 0; a < D.rows(); ++a) {
      out[a] += D.row(a).template cast<double>().dot(
          Z.row(a).template cast<double>());
    }
  }
}

template <class T>
void NetworkLinearization<T>::JacobianRow(Index layer, Index a,
                                          std::span<double> row) const {
  const DenseLayer& shape = net_->Layers()[layer];
  const LayerSelection& selection = selection_->Layers()[layer];
  if (selection.kind == Kind::kNone) {
    std::fill(row.begin(), row.end(), 0.0);
    return;
  }
  const ConstMatrixView<T> D = propagation_->Gradients(layer);
  const ConstMatrixView<T> A = propagation_->Inputs(layer);
  for (Index i = 0; i < shape.out; ++i) {
    VectorView<double>(row.data() + i * shape.in, shape.in) =
        static_cast<double>(D(a, i)) *
        A.row(a).template cast<double>().transpose();
  }
  if (shape.bias) {
    VectorView<double>(row.data() + shape.WeightSize(), shape.out) =
        D.row(a).template cast<double>().transpose();
  }
  KeepSelected<double>(shape, selection, row);
}

template <class T>
void NetworkLinearization<T>::Jacobian(MatrixRef<double> M) {
  for (Index a = 0; a < M.rows(); ++a) {
    const std::span<double> row(M.row(a).data(),
                                static_cast<std::size_t>(M.cols()));
    for (Index l = 0; l < net_->NumLayers(); ++l) {
      JacobianRow(l, a, LayerPart<double>(net_->Layers()[l], row));
    }
  }
}

template class NetworkLinearization<float>;
template class NetworkLinearization<double>;

}  // namespace sven::nn
