// SPDX-License-Identifier: MIT
#include "sven/linalg/randomised_eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testing/matrices.h"

namespace sven::linalg::randomised_eigen_test {
namespace {

using sven::testing::kEps;
using sven::testing::kInf;
using sven::testing::kNan;
using sven::testing::LogSpaced;
using sven::testing::RandomMatrix;
using sven::testing::RandomVector;
using sven::testing::ReferenceEigenvalues;
using sven::testing::Span;
using sven::testing::ToVector;
using sven::testing::WithEigenvalues;
using sven::testing::WithoutUpper;

// Where the method is exact, errors are at most kRounding n eps |K|.
constexpr double kRounding = 8;
// Where it is not, these relative errors are allowed; the directions next to
// those cut off are the worst, the more so the slower the spectrum decays.
constexpr double kFast = 0.03;
constexpr double kSlow = 0.25;
constexpr double kLargerHalf = 0.01;

double Tolerance(Index n, double size) {
  return kRounding * static_cast<double>(n) * kEps * size;
}

Matrix<double> Gram(Index n, Index rank, RandomStream& random) {
  const Matrix<double> G = RandomMatrix(n, rank, random);
  return G * G.transpose();
}

// U^T b and U c.
Vector<double> To(const RandomisedEigen& eigen, const Vector<double>& b) {
  Vector<double> c(std::ssize(eigen.Eigenvalues()));
  eigen.ToEigenbasis(Span(b), Span(c));
  return c;
}
Vector<double> From(const RandomisedEigen& eigen, const Vector<double>& c,
                    Index n) {
  Vector<double> b(n);
  eigen.FromEigenbasis(Span(c), Span(b));
  return b;
}

// U L U^T b
Vector<double> Apply(const RandomisedEigen& eigen, const Vector<double>& b) {
  const Vector<double> c =
      To(eigen, b).cwiseProduct(ToVector(eigen.Eigenvalues()));
  return From(eigen, c, b.size());
}

TEST(RandomisedEigenTest, IsExactForRankUpToK) {
  RandomisedEigen eigen;
  for (const Index n : {1, 2, 5, 30, 100, 300}) {
    for (const Index k : {1, 3, 10, 40}) {
      for (const Index rank : {Index{1}, k / 2, k}) {
        if (rank < 1 || rank > n) continue;
        SCOPED_TRACE("n = " + std::to_string(n) + ", k = " + std::to_string(k) +
                     ", rank = " + std::to_string(rank));
        RandomStream random(1, RandomUse::kProjection);
        const Matrix<double> K = Gram(n, rank, random);
        const Vector<double> b = RandomVector(n, random);
        ASSERT_TRUE(eigen.Factor(View(K), k, {}, random));
        const Vector<double> values = ToVector(eigen.Eigenvalues());
        ASSERT_EQ(values.size(), std::min(k, n));
        const Vector<double> expected =
            ReferenceEigenvalues(K).head(values.size());
        EXPECT_LE((values - expected).cwiseAbs().maxCoeff(),
                  Tolerance(n, expected[0]));
        EXPECT_LE((Apply(eigen, b) - K * b).norm(),
                  Tolerance(n, expected[0] * b.norm()));
      }
    }
  }
}

TEST(RandomisedEigenTest, DecayingSpectraComeOutWithinAFewPerCent) {
  constexpr Index kSize = 200;
  constexpr Index kKept = 20;
  const auto spectrum = [](auto f) {
    return Vector<double>::NullaryExpr(
        kSize, [&](Index i) { return f(static_cast<double>(i)); });
  };
  struct Spectrum {
    const char* name;
    Vector<double> values;
    double allowed;
  };
  const Spectrum spectra[] = {
      {"0.5^i", spectrum([](double i) { return std::pow(0.5, i); }), kFast},
      {"0.7^i", spectrum([](double i) { return std::pow(0.7, i); }), kFast},
      {"0.9^i", spectrum([](double i) { return std::pow(0.9, i); }), kSlow},
      {"i^-2", spectrum([](double i) { return std::pow(1 + i, -2); }), kSlow},
  };
  for (const auto& [name, values, allowed] : spectra) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      RandomStream random(seed, RandomUse::kProjection);
      const Matrix<double> K = WithEigenvalues(values, random);
      RandomisedEigen eigen;
      ASSERT_TRUE(eigen.Factor(View(K), kKept, {}, random));
      const Vector<double> found = ToVector(eigen.Eigenvalues());
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), std::greater<>()));
      for (Index i = 0; i < kKept; ++i) {
        // Ritz values never exceed the eigenvalues that they stand for.
        EXPECT_LE(found[i], values[i] + Tolerance(kSize, 1)) << i;
        const double limit = i < kKept / 2 ? kLargerHalf : allowed;
        EXPECT_GE(found[i], (1 - limit) * values[i]) << i;
      }
    }
  }
}

