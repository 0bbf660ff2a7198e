// SPDX-License-Identifier: MIT
#include "sven/linalg/row_compression.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "testing/matrices.h"
#include "testing/tolerances.h"

namespace sven::linalg::row_compression_test {
namespace {

using testing::Rounding;

Matrix<double> Compress(const Matrix<double>& A, Index block) {
  RowCompression compression;
  compression.Start(A.cols(), block);
  for (Index first = 0; first < A.rows(); first += block) {
    const Index count = std::min(block, A.rows() - first);
    compression.Room(count) = A.middleRows(first, count);
    compression.Add(count);
  }
  return compression.Triangle();
}

TEST(RowCompression, TheTriangleHasTheProductsOfTheRows) {
  RandomStream random(1, RandomUse::kData);
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {7, 3}, {100, 12}, {12, 12}, {3, 8}}) {
    const Matrix<double> A = testing::RandomMatrix(rows, columns, random);
    const Matrix<double> expected = A.transpose() * A;
    for (const Index block : {1, 5, 64, 200}) {
      const Matrix<double> T = Compress(A, block);
      EXPECT_LT((T.transpose() * T - expected).norm(),
                Rounding<double>() * expected.norm())
          << rows << " x " << columns << " in blocks of " << block;
      const Matrix<double> below = T.triangularView<Eigen::StrictlyLower>();
      EXPECT_EQ(below.norm(), 0);
    }
  }
}

TEST(RowCompression, SmallSingularValuesSurvive) {
  // In A^T A, 1e-10 would be 1e-20 and lost.
  RandomStream random(2, RandomUse::kData);
  const Vector<double> s = testing::LogSpaced(6, 1, 1e-10);
  const Matrix<double> A = testing::WithSingularValues(200, 6, s, random);
  const Eigen::JacobiSVD<Matrix<double>> svd(Compress(A, 32));
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(svd.singularValues()[i], s[i], Rounding<double>());
  }
}

TEST(RowCompression, StartForgets) {
  RowCompression compression;
  compression.Start(2, 4);
  compression.Room(4).setOnes();
  compression.Add(4);
  compression.Start(2, 4);
  EXPECT_EQ(compression.Triangle().norm(), 0);
}

}  // namespace
}  // namespace sven::linalg::row_compression_test
