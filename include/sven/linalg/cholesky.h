// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_CHOLESKY_H_
#define SVEN_LINALG_CHOLESKY_H_

#include <span>

#include "sven/linalg/types.h"

namespace sven::linalg {

// K + shift I = L L^T, for solving with it. The work area is reused.
class Cholesky {
 public:
  // Reads the lower triangle of K. False if K + shift I is not positive
  // definite to working precision, or has a NaN or infinite entry.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K, double shift);

  // b <- (K + shift I)^-1 b
  void Solve(std::span<double> b) const;

 private:
  Matrix<double> factor_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_CHOLESKY_H_