TEST(RandomisedEigenTest, PowerIterationsSharpenTheSubspace) {
  constexpr Index kSize = 150;
  RandomStream random(2, RandomUse::kProjection);
  const Matrix<double> K = WithEigenvalues(LogSpaced(kSize, 1, 1e-3), random);
  const double exact = ReferenceEigenvalues(K).head(10).sum();
  std::vector<double> gaps;
  for (const Index iterations : {0, 1, 2, 4}) {
    RandomStream same(3, RandomUse::kProjection);
    RandomisedEigen eigen;
    ASSERT_TRUE(eigen.Factor(
        View(K), 10, {.oversampling = 5, .power_iterations = iterations},
        same));
    gaps.push_back(exact - ToVector(eigen.Eigenvalues()).sum());
  }
  EXPECT_TRUE(std::is_sorted(gaps.begin(), gaps.end(), std::greater<>()));
  EXPECT_LT(gaps.back(), 0.1 * gaps.front());
}

TEST(RandomisedEigenTest, BasisIsOrthonormal) {
  for (const Index n : {1, 2, 10, 64, 200}) {
    for (const Index k : {1, 4, 17, 250}) {
      // Rank below k too: the basis is completed, not left open.
      for (const Index rank : {Index{1}, Index{3}, n}) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", k = " + std::to_string(k) +
                     ", rank = " + std::to_string(rank));
        RandomStream random(4, RandomUse::kProjection);
        const Matrix<double> K = Gram(n, rank, random);
        RandomisedEigen eigen;
        ASSERT_TRUE(eigen.Factor(View(K), k, {}, random));
        const Vector<double> c = RandomVector(std::min(k, n), random);
        const Vector<double> b = From(eigen, c, n);
        EXPECT_NEAR(b.norm(), c.norm(), Tolerance(n, c.norm()));
        EXPECT_LE((To(eigen, b) - c).norm(), Tolerance(n, c.norm()));
      }
    }
  }
}

TEST(RandomisedEigenTest, ZeroMatrixHasZeroEigenvaluesAndAnOrthonormalBasis) {
  const Matrix<double> K = Matrix<double>::Zero(12, 12);
  RandomStream random(5, RandomUse::kProjection);
  RandomisedEigen eigen;
  ASSERT_TRUE(eigen.Factor(View(K), 4, {}, random));
  EXPECT_EQ(ToVector(eigen.Eigenvalues()), (Vector<double>::Zero(4)));
  const Vector<double> c = RandomVector(4, random);
  EXPECT_NEAR(From(eigen, c, 12).norm(), c.norm(), Tolerance(12, c.norm()));
}

TEST(RandomisedEigenTest, AllOfThemAreTheFullDecomposition) {
  for (const Index n : {1, 2, 7, 40, 100}) {
    for (const Index k : {n, n + 1, 3 * n}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", k = " + std::to_string(k));
      RandomStream random(6, RandomUse::kProjection);
      const Matrix<double> K = Gram(n, n, random);
      const Vector<double> b = RandomVector(n, random);
      RandomisedEigen eigen;
      ASSERT_TRUE(eigen.Factor(View(K), k, {}, random));
      const Vector<double> expected = ReferenceEigenvalues(K);
      const Vector<double> values = ToVector(eigen.Eigenvalues());
      ASSERT_EQ(values.size(), n);
      EXPECT_LE((values - expected).cwiseAbs().maxCoeff(),
                Tolerance(n, expected[0]));
      EXPECT_LE((Apply(eigen, b) - K * b).norm(),
                Tolerance(n, expected[0] * b.norm()));
      EXPECT_LE((From(eigen, To(eigen, b), n) - b).norm(),
                Tolerance(n, b.norm()));
    }
  }
}

