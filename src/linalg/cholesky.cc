// SPDX-License-Identifier: MIT
#include "sven/linalg/cholesky.h"

#include <Eigen/Cholesky>

#include "sven/base/error.h"

namespace sven::linalg {

bool Cholesky::Factor(const ConstMatrixView<double>& K, double shift) {
  Check(K.rows() == K.cols() && K.rows() >= 1, "K must be square, not empty");
  factor_ = K;
  factor_.diagonal().array() += shift;
  // In place: Eigen's LLT on a reference overwrites the lower triangle.
  const Eigen::LLT<Eigen::Ref<Matrix<double>>, Eigen::Lower> llt(factor_);
  // A NaN anywhere reaches the diagonal of its row, and passes Eigen's test.
  return llt.info() == Eigen::Success && factor_.diagonal().allFinite();
}

void Cholesky::Solve(std::span<double> b) const {
  Check(std::ssize(b) == factor_.rows(), "b must have as many entries as K");
  VectorView<double> x(b.data(), factor_.rows());
  factor_.triangularView<Eigen::Lower>().solveInPlace(x);
  factor_.triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
}

}  // namespace sven::linalg
