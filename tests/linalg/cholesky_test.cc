// SPDX-License-Identifier: MIT
#include "sven/linalg/cholesky.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testing/matrices.h"

namespace sven::linalg::cholesky_test {
namespace {

using sven::testing::kEps;
using sven::testing::kInf;
using sven::testing::kNan;
using sven::testing::LogSpaced;
using sven::testing::RandomMatrix;
using sven::testing::RandomVector;
using sven::testing::Span;
using sven::testing::WithEigenvalues;
using sven::testing::WithoutUpper;

// |K x - b| <= kRounding n eps |K| |x|
constexpr double kRounding = 4;

// LAPACK works in blocks from some size on.
constexpr Index kSizes[] = {1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 100, 129, 200};

void ExpectSolves(const Matrix<double>& K, double norm, const Vector<double>& x,
                  const Vector<double>& b) {
  EXPECT_LE((K * x - b).norm(),
            kRounding * static_cast<double>(b.size()) * kEps * norm * x.norm());
}

TEST(CholeskyTest, SolvesWithDefiniteMatrices) {
  for (const Index n : kSizes) {
    for (const double smallest : {1.0, 1e-3, 1e-9}) {
      SCOPED_TRACE("n = " + std::to_string(n));
      RandomStream random(1, RandomUse::kData);
      const Matrix<double> K =
          WithEigenvalues(LogSpaced(n, 1, smallest), random);
      const Vector<double> b = RandomVector(n, random);
      Vector<double> x = b;
      Cholesky cholesky;
      ASSERT_TRUE(cholesky.Factor(View(K), 0));
      cholesky.Solve(Span(x));
      ExpectSolves(K, 1, x, b);
    }
  }
}

TEST(CholeskyTest, SolvesWithTheShiftedMatrix) {
  constexpr double kShift = 0.25;
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(2, RandomUse::kData);
    const Matrix<double> G = RandomMatrix(n, 1 + n / 3, random);
    const Matrix<double> K = G * G.transpose();  // singular
    const Vector<double> b = RandomVector(n, random);
    Vector<double> x = b;
    Cholesky cholesky;
    ASSERT_TRUE(cholesky.Factor(View(K), kShift));
    cholesky.Solve(Span(x));
    ExpectSolves(K + kShift * Matrix<double>::Identity(n, n), K.norm() + kShift,
                 x, b);
  }
}

TEST(CholeskyTest, RefusesExactlyWhatIsNotPositiveDefinite) {
  constexpr double kSmallest = 0.5;
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(3, RandomUse::kData);
    Vector<double> values = LogSpaced(n, kSmallest, 3);
    const Matrix<double> K = WithEigenvalues(values, random);
    Cholesky cholesky;
    // On both sides of the limit, a little more than rounding away.
    EXPECT_TRUE(cholesky.Factor(View(K), -kSmallest * (1 - 1e-11)));
    EXPECT_FALSE(cholesky.Factor(View(K), -kSmallest * (1 + 1e-11)));
    EXPECT_FALSE(cholesky.Factor(View(K), -10));
  }
}

TEST(CholeskyTest, RefusesZeroUnlessShifted) {
  for (const Index n : kSizes) {
    const Matrix<double> K = Matrix<double>::Zero(n, n);
    Cholesky cholesky;
    EXPECT_FALSE(cholesky.Factor(View(K), 0)) << n;
    ASSERT_TRUE(cholesky.Factor(View(K), 4)) << n;
    Vector<double> x = Vector<double>::Ones(n);
    cholesky.Solve(Span(x));
    EXPECT_EQ(x, (Vector<double>::Constant(n, 0.25)));
  }
}

TEST(CholeskyTest, OnlyTheLowerTriangleIsRead) {
  for (const Index n : kSizes) {
    RandomStream random(4, RandomUse::kData);
    const Matrix<double> K = WithEigenvalues(LogSpaced(n, 1, 0.1), random);
    Vector<double> expected = RandomVector(n, random);
    Vector<double> x = expected;
    Cholesky cholesky;
    ASSERT_TRUE(cholesky.Factor(View(K), 0.5)) << n;
    cholesky.Solve(Span(expected));
    const Matrix<double> lower = WithoutUpper(K);
    ASSERT_TRUE(cholesky.Factor(View(lower), 0.5)) << n;
    cholesky.Solve(Span(x));
    EXPECT_EQ(x, expected) << n;
  }
}

TEST(CholeskyTest, RefusesNanAndInfinityAnywhere) {
  for (const Index n : {1, 2, 3, 6, 31, 32, 40, 70}) {
    RandomStream random(5, RandomUse::kData);
    Matrix<double> K = WithEigenvalues(LogSpaced(n, 1, 0.5), random);
    Cholesky cholesky;
    const Index step = n < 10 ? 1 : 7;
    for (Index r = 0; r < n; r += step) {
      for (Index c = 0; c <= r; c += step) {
        for (const double bad : {kNan, kInf, -kInf}) {
          const double good = std::exchange(K(r, c), bad);
          EXPECT_FALSE(cholesky.Factor(View(K), 0))
              << bad << " at " << r << ", " << c << " of " << n;
          K(r, c) = good;
        }
      }
    }
    EXPECT_FALSE(cholesky.Factor(View(K), kNan));
    EXPECT_FALSE(cholesky.Factor(View(K), kInf));
    EXPECT_TRUE(cholesky.Factor(View(K), 0));
  }
}

