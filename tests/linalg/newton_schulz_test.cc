// SPDX-License-Identifier: MIT
#include "sven/linalg/newton_schulz.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/tolerances.h"

namespace sven::linalg::newton_schulz_test {
namespace {

constexpr Index kFive = 5;

struct Shape {
  Index rows;
  Index cols;
};
constexpr Shape kShapes[] = {{1, 1}, {1, 6}, {6, 1},   {4, 4},
                             {3, 8}, {8, 3}, {40, 90}, {90, 40}};

template <class T>
Matrix<T> Orthogonalised(Matrix<T> X, Index iterations = kFive) {
  NewtonSchulz<T> method;
  method.Orthogonalise(iterations, MutableView(X));
  return X;
}

Vector<double> SingularValues(const Matrix<double>& X) {
  return testing::SvdOf(X).s;
}

// p applied to one number.
double Iterated(double s, Index iterations = kFive) {
  for (Index i = 0; i < iterations; ++i) {
    s = 3.4445 * s - 4.7750 * std::pow(s, 3) + 2.0315 * std::pow(s, 5);
  }
  return s;
}

// The law that everything follows from: U S V^T becomes U p(S / |S|) V^T.
TEST(NewtonSchulz, ActsOnTheSingularValuesAndLeavesTheVectors) {
  RandomStream random(1, RandomUse::kData);
  for (const Shape& shape : kShapes) {
    const Matrix<double> X =
        testing::RandomMatrix(shape.rows, shape.cols, random);
    const testing::PlainSvd svd = testing::SvdOf(X);
    const Vector<double> s = svd.s / X.norm();
    for (const Index iterations : {1, 2, 5, 8}) {
      const Vector<double> mapped =
          s.unaryExpr([=](double x) { return Iterated(x, iterations); });
      const Matrix<double> expected =
          svd.U * mapped.asDiagonal() * svd.V.transpose();
      EXPECT_LT((Orthogonalised(X, iterations) - expected).norm(),
                // each iteration stretches errors by p'(0) at most
                testing::Rounding<double>(std::pow(3.5, iterations)))
          << shape.rows << " x " << shape.cols;
    }
  }
}

TEST(NewtonSchulz, FiveIterationsTakeSingularValuesInto07To12) {
  RandomStream random(2, RandomUse::kData);
  for (const Shape& shape : kShapes) {
    const Index r = std::min(shape.rows, shape.cols);
    // The smallest is a twentieth of the largest.
    const Matrix<double> X = testing::WithSingularValues(
        shape.rows, shape.cols, testing::LogSpaced(r, 1.0, 0.05), random);
    const Vector<double> s = SingularValues(Orthogonalised(X));
    EXPECT_GT(s.minCoeff(), 0.68) << shape.rows << " x " << shape.cols;
    EXPECT_LT(s.maxCoeff(), 1.21);
  }
}

// What the header says of the range of five iterations, on a fine grid.
TEST(NewtonSchulz, ThePolynomialKeepsItsPromiseOverItsRange) {
  for (double s = 0.005; s <= 1.0; s *= 1.0005) {
    EXPECT_GT(Iterated(s), 0.68) << s;
    EXPECT_LT(Iterated(s), 1.21) << s;
  }
  EXPECT_LT(Iterated(1e-4), 0.1);
}

TEST(NewtonSchulz, ExactOrthogonalityIsNotReached) {
  RandomStream random(3, RandomUse::kData);
  const Matrix<double> X = testing::RandomMatrix(6, 9, random);
  for (const Index iterations : {5, 50}) {
    const Vector<double> s = SingularValues(Orthogonalised(X, iterations));
    EXPECT_GT((s.array() - 1).abs().maxCoeff(), 0.02) << iterations;
  }
}

TEST(NewtonSchulz, TheScaleOfTheMatrixDoesNotMatter) {
  RandomStream random(4, RandomUse::kData);
  const Matrix<double> X = testing::RandomMatrix(5, 7, random);
  const Matrix<double> expected = Orthogonalised(X);
  for (const double scale : {1e-150, 1e-3, 3.0, 1e150}) {
    EXPECT_LT((Orthogonalised<double>(scale * X) - expected).norm(),
              testing::Rounding<double>(500));
  }
  const Matrix<float> single = X.cast<float>();
  const Matrix<float> tiny = Orthogonalised<float>(1e-30F * single);
  EXPECT_LT((tiny.cast<double>() - expected).norm(),
            testing::Rounding<float>(500));
}

TEST(NewtonSchulz, TheTransposeGivesTheTranspose) {
  RandomStream random(5, RandomUse::kData);
  const Matrix<double> X = testing::RandomMatrix(5, 7, random);
  EXPECT_EQ(Orthogonalised<double>(X.transpose()),
            (Matrix<double>(Orthogonalised(X).transpose())));
}

TEST(NewtonSchulz, ZeroStaysZeroAndRankIsKept) {
  EXPECT_EQ(Orthogonalised<double>(Matrix<double>::Zero(3, 4)),
            (Matrix<double>::Zero(3, 4)));
  RandomStream random(6, RandomUse::kData);
  const Matrix<double> X =
      testing::RandomMatrix(6, 2, random) * testing::RandomMatrix(2, 5, random);
  const Vector<double> s = SingularValues(Orthogonalised(X));
  EXPECT_GT(s[1], 0.6);
  EXPECT_LT(s[2], testing::Rounding<double>(500));
}

}  // namespace
}  // namespace sven::linalg::newton_schulz_test
