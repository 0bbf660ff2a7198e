// SPDX-License-Identifier: MIT
#include "sven/linalg/largest_eigenvalue.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "testing/problems.h"

namespace sven::linalg::largest_eigenvalue_test {
namespace {

using testing::RandomMatrix;

double Exact(const Matrix<double>& K) {
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(K)
      .eigenvalues()
      .maxCoeff();
}

TEST(LargestEigenvalue, IsEstimatedFromBelow) {
  LargestEigenvalue largest;
  for (const Index n : {1, 2, 5, 32, 64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Matrix<double> M = RandomMatrix(n, 3, seed);
      const Matrix<double> K = M * M.transpose();
      const double exact = Exact(K);
      const double estimate = largest.Estimate(View(K));
      EXPECT_LE(estimate, exact * (1 + 1e-12));
      EXPECT_GE(estimate, 0.8 * exact) << n;
      EXPECT_GE(estimate, K.diagonal().maxCoeff() * (1 - 1e-12));
    }
  }
}

TEST(LargestEigenvalue, IsExactForADiagonalMatrix) {
  Matrix<double> K = Matrix<double>::Zero(4, 4);
  K.diagonal() << 1, 7, 3, 0;
  EXPECT_DOUBLE_EQ(LargestEigenvalue().Estimate(View(K)), 7);
}

TEST(LargestEigenvalue, ReadsTheLowerTriangleAlone) {
  const Matrix<double> M = RandomMatrix(6, 4, 1);
  const Matrix<double> K = M * M.transpose();
  Matrix<double> lower = K;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(
      std::numeric_limits<double>::quiet_NaN());
  LargestEigenvalue largest;
  EXPECT_EQ(largest.Estimate(View(lower)), largest.Estimate(View(K)));
}

TEST(LargestEigenvalue, OfZeroIsZeroAndOfNanIsNotANumber) {
  Matrix<double> K = Matrix<double>::Zero(3, 3);
  LargestEigenvalue largest;
  EXPECT_EQ(largest.Estimate(View(K)), 0);
  K.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(std::isfinite(largest.Estimate(View(K))));
}

}  // namespace
}  // namespace sven::linalg::largest_eigenvalue_test
