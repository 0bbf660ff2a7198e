// SPDX-License-Identifier: MIT
//
// LAPACK reads rows as columns: our lower triangle is its upper one, and its
// vectors, by columns, are our rows.
#include "sven/linalg/eigen_basis.h"

#include <algorithm>

#include "blas.h"

namespace sven::linalg {
namespace {

// For both decompositions: that of dsyevd is exact, 64 generous for the block
// sizes of dgeqrf.
Index WorkSize(Index n) { return std::max(1 + 6 * n + 2 * n * n, 64 * n); }

// For a work area that must not shrink.
template <class V>
void Reserve(Index size, std::vector<V>& area) {
  if (std::ssize(area) < size) area.resize(static_cast<std::size_t>(size));
}

}  // namespace

bool EigenBasis::Factor(const ConstMatrixView<double>& K,
                        std::span<double> values, MatrixView<double> E) {
  const Index n = K.rows();
  Check(K.cols() == n && n >= 1, "K must be square, not empty");
  Check(std::ssize(values) == n && E.rows() == n && E.cols() == n,
        "sizes must fit K");
  for (Index i = 0; i < n; ++i) {
    if (!K.row(i).head(i + 1).allFinite()) return false;
  }
  InitialiseThreads();
  factor_.Resize(n, n);
  MatrixView<double> vectors = factor_.View();
  vectors = K;
  Reserve(n, ascending_);
  Reserve(WorkSize(n), work_);
  Reserve(3 + 5 * n, int_work_);
  const int size = ToBlas(n);
  const int info = LAPACKE_dsyevd_work(
      LAPACK_COL_MAJOR, 'V', 'U', size, vectors.data(), size, ascending_.data(),
      work_.data(), ToBlas(std::ssize(work_)), int_work_.data(),
      ToBlas(std::ssize(int_work_)));
  if (info != 0) return false;
  for (Index i = 0; i < n; ++i) {
    values[i] = ascending_[n - 1 - i];
    E.row(i) = vectors.row(n - 1 - i);
  }
  return true;
}

bool EigenBasis::Orthonormalise(MatrixView<double> E) {
  const Index n = E.rows();
  Check(E.cols() == n && n >= 1, "E must be square, not empty");
  if (!E.allFinite()) return false;
  InitialiseThreads();
  Reserve(n, ascending_);
  Reserve(WorkSize(n), work_);
  const int size = ToBlas(n);
  const int work_size = ToBlas(std::ssize(work_));
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, size, size, E.data(), size,
                      ascending_.data(), work_.data(), work_size);
  LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, size, size, size, E.data(), size,
                      ascending_.data(), work_.data(), work_size);
  return true;
}

}  // namespace sven::linalg
