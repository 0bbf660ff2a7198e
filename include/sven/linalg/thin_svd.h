// SPDX-License-Identifier: MIT
//
// Singular value decomposition of a matrix that is given, M = U S V^T (B x N,
// r = min(B, N) singular values), by a thin QR and an SVD of the r x r factor.
// It resolves s / s_1 down to rounding, where the Gram matrix M M^T, which
// squares the condition number, stops at its square root.
#ifndef SVEN_LINALG_THIN_SVD_H_
#define SVEN_LINALG_THIN_SVD_H_

#include <span>
#include <vector>

#include "sven/linalg/types.h"

namespace sven::linalg {

class ThinSvd {
 public:
  // Overwrites M with the factors, so M must live as long as they are used.
  // False if M has a NaN or infinite entry or the SVD does not converge.
  [[nodiscard]] bool Factor(Matrix<double>& M);

  // Descending; r of them.
  [[nodiscard]] std::span<const double> SingularValues() const {
    return singular_values_;
  }

  // coefficients (r) = U^T b, b of length B.
  void MultiplyUt(std::span<const double> b, std::span<double> coefficients);
  // x (N) = V c, c of length r.
  void MultiplyV(std::span<const double> c, std::span<double> x);

 private:
  void ApplyQ(char transpose, double* vector);

  Matrix<double>* M_ = nullptr;
  bool wide_ = false;  // B < N
  Index rank_ = 0;
  double scale_ = 1;
  std::vector<double> tau_;
  Matrix<double> triangle_;
  Matrix<double> left_;         // as LAPACK left it: column-major
  Matrix<double> right_;        // likewise
  std::vector<double> vector_;  // max(B, N)
  std::vector<double> singular_values_;
  std::vector<double> work_;
  std::vector<int> int_work_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_THIN_SVD_H_
