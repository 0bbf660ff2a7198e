// SPDX-License-Identifier: MIT
//
// Matrices whose properties are known, for the tests of linalg.
#ifndef SVEN_TESTING_MATRICES_H_
#define SVEN_TESTING_MATRICES_H_

#include <limits>
#include <span>

#include "sven/base/random.h"
#include "sven/linalg/types.h"

namespace sven::testing {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Standard normal entries.
Vector<double> RandomVector(Index n, RandomStream& random);
Matrix<double> RandomMatrix(Index rows, Index cols, RandomStream& random);

// Indefinite, standard normal entries below the diagonal.
Matrix<double> RandomSymmetric(Index n, RandomStream& random);

// rows x cols with orthonormal columns, cols <= rows.
Matrix<double> RandomOrthonormal(Index rows, Index cols, RandomStream& random);

// Q diag(values) Q^T with a random orthogonal Q.
Matrix<double> WithEigenvalues(const Vector<double>& values,
                               RandomStream& random);

// rows x cols; `values` has min(rows, cols) entries, in any order.
Matrix<double> WithSingularValues(Index rows, Index cols,
                                  const Vector<double>& values,
                                  RandomStream& random);

// first, ..., last in equal ratios.
Vector<double> LogSpaced(Index n, double first, double last);

// Eigenvalues of the lower triangle of K, descending, by Eigen's solver in
// extended precision (in double its own error would be the larger one).
Vector<double> ReferenceEigenvalues(const Matrix<double>& K);

// K with NaN above the diagonal, for what may only read the lower triangle.
Matrix<double> WithoutUpper(Matrix<double> K);

// Vectors as the library takes them, and back.
template <class T>
std::span<T> Span(Vector<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
template <class T>
std::span<const T> Span(const Vector<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline Vector<double> ToVector(std::span<const double> x) {
  return ConstVectorView<double>(x.data(), std::ssize(x));
}

}  // namespace sven::testing

#endif  // SVEN_TESTING_MATRICES_H_
