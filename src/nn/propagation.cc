// SPDX-License-Identifier: MIT
#include "sven/nn/propagation.h"

#include "sven/base/error.h"
#include "sven/linalg/product.h"

namespace sven::nn {

template <class T>
void Propagation<T>::Forward(const Mlp<T>& net, const ConstMatrixView<T>& x) {
  Check(x.cols() == net.NumInputs(), "x must have one column per input");
  x_ = x.data();
  batch_size_ = x.rows();
  inputs_ = x.cols();
  rows_per_sample_ = 1;
  const auto layers = static_cast<std::size_t>(net.NumLayers());
  outputs_.resize(layers);
  slopes_.resize(layers);
  gradients_.resize(layers);
  for (Index l = 0; l < net.NumLayers(); ++l) {
    const DenseLayer& layer = net.Layers()[l];
    outputs_[l].Resize(batch_size_, layer.out);
    gradients_[l].Resize(batch_size_, layer.out);
    MatrixView<T> z = outputs_[l].View();
    linalg::MultiplyABt<T>(Inputs(l), net.Weight(l), z);
    if (layer.bias) z.rowwise() += net.Bias(l).transpose();
    if (layer.activation == Activation::kIdentity) continue;
    slopes_[l].Resize(batch_size_, layer.out);
    Activate<T>(layer.activation, z.size(), z.data(), z.data(),
                slopes_[l].View().data());
  }
}

template <class T>
void Propagation<T>::SetRowsPerSample(Index rows) {
  rows_per_sample_ = rows;
  for (std::size_t l = 0; l < gradients_.size(); ++l) {
    gradients_[l].Resize(batch_size_ * rows, outputs_[l].View().cols());
  }
}

template <class T>
void Propagation<T>::MultiplyBySlopes(Index layer) {
  MatrixView<T> D = gradients_[layer].View();
  const MatrixView<T> slopes = slopes_[layer].View();
  if (rows_per_sample_ == 1) {
    D.array() *= slopes.array();
    return;
  }
  for (Index row = 0; row < D.rows(); ++row) {
    D.row(row).array() *= slopes.row(row / rows_per_sample_).array();
  }
}

template <class T>
void Propagation<T>::Backward(const Mlp<T>& net, Index lowest) {
  for (Index l = net.NumLayers() - 1; l >= lowest; --l) {
    MatrixView<T> D = gradients_[l].View();
    if (l + 1 < net.NumLayers()) {
      linalg::MultiplyAB<T>(Gradients(l + 1), net.Weight(l + 1), D);
    }
    if (net.Layers()[l].activation != Activation::kIdentity) {
      MultiplyBySlopes(l);
    }
  }
}

template class Propagation<float>;
template class Propagation<double>;

}  // namespace sven::nn
