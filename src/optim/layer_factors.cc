// SPDX-License-Identifier: MIT
#include "sven/optim/layer_factors.h"

#include <utility>

#include "sven/linalg/product.h"

namespace sven::optim {

void EigenFactor::Assign(Index n, double diagonal) {
  const auto size = static_cast<std::size_t>(n);
  matrix.assign(size * size, 0.0);
  basis.assign(size * size, 0.0);
  values.assign(size, diagonal);
  Matrix().diagonal().setConstant(diagonal);
  Basis().diagonal().setOnes();
}

void EigenFactor::Visit(StateArchive& archive, const std::string& name) {
  archive.Array(name + ".matrix", matrix);
  archive.Array(name + ".basis", basis);
  archive.Array(name + ".values", values);
}

void VisitFactors(StateArchive& archive, std::vector<LayerFactors>& layers) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string name = "layers." + std::to_string(l);
    layers[l].left.Visit(archive, name + ".left");
    layers[l].right.Visit(archive, name + ".right");
  }
}

void LayerBasis::Refresh(EigenFactor& factor) {
  // False leaves both as they were, which is what is wanted.
  static_cast<void>(solver_.Factor(std::as_const(factor).Matrix(),
                                   factor.values, factor.Basis()));
}

void LayerBasis::To(const LayerFactors& factors, MatrixView<double> X) {
  half_.Resize(X.rows(), X.cols());
  linalg::MultiplyAB<double>(
      factors.left.Basis(),
      ConstMatrixView<double>(X.data(), X.rows(), X.cols()), half_.View());
  linalg::MultiplyABt<double>(std::as_const(half_).View(),
                              factors.right.Basis(), X);
}

void LayerBasis::From(const LayerFactors& factors, MatrixView<double> X) {
  half_.Resize(X.rows(), X.cols());
  linalg::MultiplyAtB<double>(
      factors.left.Basis(),
      ConstMatrixView<double>(X.data(), X.rows(), X.cols()), half_.View());
  linalg::MultiplyAB<double>(std::as_const(half_).View(), factors.right.Basis(),
                             X);
}

template <class T>
void GatherJoined(const nn::DenseLayer& layer, std::span<const T> flat,
                  MatrixView<double> joined) {
  joined.leftCols(layer.in) =
      ConstMatrixView<T>(flat.data() + layer.weight_offset, layer.out, layer.in)
          .template cast<double>();
  if (!layer.bias) return;
  joined.col(layer.in) =
      ConstVectorView<T>(flat.data() + layer.bias_offset, layer.out)
          .template cast<double>();
}

template <class T>
void ScatterJoined(const nn::DenseLayer& layer,
                   const ConstMatrixView<double>& joined, double scale,
                   std::span<T> flat) {
  MatrixView<T>(flat.data() + layer.weight_offset, layer.out, layer.in) =
      (scale * joined.leftCols(layer.in)).template cast<T>();
  if (!layer.bias) return;
  VectorView<T>(flat.data() + layer.bias_offset, layer.out) =
      (scale * joined.col(layer.in)).template cast<T>();
}

template void GatherJoined(const nn::DenseLayer&, std::span<const float>,
                           MatrixView<double>);
template void GatherJoined(const nn::DenseLayer&, std::span<const double>,
                           MatrixView<double>);
template void ScatterJoined(const nn::DenseLayer&,
                            const ConstMatrixView<double>&, double,
                            std::span<float>);
template void ScatterJoined(const nn::DenseLayer&,
                            const ConstMatrixView<double>&, double,
                            std::span<double>);

}  // namespace sven::optim
