// SPDX-License-Identifier: MIT
#include "testing/matrices.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "testing/decompositions.h"

namespace sven::testing {

Vector<double> RandomVector(Index n, RandomStream& random) {
  Vector<double> x(n);
  for (double& entry : x) entry = random.Normal();
  return x;
}

Matrix<double> RandomMatrix(Index rows, Index cols, RandomStream& random) {
  Matrix<double> M(rows, cols);
  for (Index i = 0; i < M.size(); ++i) M.data()[i] = random.Normal();
  return M;
}

Matrix<double> RandomSymmetric(Index n, RandomStream& random) {
  const Matrix<double> M = RandomMatrix(n, n, random);
  return M.selfadjointView<Eigen::Lower>();
}

Matrix<double> RandomOrthonormal(Index rows, Index cols, RandomStream& random) {
  return ThinQ(RandomMatrix(rows, cols, random));
}

Matrix<double> WithEigenvalues(const Vector<double>& values,
                               RandomStream& random) {
  const Matrix<double> Q =
      RandomOrthonormal(values.size(), values.size(), random);
  const Matrix<double> K = Q * values.asDiagonal() * Q.transpose();
  return K.selfadjointView<Eigen::Lower>();
}

Matrix<double> WithSingularValues(Index rows, Index cols,
                                  const Vector<double>& values,
                                  RandomStream& random) {
  const Index r = std::min(rows, cols);
  const Matrix<double> U = RandomOrthonormal(rows, r, random);
  const Matrix<double> V = RandomOrthonormal(cols, r, random);
  return U * values.asDiagonal() * V.transpose();
}

Vector<double> LogSpaced(Index n, double first, double last) {
  Vector<double> x(n);
  for (Index i = 0; i < n; ++i) {
    const double t =
        n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1);
    x[i] = std::exp2((1 - t) * std::log2(first) + t * std::log2(last));
  }
  return x;
}

Vector<double> ReferenceEigenvalues(const Matrix<double>& K) {
  const Eigen::SelfAdjointEigenSolver<Matrix<long double>> solver(
      K.cast<long double>(), Eigen::EigenvaluesOnly);
  return solver.eigenvalues().reverse().cast<double>();
}

Matrix<double> WithoutUpper(Matrix<double> K) {
  K.triangularView<Eigen::StrictlyUpper>().setConstant(kNan);
  return K;
}

}  // namespace sven::testing
