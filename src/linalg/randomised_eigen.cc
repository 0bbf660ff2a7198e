// SPDX-License-Identifier: MIT
//
// Directions are rows (m x n, m = k + p), so that LAPACK sees them as columns.
#include "sven/linalg/randomised_eigen.h"

#include <algorithm>

#include "blas.h"
#include "sven/linalg/product.h"

namespace sven::linalg {

void RandomisedEigen::Orthonormalise() {
  const int n = ToBlas(basis_.cols());
  const int m = ToBlas(basis_.rows());
  const int size = ToBlas(std::ssize(work_));
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, m, basis_.data(), n, tau_.data(),
                      work_.data(), size);
  LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, m, m, basis_.data(), n, tau_.data(),
                      work_.data(), size);
}

bool RandomisedEigen::Factor(const ConstMatrixView<double>& K, Index k,
                             const RandomisedEigenOptions& options,
                             RandomStream& random) {
  Check(K.rows() == K.cols() && K.rows() >= 1, "K must be square, not empty");
  Check(k >= 1, "at least one eigenvalue");
  const Index n = K.rows();
  const Index kept = std::min(k, n);
  const Index m = kept + std::min(options.oversampling, n - kept);
  full_ = K.selfadjointView<Eigen::Lower>();
  if (!full_.allFinite()) return false;
  basis_.resize(m, n);
  image_.resize(m, n);
  small_.resize(m, m);
  tau_.resize(static_cast<std::size_t>(m));
  all_eigenvalues_.resize(static_cast<std::size_t>(m));
  constexpr Index kBlock = 64;
  work_.resize(static_cast<std::size_t>(std::max(kBlock * n, kBlock * m)));

  for (Index i = 0; i < basis_.size(); ++i) basis_.data()[i] = random.Normal();
  for (Index i = 0; i <= options.power_iterations; ++i) {
    MultiplyAB<double>(View(basis_), View(full_), MutableView(image_));
    basis_.swap(image_);
    Orthonormalise();
  }
  // Rayleigh-Ritz on the subspace.
  MultiplyAB<double>(View(basis_), View(full_), MutableView(image_));
  MultiplyABt<double>(View(image_), View(basis_), MutableView(small_));
  const int size = ToBlas(m);
  const int info = LAPACKE_dsyev_work(
      LAPACK_COL_MAJOR, 'V', 'U', size, small_.data(), size,
      all_eigenvalues_.data(), work_.data(), ToBlas(std::ssize(work_)));
  if (info != 0) return false;

  // Ascending, one eigenvector per row of small_; the last `kept` are ours.
  eigenvalues_.resize(static_cast<std::size_t>(kept));
  ritz_.resize(kept, m);
  vectors_.resize(kept, n);
  for (Index i = 0; i < kept; ++i) {
    eigenvalues_[i] = all_eigenvalues_[m - 1 - i];
    ritz_.row(i) = small_.row(m - 1 - i);
  }
  MultiplyAB<double>(View(ritz_), View(basis_), MutableView(vectors_));
  return true;
}

void RandomisedEigen::ToEigenbasis(std::span<const double> b,
                                   std::span<double> coefficients) const {
  VectorView<double>(coefficients.data(), vectors_.rows()).noalias() =
      vectors_ * ConstVectorView<double>(b.data(), vectors_.cols());
}

void RandomisedEigen::FromEigenbasis(std::span<const double> coefficients,
                                     std::span<double> b) const {
  VectorView<double>(b.data(), vectors_.cols()).noalias() =
      vectors_.transpose() *
      ConstVectorView<double>(coefficients.data(), vectors_.rows());
}

}  // namespace sven::linalg
