// SPDX-License-Identifier: MIT
//
// Orthonormal bases of small matrices, for methods that work in the eigenbasis
// of a factor step after step. A basis is stored by rows: row i of E (n x n) is
// the i-th basis vector, so that E x are the coefficients of x, and E^T E = I.
#ifndef SVEN_LINALG_EIGEN_BASIS_H_
#define SVEN_LINALG_EIGEN_BASIS_H_

#include <span>
#include <vector>

#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/types.h"

namespace sven::linalg {

// The work areas are reused: nothing is allocated after the first call of the
// largest size.
class EigenBasis {
 public:
  // K = E^T diag(values) E, eigenvalues descending. Reads the lower triangle of
  // K (n x n, n >= 1). False, with `values` and E as they were, if K has an
  // entry there that is NaN or infinite, or if LAPACK does not converge.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K,
                            std::span<double> values, MatrixView<double> E);

  // The rows of E (n x n), orthonormalised from the first on (QR of E^T). Rows
  // that depend on those before them are replaced by what completes the basis.
  // False, with E as it was, if E has an entry that is NaN or infinite.
  [[nodiscard]] bool Orthonormalise(MatrixView<double> E);

 private:
  MatrixBuffer<double> factor_;
  std::vector<double> ascending_;  // eigenvalues, or the scalars of reflections
  std::vector<double> work_;
  std::vector<int> int_work_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_EIGEN_BASIS_H_
