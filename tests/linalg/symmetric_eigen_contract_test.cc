// SPDX-License-Identifier: MIT
//
// What SymmetricEigen promises beyond the laws of the decomposition, which are
// in symmetric_eigen_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sven/linalg/symmetric_eigen.h"
#include "testing/matrices.h"

namespace sven::linalg::symmetric_eigen_contract_test {
namespace {

using sven::testing::kEps;
using sven::testing::kInf;
using sven::testing::kNan;
using sven::testing::LogSpaced;
using sven::testing::RandomMatrix;
using sven::testing::RandomSymmetric;
using sven::testing::RandomVector;
using sven::testing::Span;
using sven::testing::ToVector;
using sven::testing::WithEigenvalues;
using sven::testing::WithoutUpper;

// Errors are at most kRounding n eps times the size of what is computed.
constexpr double kRounding = 4;

double Tolerance(Index n, double size) {
  return kRounding * static_cast<double>(n) * kEps * size;
}

// Both sides of 160, up to which the reduction is our own.
constexpr Index kSizes[] = {1, 2, 3, 4, 7, 16, 33, 64, 160, 161, 200};

// U f(L) U^T b
template <class Function>
Vector<double> Apply(SymmetricEigen& eigen, const Function& f,
                     Vector<double> b) {
  eigen.ToEigenbasis(Span(b));
  for (Index i = 0; i < b.size(); ++i) b[i] *= f(eigen.Eigenvalues()[i]);
  eigen.FromEigenbasis(Span(b));
  return b;
}

struct Result {
  std::vector<double> eigenvalues;
  std::vector<double> coefficients;
  std::vector<double> back;

  bool operator==(const Result&) const = default;
};

Result Decompose(SymmetricEigen& eigen, const Matrix<double>& K,
                 const Vector<double>& b) {
  EXPECT_TRUE(eigen.Factor(View(K)));
  Result result;
  result.eigenvalues.assign(eigen.Eigenvalues().begin(),
                            eigen.Eigenvalues().end());
  result.coefficients.assign(b.begin(), b.end());
  eigen.ToEigenbasis(result.coefficients);
  result.back = result.coefficients;
  eigen.FromEigenbasis(result.back);
  return result;
}

TEST(SymmetricEigenContractTest, InverseOfTheEigenvaluesSolvesWithTheMatrix) {
  constexpr double kCondition = 1e3;
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(1, RandomUse::kData);
    Vector<double> values = LogSpaced(n, 1, 1 / kCondition);
    for (Index i = 1; i < n; i += 2) values[i] *= -1;
    const Matrix<double> K = WithEigenvalues(values, random);
    const Vector<double> b = RandomVector(n, random);
    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.Factor(View(K)));
    const Vector<double> x = Apply(
        eigen, [](double v) { return 1 / v; }, b);
    EXPECT_LE((K * x - b).norm(), Tolerance(n, kCondition * b.norm()));
  }
}

TEST(SymmetricEigenContractTest, SquareRootAppliedTwiceIsTheMatrix) {
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(2, RandomUse::kData);
    const Matrix<double> K = WithEigenvalues(LogSpaced(n, 1, 1e-3), random);
    const Vector<double> b = RandomVector(n, random);
    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.Factor(View(K)));
    const auto root = [](double v) { return std::sqrt(v); };
    const Vector<double> x = Apply(eigen, root, Apply(eigen, root, b));
    EXPECT_LE((K * b - x).norm(), Tolerance(n, b.norm()));
  }
}

TEST(SymmetricEigenContractTest, OnlyTheLowerTriangleIsRead) {
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(3, RandomUse::kData);
    const Matrix<double> K = RandomSymmetric(n, random);
    const Vector<double> b = RandomVector(n, random);
    SymmetricEigen eigen;
    const Result expected = Decompose(eigen, K, b);
    EXPECT_EQ(Decompose(eigen, WithoutUpper(K), b), expected);
  }
}

TEST(SymmetricEigenContractTest, EigenvaluesBeyondTheRankAreRounding) {
  for (const Index n : kSizes) {
    for (const Index rank : {Index{1}, n / 4, n / 2, n - 1}) {
      if (rank < 1 || rank >= n) continue;
      SCOPED_TRACE("n = " + std::to_string(n) + ", rank " +
                   std::to_string(rank));
      RandomStream random(4, RandomUse::kData);
      const Matrix<double> G = RandomMatrix(n, rank, random);
      const Matrix<double> K = G * G.transpose();
      SymmetricEigen eigen;
      ASSERT_TRUE(eigen.Factor(View(K)));
      const Vector<double> values = ToVector(eigen.Eigenvalues());
      const double noise = static_cast<double>(n) * kEps * values[0];
      EXPECT_LE(values.tail(n - rank).cwiseAbs().maxCoeff(), noise);
      EXPECT_GT(values[rank - 1], noise);
    }
  }
}

TEST(SymmetricEigenContractTest, IndefiniteMatricesKeepTheirNegativePart) {
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(5, RandomUse::kData);
    const Vector<double> positive = LogSpaced(n, 10, 0.1);
    Vector<double> values = positive;
    values.tail(n / 2) *= -1;
    const Matrix<double> K = WithEigenvalues(values, random);
    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.Factor(View(K)));
    const Index negative =
        std::count_if(eigen.Eigenvalues().begin(), eigen.Eigenvalues().end(),
                      [](double v) { return v < 0; });
    EXPECT_EQ(negative, n / 2);
    EXPECT_NEAR(eigen.Eigenvalues()[0], 10, Tolerance(n, 10));
  }
}

