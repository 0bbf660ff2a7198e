// SPDX-License-Identifier: MIT
//
// LAPACK reads our row-major L^T, an upper triangle, as L by columns. (With L
// in the lower triangle by rows, OpenBLAS takes half as long again.)
#include "sven/linalg/cholesky.h"

#include "blas.h"

namespace sven::linalg {

bool Cholesky::Factor(const ConstMatrixView<double>& K, double shift) {
  Check(K.rows() == K.cols() && K.rows() >= 1, "K must be square, not empty");
  const Index n = K.rows();
  factor_.Resize(n, n);
  factor_.View().triangularView<Eigen::Upper>() = K.transpose();
  return FactorInPlace(shift);
}

bool Cholesky::Factor(const ConstMatrixView<double>& K, double shift,
                      std::span<const Index> chosen) {
  Check(K.rows() == K.cols() && !chosen.empty(),
        "K must be square, and a row of it chosen");
  const Index n = std::ssize(chosen);
  factor_.Resize(n, n);
  double* factor = factor_.View().data();
  for (Index r = 0; r < n; ++r) {
    const double* row = K.data() + chosen[r] * K.cols();
    for (Index c = 0; c <= r; ++c) factor[c * n + r] = row[chosen[c]];
  }
  return FactorInPlace(shift);
}

bool Cholesky::FactorInPlace(double shift) {
  InitialiseThreads();
  MatrixView<double> factor = factor_.View();
  factor.diagonal().array() += shift;
  const int n = ToBlas(factor.rows());
  const int info =
      LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, factor.data(), n);
  // A NaN anywhere reaches the diagonal of its row, and may pass LAPACK's test.
  return info == 0 && factor.diagonal().allFinite();
}

void Cholesky::Solve(std::span<double> b) const {
  const ConstMatrixView<double> factor = factor_.View();
  Check(std::ssize(b) == factor.rows(), "b must have as many entries as K");
  const int n = ToBlas(factor.rows());
  for (const auto transposed : {CblasNoTrans, CblasTrans}) {
    cblas_dtrsv(CblasColMajor, CblasLower, transposed, CblasNonUnit, n,
                factor.data(), n, b.data(), 1);
  }
}

void Cholesky::Invert(MatrixView<double> inverse) const {
  const ConstMatrixView<double> factor = factor_.View();
  Check(inverse.rows() == factor.rows() && inverse.cols() == factor.cols(),
        "the inverse must have the shape of K");
  const int n = ToBlas(factor.rows());
  inverse = factor;
  LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, inverse.data(), n);
  inverse.triangularView<Eigen::StrictlyLower>() = inverse.transpose();
}

}  // namespace sven::linalg
