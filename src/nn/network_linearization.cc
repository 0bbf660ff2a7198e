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
  Check(std::ssize(residuals) ==
            propagation.BatchSize() * propagation.RowsPerSample(),
        "one residual per row");
  Check(selection.Fits(net.Layers()),
        "the selection must be one of this network as it is now: select again "
        "after freezing");
  net_ = &net;
  propagation_ = &propagation;
  selection_ = &selection;
  losses_ = losses;
  residuals_ = residuals;
  scale_ = {};
}

template <class T>
void NetworkLinearization<T>::ScaleColumns(std::span<const T> scale) {
  Check(scale.empty() || std::ssize(scale) == NumParameters(),
        "one scale per parameter");
  scale_ = scale;
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
    if (selection.kind == Kind::kNone) continue;
    if (selection.kind == Kind::kEntries || !scale_.empty()) {
      GramOfColumns(l, accumulation, K);
    } else if (propagation_->RowsPerSample() > 1) {
      GramOfRows(l, accumulation, K);
    } else {
      gram_.AddOuter(SelectedGradients(l), propagation_->Inputs(l),
                     {.weight = selection.weight, .bias = selection.bias},
                     accumulation, K);
    }
  }
}

// K += (D D^T) o (A A^T + 1), where A has one row per sample.
template <class T>
void NetworkLinearization<T>::GramOfRows(Index layer,
                                         linalg::Accumulation accumulation,
                                         MatrixRef<double> K) {
  const LayerSelection& selection = selection_->Layers()[layer];
  const Index B = propagation_->BatchSize();
  const Index r = propagation_->RowsPerSample();
  left_.Resize(B * r, B * r);
  right_.Resize(B, B);
  MatrixView<double> left = left_.View();
  MatrixView<double> right = right_.View();
  left.setZero();
  right.setZero();
  gram_.AddPlain(SelectedGradients(layer), accumulation, left);
  if (selection.weight) {
    gram_.AddPlain(propagation_->Inputs(layer), accumulation, right);
  }
  if (selection.bias) right.array() += 1;
  for (Index row = 0; row < B * r; ++row) {
    const Index a = row / r;
    for (Index b = 0; b < a; ++b) {
      K.row(row).segment(b * r, r) +=
          right(a, b) * left.row(row).segment(b * r, r);
    }
    const Index within = row - a * r + 1;  // up to the diagonal
    K.row(row).segment(a * r, within) +=
        right(a, a) * left.row(row).segment(a * r, within);
  }
}

template <class T>
void NetworkLinearization<T>::ListPositions(Index layer) {
  const LayerSelection& selection = selection_->Layers()[layer];
  const DenseLayer& shape = net_->Layers()[layer];
  if (selection.kind == Kind::kEntries) {
    positions_ = selection.indices;
    return;
  }
  positions_.clear();
  const bool all = selection.kind == Kind::kAll;
  const Index neurons = all ? shape.out : std::ssize(selection.indices);
  const auto neuron = [&](Index i) { return all ? i : selection.indices[i]; };
  for (Index i = 0; selection.weight && i < neurons; ++i) {
    for (Index j = 0; j < shape.in; ++j) {
      positions_.push_back(neuron(i) * shape.in + j);
    }
  }
  for (Index i = 0; selection.bias && i < neurons; ++i) {
    positions_.push_back(shape.WeightSize() + neuron(i));
  }
}

// Cuts positions first ... first + count into runs: neighbours that belong to
// the same neuron, or biases that are neighbours.
template <class T>
void NetworkLinearization<T>::ListRuns(Index layer, Index first, Index count) {
  const DenseLayer& shape = net_->Layers()[layer];
  runs_.clear();
  for (Index c = 0; c < count; ++c) {
    const Index position = positions_[first + c];
    const bool weight = position < shape.WeightSize();
    const bool starts_row = weight && position % shape.in == 0;
    if (c > 0 && position == positions_[first + c - 1] + 1 && !starts_row &&
        weight == runs_.back().weight) {
      ++runs_.back().count;
      continue;
    }
    runs_.push_back(
        {.column = c,
         .count = 1,
         .position = position,
         .weight = weight,
         .neuron = weight ? position / shape.in : position - shape.WeightSize(),
         .input = weight ? position % shape.in : 0});
  }
}

