// SPDX-License-Identifier: MIT
#include "sven/core/dense_linearization.h"

#include <fmt/format.h>

#include <utility>

#include "sven/base/error.h"

namespace sven::core {

template <class T>
DenseLinearization<T>::DenseLinearization(Vector<double> R, Matrix<T> M)
    : R_(std::move(R)), M_(std::move(M)) {
  if (M_.rows() < 1 || M_.cols() < 1) {
    throw DataError(fmt::format(
        "Jacobian of shape {} x {}: expected at least one condition and one "
        "parameter",
        M_.rows(), M_.cols()));
  }
  if (R_.size() != M_.rows()) {
    throw DataError(fmt::format(
        "{} residuals for a Jacobian of {} rows: expected one residual per row",
        R_.size(), M_.rows()));
  }
}

template <class T>
void DenseLinearization<T>::Gram(linalg::Accumulation accumulation,
                                 MatrixRef<double> K) {
  K.setZero();
  gram_.AddPlain(View(M_), accumulation, K);
}

template <class T>
void DenseLinearization<T>::PullBack(std::span<const double> w,
                                     std::span<T> out) {
  VectorView<T> result(out.data(), M_.cols());
  result.setZero();
  for (Index a = 0; a < M_.rows(); ++a) {
    // The weight may be out of T's range where its product is not.
    result += (w[a] * M_.row(a).template cast<double>())
                  .transpose()
                  .template cast<T>();
  }
}

template <class T>
void DenseLinearization<T>::PushForward(std::span<const T> v,
                                        std::span<double> out) {
  const ConstVectorView<T> vector(v.data(), M_.cols());
  for (Index a = 0; a < M_.rows(); ++a) {
    out[a] =
        M_.row(a).template cast<double>().dot(vector.template cast<double>());
  }
}

template <class T>
void DenseLinearization<T>::Jacobian(MatrixRef<double> M) {
  M = M_.template cast<double>();
}

template class DenseLinearization<float>;
template class DenseLinearization<double>;

}  // namespace sven::core