TEST(RandomisedEigenTest, SameSeedGivesTheSameBits) {
  RandomisedEigen used;
  for (const Index n : {30, 200, 5}) {
    RandomStream random(7, RandomUse::kProjection);
    const Matrix<double> K = Gram(n, n, random);
    const Vector<double> b = RandomVector(n, random);
    RandomStream first(8, RandomUse::kProjection);
    RandomStream second(8, RandomUse::kProjection);
    RandomisedEigen fresh;
    ASSERT_TRUE(used.Factor(View(K), 10, {}, first));
    ASSERT_TRUE(fresh.Factor(View(K), 10, {}, second));
    EXPECT_EQ(first, second);
    EXPECT_EQ(ToVector(used.Eigenvalues()), ToVector(fresh.Eigenvalues()));
    EXPECT_EQ(To(used, b), To(fresh, b));
  }
}

TEST(RandomisedEigenTest, OnlyTheLowerTriangleIsRead) {
  RandomStream random(9, RandomUse::kProjection);
  const Matrix<double> K = Gram(60, 60, random);
  const Matrix<double> lower = WithoutUpper(K);
  RandomStream first(10, RandomUse::kProjection);
  RandomStream second(10, RandomUse::kProjection);
  RandomisedEigen a;
  RandomisedEigen b;
  ASSERT_TRUE(a.Factor(View(K), 10, {}, first));
  ASSERT_TRUE(b.Factor(View(lower), 10, {}, second));
  EXPECT_EQ(ToVector(a.Eigenvalues()), ToVector(b.Eigenvalues()));
}

TEST(RandomisedEigenTest, ScaleOfTheMatrixIsScaleOfTheEigenvalues) {
  constexpr Index kSize = 80;
  RandomStream random(11, RandomUse::kProjection);
  const Matrix<double> K = WithEigenvalues(LogSpaced(kSize, 1, 1e-9), random);
  const auto eigenvalues = [](const Matrix<double>& matrix) {
    RandomStream same(12, RandomUse::kProjection);
    RandomisedEigen eigen;
    EXPECT_TRUE(eigen.Factor(View(matrix), 10, {}, same));
    return ToVector(eigen.Eigenvalues());
  };
  const Vector<double> expected = eigenvalues(K);
  for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
    EXPECT_LE((eigenvalues(scale * K) / scale - expected).cwiseAbs().maxCoeff(),
              Tolerance(kSize, 1))
        << scale;
  }
}

TEST(RandomisedEigenTest, RefusesNanAndInfinityAnywhere) {
  RandomisedEigen eigen;
  for (const Index n : {1, 2, 5, 50}) {
    RandomStream random(13, RandomUse::kProjection);
    Matrix<double> K = Gram(n, n, random);
    const Index step = n < 10 ? 1 : 7;
    for (Index r = 0; r < n; r += step) {
      for (Index c = 0; c <= r; c += step) {
        for (const double bad : {kNan, kInf, -kInf}) {
          const double good = std::exchange(K(r, c), bad);
          EXPECT_FALSE(eigen.Factor(View(K), 3, {}, random))
              << bad << " at " << r << ", " << c << " of " << n;
          K(r, c) = good;
        }
      }
    }
    EXPECT_TRUE(eigen.Factor(View(K), 3, {}, random));
  }
}

TEST(RandomisedEigenTest, SizesThatDoNotFitAreMistakes) {
  RandomisedEigen eigen;
  RandomStream random(14, RandomUse::kProjection);
  const Matrix<double> empty(0, 0);
  const Matrix<double> wide = Matrix<double>::Zero(2, 3);
  const Matrix<double> K = Matrix<double>::Identity(3, 3);
  EXPECT_THROW((void)eigen.Factor(View(empty), 1, {}, random),
               std::logic_error);
  EXPECT_THROW((void)eigen.Factor(View(wide), 1, {}, random), std::logic_error);
  EXPECT_THROW((void)eigen.Factor(View(K), 0, {}, random), std::logic_error);
}

}  // namespace
}  // namespace sven::linalg::randomised_eigen_test