TEST(SymmetricEigenContractTest, NanAndInfinityAnywhereAreRefused) {
  for (Index n = 1; n <= 9; ++n) {
    RandomStream random(6, RandomUse::kData);
    const Matrix<double> K = RandomSymmetric(n, random);
    for (Index r = 0; r < n; ++r) {
      for (Index c = 0; c <= r; ++c) {
        for (const double bad : {kNan, kInf, -kInf}) {
          Matrix<double> broken = K;
          broken(r, c) = bad;
          SymmetricEigen eigen;
          EXPECT_FALSE(eigen.Factor(View(broken)))
              << bad << " at " << r << ", " << c << " of " << n;
        }
      }
    }
  }
}

TEST(SymmetricEigenContractTest, NanAndInfinityAreRefusedInLargeMatrices) {
  SymmetricEigen eigen;
  for (const Index n : {33, 64, 160, 161, 200}) {
    RandomStream random(7, RandomUse::kData);
    Matrix<double> K = RandomSymmetric(n, random);
    for (int trial = 0; trial < 50; ++trial) {
      const Index r = random.Below(n);
      const Index c = random.Below(r + 1);
      for (const double bad : {kNan, kInf, -kInf}) {
        const double good = std::exchange(K(r, c), bad);
        EXPECT_FALSE(eigen.Factor(View(K)))
            << bad << " at " << r << ", " << c << " of " << n;
        K(r, c) = good;
      }
    }
    EXPECT_TRUE(eigen.Factor(View(K)));  // a refusal leaves nothing behind
  }
}

TEST(SymmetricEigenContractTest, LargestNumbersAreNotRefused) {
  constexpr double kMax = std::numeric_limits<double>::max();
  SymmetricEigen eigen;
  for (const Index n : {1, 2, 50, 170}) {
    const Matrix<double> K = kMax * Matrix<double>::Identity(n, n);
    ASSERT_TRUE(eigen.Factor(View(K)));
    EXPECT_EQ(eigen.Eigenvalues()[n - 1], kMax);
  }
}

TEST(SymmetricEigenContractTest, ObjectUsedBeforeGivesTheSameAsAFreshOne) {
  SymmetricEigen used;
  RandomStream random(8, RandomUse::kData);
  for (const Index n : {5, 200, 3, 161, 160, 1, 64, 170, 64, 12, 2}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    for (const Index rank : {n, 1 + n / 4}) {
      const Matrix<double> G = RandomMatrix(n, rank, random);
      const Matrix<double> K = G * G.transpose();
      const Vector<double> b = RandomVector(n, random);
      SymmetricEigen fresh;
      EXPECT_EQ(Decompose(used, K, b), Decompose(fresh, K, b));
    }
  }
}

TEST(SymmetricEigenContractTest, OrderOfTheRowsDoesNotMatter) {
  const auto f = [](double v) { return 1 / (v * v + 1); };
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(9, RandomUse::kData);
    const Matrix<double> K = RandomSymmetric(n, random);
    const Vector<double> b = RandomVector(n, random);
    std::vector<Index> order;
    RandomPermutation(n, random, order);
    const Matrix<double> K_permuted = Matrix<double>::NullaryExpr(
        n, n, [&](Index r, Index c) { return K(order[r], order[c]); });
    const Vector<double> b_permuted =
        Vector<double>::NullaryExpr(n, [&](Index i) { return b[order[i]]; });

    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.Factor(View(K)));
    const Vector<double> values = ToVector(eigen.Eigenvalues());
    const Vector<double> x = Apply(eigen, f, b);
    ASSERT_TRUE(eigen.Factor(View(K_permuted)));
    const Vector<double> values_permuted = ToVector(eigen.Eigenvalues());
    const Vector<double> x_permuted = Apply(eigen, f, b_permuted);

    const double norm = values.cwiseAbs().maxCoeff();
    EXPECT_LE((values - values_permuted).cwiseAbs().maxCoeff(),
              Tolerance(n, norm));
    // |f'| <= 1, so f(K) moves no more than K.
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(x_permuted[i], x[order[i]],
                  Tolerance(n, (1 + norm) * b.norm()));
    }
  }
}

TEST(SymmetricEigenContractTest, ScalingByAPowerOfTwoChangesNoDigit) {
  for (const Index n : kSizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    RandomStream random(10, RandomUse::kData);
    const Matrix<double> K = RandomSymmetric(n, random);
    const Vector<double> b = RandomVector(n, random);
    SymmetricEigen eigen;
    const Result expected = Decompose(eigen, K, b);
    for (const double scale : {0x1p-900, 0x1p-3, 0x1p900}) {
      Result result = Decompose(eigen, scale * K, b);
      for (double& value : result.eigenvalues) value /= scale;
      EXPECT_EQ(result, expected) << scale;
    }
  }
}

TEST(SymmetricEigenContractTest, SizesThatDoNotFitAreMistakes) {
  SymmetricEigen eigen;
  const Matrix<double> empty(0, 0);
  const Matrix<double> wide = Matrix<double>::Zero(2, 3);
  EXPECT_THROW((void)eigen.Factor(View(empty)), std::logic_error);
  EXPECT_THROW((void)eigen.Factor(View(wide)), std::logic_error);
  const Matrix<double> K = Matrix<double>::Identity(3, 3);
  ASSERT_TRUE(eigen.Factor(View(K)));
  std::vector<double> b(2);
  EXPECT_THROW(eigen.ToEigenbasis(b), std::logic_error);
  EXPECT_THROW(eigen.FromEigenbasis(b), std::logic_error);
}

}  // namespace
}  // namespace sven::linalg::symmetric_eigen_contract_test
