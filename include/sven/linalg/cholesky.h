// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_CHOLESKY_H_
#define SVEN_LINALG_CHOLESKY_H_

#include <span>

#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/types.h"

namespace sven::linalg {

// K + shift I = L L^T, or the same for some rows and columns of K, for solving
// with it. The work area is reused.
class Cholesky {
 public:
  // Room for n rows, so that smaller matrices allocate nothing.
  void Reserve(Index n) { factor_.Resize(n, n); }

  // Reads the lower triangle of K. False if K + shift I is not positive
  // definite to working precision, or has a NaN or infinite entry.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K, double shift);

  // The same for the principal submatrix K_cc with the rows and columns that
  // `chosen` lists in ascending order, at least one.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K, double shift,
                            std::span<const Index> chosen);

  // b <- (K + shift I)^-1 b
  void Solve(std::span<double> b) const;

  // inverse = (K + shift I)^-1, both triangles.
  void Invert(MatrixView<double> inverse) const;

 private:
  bool FactorInPlace(double shift);

  MatrixBuffer<double> factor_;  // L^T, n x n, in the upper triangle
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_CHOLESKY_H_
