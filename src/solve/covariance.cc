// SPDX-License-Identifier: MIT
//
// With M D^-1 = U S V^T: (M^T M)^-1 = D^-1 V S^-2 V^T D^-1.
//
// Changing M by rtol s_1 changes a kept direction v_k by left-out ones, and those
// by v_k, by up to rtol s_1 / s_k. So component i of the directions left out is
// zero, as far as M is known, up to rtol s_1 |(v_k,i / s_k)_k|.
#include "sven/solve/covariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sven/base/error.h"
#include "sven/linalg/thin_svd.h"
#include "sven/solve/system.h"

namespace sven::solve {
namespace {

// The kept right singular vectors, one per row.
struct Directions {
  Matrix<double> unit;    // v
  Matrix<double> scaled;  // v / s
  double largest = 0;     // s_1
};

Directions KeptDirections(Matrix<double>& M, double rtol) {
  linalg::ThinSvd svd;
  if (!svd.Factor(M)) throw DataError("the Jacobian is not finite");
  const std::span<const double> s = svd.SingularValues();
  Index rank = 0;
  while (rank < std::ssize(s) && s[rank] > rtol * s[0]) ++rank;
  const Index N = M.cols();
  Directions kept{.unit = Matrix<double>(rank, N),
                  .scaled = Matrix<double>(rank, N),
                  .largest = s[0]};
  std::vector<double> choice(s.size(), 0.0);
  for (Index k = 0; k < rank; ++k) {
    choice[k] = 1;
    svd.MultiplyV(choice,
                  {kept.unit.row(k).data(), static_cast<std::size_t>(N)});
    choice[k] = 0;
    kept.scaled.row(k) = kept.unit.row(k) / s[k];
  }
  return kept;
}

// Whether a parameter has no part in the directions left out.
std::vector<bool> Determined(const Directions& kept, double rtol) {
  const Index N = kept.unit.cols();
  std::vector<bool> determined(static_cast<std::size_t>(N), true);
  if (kept.unit.rows() == N) return determined;
  // Row i of I - V V^T has the norm of component i. (1 - |row i of V|^2, its
  // square, would be lost in the rounding of 1 from 1e-8 down.)
  const Matrix<double> left_out =
      Matrix<double>::Identity(N, N) - kept.unit.transpose() * kept.unit;
  for (Index i = 0; i < N; ++i) {
    determined[i] = left_out.row(i).norm() <=
                    rtol * kept.largest * kept.scaled.col(i).norm();
  }
  return determined;
}

}  // namespace

double Covariance::StandardError(Index i) const {
  return std::sqrt(matrix(i, i));
}

double Covariance::Correlation(Index i, Index j) const {
  return matrix(i, j) / std::sqrt(matrix(i, i) * matrix(j, j));
}

template <class T>
Covariance ComputeCovariance(System<T>& system,
                             std::type_identity_t<std::span<const T>> theta,
                             const CovarianceOptions& options) {
  if (!(options.rtol >= 0 && options.rtol < 1)) {
    throw UsageError(
        fmt::format("CovarianceOptions::rtol = {}: must satisfy 0 <= rtol < 1",
                    options.rtol));
  }
  if (system.Sampled()) {
    throw UsageError(
        "the covariance is that of all conditions: add the groups without a "
        "batch");
  }
  internal::CheckSizes<T>(system, theta);
  system.MoveTo(theta);
  const double cost = system.CostHere();
  if (!std::isfinite(cost)) throw DataError(system.Fault());
  const Index N = system.NumParameters();
  Matrix<double> M(system.NumConditions(), N);
  system.Jacobian(M);
  const Vector<double> inverse_norms = M.colwise().stableNorm().unaryExpr(
      [](double norm) { return norm > 0 ? 1 / norm : 1.0; });
  M = M * inverse_norms.asDiagonal();
  // Columns of norm 1 whose entries are rounded to T.
  const double rounding = 10 * double{std::numeric_limits<T>::epsilon()} *
                          std::sqrt(static_cast<double>(N));
  const double rtol = std::max(options.rtol, rounding);
  const Directions kept = KeptDirections(M, rtol);
  const std::vector<bool> determined = Determined(kept, rtol);

  Covariance result;
  result.rank = kept.scaled.rows();
  const Index spare = system.NumSummed() - result.rank;
  result.variance = options.noise == Noise::kUnit ? 1.0
                    : spare > 0 ? cost / static_cast<double>(spare)
                                : std::numeric_limits<double>::quiet_NaN();
  result.matrix = result.variance * inverse_norms.asDiagonal() *
                  (kept.scaled.transpose() * kept.scaled) *
                  inverse_norms.asDiagonal();
  for (Index i = 0; i < N; ++i) {
    if (determined[i]) continue;
    result.matrix.row(i).setZero();
    result.matrix.col(i).setZero();
    result.matrix(i, i) = std::numeric_limits<double>::infinity();
  }
  return result;
}

template Covariance ComputeCovariance(System<float>&, std::span<const float>,
                                      const CovarianceOptions&);
template Covariance ComputeCovariance(System<double>&, std::span<const double>,
                                      const CovarianceOptions&);

}  // namespace sven::solve
