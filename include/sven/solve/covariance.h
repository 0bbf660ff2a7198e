// SPDX-License-Identifier: MIT
//
// Error bars. Near a minimum theta, and for residuals with independent errors of
// equal variance sigma^2, the fitted parameters have the covariance
//
//     C = sigma^2 (M^T M)^-1.
//
// For an example take two parameters of which only the sum is measured, three
// times: M = ((1, 1), (1, 1), (1, 1)). M^T M has rank 1; the sum has a variance,
// sigma^2 / 3, the parameters themselves have none: their entries are infinite. A
// parameter that the measurements do determine keeps its finite error beside
// those: one without a part in the directions that `rtol` leaves out, as far as M
// is known to rtol.
#ifndef SVEN_SOLVE_COVARIANCE_H_
#define SVEN_SOLVE_COVARIANCE_H_

#include <span>

#include "sven/solve/system.h"

namespace sven::solve {

enum class Noise {
  // sigma^2 = |R|^2 / (conditions - rank), from the residuals themselves.
  kEstimated,
  // sigma^2 = 1: weights of groups are 1 / variance already.
  kUnit,
};

struct CovarianceOptions {
  Noise noise = Noise::kEstimated;
  // Singular values s of M D^-1, whose columns have norm 1, count as zero below
  // rtol * s_1. (On s; on the eigenvalues of M^T M it would be the square.) It is
  // not taken below 10 eps sqrt(N), the rounding of M in T: in float 1e-5 for 100
  // parameters.
  double rtol = 1e-10;
};

struct Covariance {
  // C, N x N. Rows and columns of parameters that are not determined are zero but
  // for an infinite diagonal.
  Matrix<double> matrix;
  double variance = 0;  // sigma^2; NaN if estimated without conditions to spare
  Index rank = 0;       // of M

  [[nodiscard]] double StandardError(Index i) const;
  // C_ij / sqrt(C_ii C_jj)
  [[nodiscard]] double Correlation(Index i, Index j) const;
};

// At theta, which should be a minimum. Throws a UsageError for options out of
// range, a theta of the wrong size, or a system that is sampled or has no
// conditions, and a DataError if a residual or a derivative is not finite.
template <class T>
Covariance ComputeCovariance(System<T>& system,
                             std::type_identity_t<std::span<const T>> theta,
                             const CovarianceOptions& options = {});

}  // namespace sven::solve

#endif  // SVEN_SOLVE_COVARIANCE_H_