// The part of a row of M that the runs cover.
template <class T>
void NetworkLinearization<T>::FillRow(Index layer, Index row) {
  const DenseLayer& shape = net_->Layers()[layer];
  const auto d = propagation_->Gradients(layer).row(row).array();
  const auto a = propagation_->Inputs(layer)
                     .row(row / propagation_->RowsPerSample())
                     .array();
  auto out = columns_.View().row(row).array();
  for (const Run& run : runs_) {
    auto part = out.segment(run.column, run.count);
    if (run.weight) {
      part = a.segment(run.input, run.count);
    } else {
      part = d.segment(run.neuron, run.count);
    }
    if (!scale_.empty()) {
      part *= ScaleArray()
                  .segment(shape.weight_offset + run.position, run.count)
                  .transpose();
    }
    if (run.weight) part *= d[run.neuron];
  }
}

template <class T>
void NetworkLinearization<T>::GramOfColumns(Index layer,
                                            linalg::Accumulation accumulation,
                                            MatrixRef<double> K) {
  ListPositions(layer);
  const Index rows = propagation_->Gradients(layer).rows();
  const Index total = std::ssize(positions_);
  for (Index first = 0; first < total; first += kColumnBlock) {
    const Index count = std::min(kColumnBlock, total - first);
    columns_.Resize(rows, count);
    ListRuns(layer, first, count);
    for (Index row = 0; row < rows; ++row) FillRow(layer, row);
    gram_.AddPlain(std::as_const(columns_).View(), accumulation, K);
  }
}

template <class T>
void NetworkLinearization<T>::SumWeightedRows(const ConstMatrixView<T>& D,
                                              std::span<const double> w) {
  const Index r = propagation_->RowsPerSample();
  scaled_.Resize(propagation_->BatchSize(), D.cols());
  MatrixView<T> scaled = scaled_.View();
  for (Index row = 0; row < D.rows(); ++row) {
    // The weight may be out of T's range where its product is not.
    const auto weighted =
        (w[row] * D.row(row).template cast<double>()).template cast<T>();
    if (row % r == 0) {
      scaled.row(row / r) = weighted;
    } else {
      scaled.row(row / r) += weighted;
    }
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
    SumWeightedRows(SelectedGradients(l), w);
    if (selection.kind == Kind::kNeurons) {
      PullBackNeurons(l, part);
    } else {
      PullBackDense(l, part);
    }
  }
  if (!scale_.empty()) {
    VectorView<T>(out.data(), std::ssize(out)).array() *= ScaleArray();
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
    if (!scale_.empty()) {
      VectorView<T>(masked_.data(), layer.Size()).array() *=
          ScaleArray().segment(layer.weight_offset, layer.Size());
    }
    const ConstMatrixView<T> D = propagation_->Gradients(l);
    scaled_.Resize(propagation_->BatchSize(), D.cols());
    MatrixView<T> Z = scaled_.View();  // A V^T
    linalg::MultiplyABt<T>(
        propagation_->Inputs(l),
        ConstMatrixView<T>(masked_.data(), layer.out, layer.in), Z);
    if (layer.bias) {
      Z.rowwise() +=
          ConstVectorView<T>(masked_.data() + layer.WeightSize(), layer.out)
              .transpose();
    }
    for (Index row = 0; row < D.rows(); ++row) {
      out[row] += D.row(row).template cast<double>().dot(
          Z.row(row / propagation_->RowsPerSample()).template cast<double>());
    }
  }
}

template <class T>
void NetworkLinearization<T>::JacobianRow(Index layer, Index a,
                                          std::span<double> row) const {
  const Index sample = a / propagation_->RowsPerSample();
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
        A.row(sample).template cast<double>().transpose();
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
    if (!scale_.empty()) {
      M.row(a).array() *= ScaleArray().template cast<double>().transpose();
    }
  }
}

template class NetworkLinearization<float>;
template class NetworkLinearization<double>;

}  // namespace sven::nn