TEST(CholeskyTest, ObjectUsedBeforeGivesTheSameAsAFreshOne) {
  Cholesky used;
  RandomStream random(6, RandomUse::kData);
  for (const Index n : {40, 3, 100, 32, 1}) {
    const Matrix<double> K = WithEigenvalues(LogSpaced(n, 1, 0.1), random);
    Vector<double> x = RandomVector(n, random);
    Vector<double> y = x;
    Cholesky fresh;
    ASSERT_TRUE(used.Factor(View(K), 0.1));
    ASSERT_TRUE(fresh.Factor(View(K), 0.1));
    used.Solve(Span(x));
    fresh.Solve(Span(y));
    EXPECT_EQ(x, y) << n;
  }
}

// Every third row, or the first alone.
std::vector<Index> SomeRows(Index n) {
  std::vector<Index> chosen;
  for (Index j = 0; j < n; j += 3) chosen.push_back(j);
  return chosen;
}

TEST(CholeskyTest, ChosenRowsAreFactoredLikeTheMatrixOfThem) {
  for (const Index n : kSizes) {
    RandomStream random(7, RandomUse::kData);
    const Matrix<double> K = WithEigenvalues(LogSpaced(n, 1, 1e-3), random);
    const std::vector<Index> chosen = SomeRows(n);
    const Matrix<double> part = K(chosen, chosen);
    Vector<double> expected = RandomVector(part.rows(), random);
    Vector<double> x = expected;
    Cholesky cholesky;
    ASSERT_TRUE(cholesky.Factor(View(part), 0.5));
    cholesky.Solve(Span(expected));
    const Matrix<double> lower = WithoutUpper(K);
    ASSERT_TRUE(cholesky.Factor(View(lower), 0.5, chosen)) << n;
    cholesky.Solve(Span(x));
    EXPECT_EQ(x, expected) << n;
  }
}

TEST(CholeskyTest, OnlyTheChosenRowsMustBeDefinite) {
  Matrix<double> K = Matrix<double>::Identity(5, 5);
  K(1, 1) = -1;
  K(4, 2) = kNan;
  Cholesky cholesky;
  EXPECT_FALSE(cholesky.Factor(View(K), 0));
  EXPECT_TRUE(cholesky.Factor(View(K), 0, std::vector<Index>{0, 2, 3}));
  EXPECT_TRUE(cholesky.Factor(View(K), 0, std::vector<Index>{0, 4}));
  EXPECT_FALSE(cholesky.Factor(View(K), 0, std::vector<Index>{0, 1}));
  EXPECT_FALSE(cholesky.Factor(View(K), 0, std::vector<Index>{2, 4}));
}

TEST(CholeskyTest, TheInverseIsSymmetricAndInverts) {
  constexpr double kSmallest = 1e-3;
  for (const Index n : kSizes) {
    RandomStream random(8, RandomUse::kData);
    const Matrix<double> K =
        WithEigenvalues(LogSpaced(n, 1, kSmallest), random);
    const Matrix<double> lower = WithoutUpper(K);
    Cholesky cholesky;
    ASSERT_TRUE(cholesky.Factor(View(lower), 0)) << n;
    Matrix<double> inverse(n, n);
    cholesky.Invert(MutableView(inverse));
    EXPECT_EQ(inverse, Matrix<double>(inverse.transpose())) << n;
    EXPECT_LE((K * inverse - Matrix<double>::Identity(n, n)).norm(),
              kRounding * static_cast<double>(n) * kEps / kSmallest)
        << n;
  }
}

TEST(CholeskyTest, SizesThatDoNotFitAreMistakes) {
  Cholesky cholesky;
  const Matrix<double> empty(0, 0);
  const Matrix<double> wide = Matrix<double>::Zero(2, 3);
  EXPECT_THROW((void)cholesky.Factor(View(empty), 1), std::logic_error);
  EXPECT_THROW((void)cholesky.Factor(View(wide), 1), std::logic_error);
  const Matrix<double> K = Matrix<double>::Identity(3, 3);
  ASSERT_TRUE(cholesky.Factor(View(K), 0));
  std::vector<double> b(2);
  EXPECT_THROW(cholesky.Solve(b), std::logic_error);
  EXPECT_THROW((void)cholesky.Factor(View(K), 0, std::vector<Index>{}),
               std::logic_error);
  Matrix<double> small(2, 2);
  EXPECT_THROW(cholesky.Invert(MutableView(small)), std::logic_error);
}

}  // namespace
}  // namespace sven::linalg::cholesky_test
