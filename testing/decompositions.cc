// SPDX-License-Identifier: MIT
#include "testing/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace sven::testing {

PlainSvd SvdOf(const Matrix<double>& M) {
  const Eigen::JacobiSVD<Matrix<double>> svd(
      M, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {.U = svd.matrixU(), .s = svd.singularValues(), .V = svd.matrixV()};
}

PlainEigen EigenOf(const Matrix<double>& X) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(X);
  return {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}

Matrix<double> FullQ(const Matrix<double>& A) {
  return Eigen::HouseholderQR<Matrix<double>>(A).householderQ();
}

Matrix<double> ThinQ(const Matrix<double>& A) {
  return Eigen::HouseholderQR<Matrix<double>>(A).householderQ() *
         Matrix<double>::Identity(A.rows(), A.cols());
}

Vector<double> SolvePlain(const Matrix<double>& A, const Vector<double>& b) {
  return Eigen::FullPivLU<Matrix<double>>(A).solve(b);
}

}  // namespace sven::testing
