// SPDX-License-Identifier: MIT
//
// LAPACK reads our row-major M (B x N) as M^T (N x B) by columns.
//   wide, B < N:   M^T = Q T (QR),  M = T^T Q^T,  T^T = X S Y^T:
//                  U = X, V = Q Y
//   tall, B >= N:  M^T = T Q (LQ),  M = Q^T T^T,  T^T = X S Y^T:
//                  U = Q^T X, V = Y
// T is r x r, r = min(B, N): upper triangular if wide, lower if tall.
#include "sven/linalg/thin_svd.h"

#include <algorithm>
#include <limits>

#include "blas.h"
#include "scaling.h"

namespace sven::linalg {
namespace {

// Work space that is generous for the block sizes of LAPACK.
constexpr Index kLapackBlock = 64;

}  // namespace

bool ThinSvd::Factor(Matrix<double>& M) {
  Check(M.rows() >= 1 && M.cols() >= 1, "M must not be empty");
  const int B = ToBlas(M.rows());
  const int N = ToBlas(M.cols());
  M_ = &M;
  wide_ = B < N;
  rank_ = std::min(B, N);
  const int r = ToBlas(rank_);
  const auto size = static_cast<std::size_t>(rank_);

  const double largest = M.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  if (!(largest <= std::numeric_limits<double>::max())) return false;
  const PowerOfTwo scale = NearestPowerOfTwo(largest);
  M *= scale.inverse;
  scale_ = scale.value;

  InitialiseThreads();
  tau_.resize(size);
  triangle_.setZero(rank_, rank_);
  left_.resize(rank_, rank_);
  right_.resize(rank_, rank_);
  vector_.resize(static_cast<std::size_t>(std::max(B, N)));
  singular_values_.resize(size);
  // dgesdd with all vectors of a square matrix: 4 r^2 + 7 r.
  work_.resize(static_cast<std::size_t>(
      std::max({4 * rank_ * rank_ + 7 * rank_ + kLapackBlock * rank_,
                kLapackBlock * std::max<Index>(B, N)})));
  int_work_.resize(8 * size);
  const int work_size = ToBlas(std::ssize(work_));

  if (wide_) {
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, N, B, M.data(), N, tau_.data(),
                        work_.data(), work_size);
    // LAPACK reads triangle_ by columns too, and is to find T^T there.
    for (Index i = 0; i < rank_; ++i) {
      for (Index j = i; j < rank_; ++j) triangle_(i, j) = M(j, i);
    }
  } else {
    LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, N, B, M.data(), N, tau_.data(),
                        work_.data(), work_size);
    for (Index i = 0; i < rank_; ++i) {
      for (Index j = 0; j <= i; ++j) triangle_(i, j) = M(j, i);
    }
  }
  const int info = LAPACKE_dgesdd_work(
      LAPACK_COL_MAJOR, 'A', r, r, triangle_.data(), r, singular_values_.data(),
      left_.data(), r, right_.data(), r, work_.data(), work_size,
      int_work_.data());
  for (double& s : singular_values_) s *= scale_;
  return info == 0;
}

void ThinSvd::ApplyQ(char transpose, double* vector) {
  const int r = ToBlas(rank_);
  const int B = ToBlas(M_->rows());
  const int N = ToBlas(M_->cols());
  const int work_size = ToBlas(std::ssize(work_));
  if (wide_) {
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transpose, N, 1, r, M_->data(),
                        N, tau_.data(), vector, N, work_.data(), work_size);
  } else {
    LAPACKE_dormlq_work(LAPACK_COL_MAJOR, 'L', transpose, B, 1, r, M_->data(),
                        N, tau_.data(), vector, B, work_.data(), work_size);
  }
}

void ThinSvd::MultiplyUt(std::span<const double> b,
                         std::span<double> coefficients) {
  Check(std::ssize(b) == M_->rows() && std::ssize(coefficients) == rank_,
        "sizes must fit M");
  std::copy(b.begin(), b.end(), vector_.begin());
  if (!wide_) ApplyQ('N', vector_.data());
  // left_ by columns is X, so by rows it is X^T.
  VectorView<double>(coefficients.data(), rank_).noalias() =
      left_ * ConstVectorView<double>(vector_.data(), rank_);
}

void ThinSvd::MultiplyV(std::span<const double> c, std::span<double> x) {
  Check(std::ssize(c) == rank_ && std::ssize(x) == M_->cols(),
        "sizes must fit M");
  std::fill(x.begin(), x.end(), 0.0);
  // right_ by columns is Y^T, so by rows it is Y.
  VectorView<double>(x.data(), rank_).noalias() =
      right_ * ConstVectorView<double>(c.data(), rank_);
  if (wide_) ApplyQ('N', x.data());
}

}  // namespace sven::linalg
