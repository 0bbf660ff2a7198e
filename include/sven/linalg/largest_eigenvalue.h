// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_LARGEST_EIGENVALUE_H_
#define SVEN_LINALG_LARGEST_EIGENVALUE_H_

#include "sven/linalg/types.h"

namespace sven::linalg {

// An estimate from below of the largest eigenvalue of a symmetric, positive
// semi-definite matrix, by a few power iterations from the column with the
// largest diagonal entry. At least that entry, at most the eigenvalue; usually
// within a few per cent of it. NaN or infinite if the matrix is.
class LargestEigenvalue {
 public:
  // Reads the lower triangle of K (n x n, n >= 1).
  double Estimate(const ConstMatrixView<double>& K);

 private:
  // Aligned, so that the same numbers give the same bits.
  AlignedVector<double> vector_;
  AlignedVector<double> image_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_LARGEST_EIGENVALUE_H_
