// SPDX-License-Identifier: MIT
//
// Functions of a symmetric matrix applied to a vector, f(K) b = U f(L) U^T b
// with K = U L U^T, without the eigenvectors U.
//
// K is reduced to tridiagonal form, K = Q T Q^T (O(n^3), Householder), and T is
// diagonalised by implicit QL steps, whose rotations are kept. U^T b is then
// Q^T b followed by the rotations, U b the same backwards: O(n^2) each.
// Computing U itself would cost several times as much as the reduction.
#ifndef SVEN_LINALG_SYMMETRIC_EIGEN_H_
#define SVEN_LINALG_SYMMETRIC_EIGEN_H_

#include <span>
#include <vector>

#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/types.h"

namespace sven::linalg {

class SymmetricEigen {
 public:
  // Reads the lower triangle of K (n x n, n >= 1). False if K has an entry that
  // is NaN or infinite (or, which has never been seen, the QL steps do not
  // converge); nothing else may then be called.
  //
  // Backward stable: the eigenvalues are those of K + E with |E| of the order
  // of n eps |K|. Eigenvalues below that are noise and may come out negative.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K);

  // Descending.
  [[nodiscard]] std::span<const double> Eigenvalues() const {
    return eigenvalues_;
  }

  // b <- U^T b: the coefficients of b, in the order of Eigenvalues().
  void ToEigenbasis(std::span<double> b);
  // b <- U b.
  void FromEigenbasis(std::span<double> b);

 private:
  struct Rotation {
    double c;
    double s;
  };
  // Rotations of the pairs (i, i + 1) for i = last, last - 1, ..., first; then
  // the basis vector `first` changes its sign if `turn`.
  struct Sweep {
    Index first;
    Index last;
    bool turn;
  };

  void Reduce();
  [[nodiscard]] bool Diagonalise();
  [[nodiscard]] bool IsolateEigenvalue(Index first, double negligible);
  void QlSweep(Index first, Index last);
  void TakeRoots();
  void SortDescending();
  void ApplyQ(double* b, bool transpose);

  Index n_ = 0;
  double scale_ = 1;
  MatrixBuffer<double> reflectors_;  // row i: the vector of reflection i
  std::vector<double> tau_;          // reflection i is 1 - tau_i v_i v_i^T
  std::vector<double> diagonal_;
  // Entry i couples i and i + 1; squared while the QL steps run.
  std::vector<double> off_diagonal_;
  std::vector<double> signs_;  // of the basis vectors, +-1
  std::vector<Rotation> rotations_;
  std::vector<Sweep> sweeps_;
  std::vector<Index> order_;  // order_[j]: where the j-th largest stands
  std::vector<double> eigenvalues_;
  std::vector<double> scratch_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_SYMMETRIC_EIGEN_H_
