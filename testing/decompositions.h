// SPDX-License-Identifier: MIT
//
// Eigen's decompositions, as independent references. Compiled once: each of
// them is a heap of templates, which costs more to compile than a test.
#ifndef SVEN_TESTING_DECOMPOSITIONS_H_
#define SVEN_TESTING_DECOMPOSITIONS_H_

#include "sven/linalg/types.h"

namespace sven::testing {

// M = U diag(s) V^T for M of rows x cols, r = min(rows, cols): U rows x r,
// V cols x r with orthonormal columns, s descending.
struct PlainSvd {
  Matrix<double> U;
  Vector<double> s;
  Matrix<double> V;
};
PlainSvd SvdOf(const Matrix<double>& M);

// X = V diag(values) V^T for a symmetric X, values ascending.
struct PlainEigen {
  Vector<double> values;
  Matrix<double> vectors;
};
PlainEigen EigenOf(const Matrix<double>& X);

// The orthonormal factor of A = Q R by reflections: all of Q, rows x rows, or
// its first columns, as many as A has.
Matrix<double> FullQ(const Matrix<double>& A);
Matrix<double> ThinQ(const Matrix<double>& A);

// A^-1 b by elimination with full pivoting.
Vector<double> SolvePlain(const Matrix<double>& A, const Vector<double>& b);

}  // namespace sven::testing

#endif  // SVEN_TESTING_DECOMPOSITIONS_H_
