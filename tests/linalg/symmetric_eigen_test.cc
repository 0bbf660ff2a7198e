// SPDX-License-Identifier: MIT
//
// The laws of the decomposition K = U L U^T, over many kinds of matrix and
// many sizes. What the class promises beyond them is in
// symmetric_eigen_contract_test.cc.
#include "sven/linalg/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "testing/matrices.h"

namespace sven::linalg::symmetric_eigen_test {
namespace {

using sven::testing::kEps;
using sven::testing::LogSpaced;
using sven::testing::RandomMatrix;
using sven::testing::RandomSymmetric;
using sven::testing::RandomVector;
using sven::testing::ReferenceEigenvalues;
using sven::testing::Span;
using sven::testing::ToVector;
using sven::testing::WithEigenvalues;

// The error of everything tested here is at most kRounding n eps |K| |b|; the
// smallest denormal stands for results that are denormal themselves.
constexpr double kRounding = 4;

double Tolerance(Index n, double norm) {
  return kRounding * static_cast<double>(n) *
         (kEps * norm + std::numeric_limits<double>::denorm_min());
}

// ---- Kinds of matrix ----

Matrix<double> Gram(const Matrix<double>& G) { return G * G.transpose(); }

Matrix<double> Tridiagonal(const Vector<double>& diagonal,
                           const Vector<double>& below) {
  Matrix<double> K = diagonal.asDiagonal();
  for (Index i = 0; i + 1 < K.rows(); ++i) {
    K(i + 1, i) = below[i];
    K(i, i + 1) = below[i];
  }
  return K;
}

// D K D with a random K.
Matrix<double> Graded(const Vector<double>& D, RandomStream& random) {
  return D.asDiagonal() * RandomSymmetric(D.size(), random) * D.asDiagonal();
}

Matrix<double> DuplicatedRows(Index n, RandomStream& random) {
  Matrix<double> G = RandomMatrix(n, n + 2, random);
  for (Index i = 1; i < n; i += 2) G.row(i) = G.row(i - 1);
  return Gram(G);
}

Matrix<double> TwoByTwoBlocks(Index n, RandomStream& random) {
  const Matrix<double> K = RandomSymmetric(n, random);
  return K.cwiseProduct(Matrix<double>::NullaryExpr(
      n, n, [](Index r, Index c) { return r / 2 == c / 2 ? 1.0 : 0.0; }));
}

Matrix<double> Wilkinson(Index n, RandomStream&) {
  const Vector<double> diagonal = Vector<double>::NullaryExpr(n, [n](Index i) {
    return std::abs(static_cast<double>(2 * i - n + 1)) / 2;
  });
  return Tridiagonal(diagonal, Vector<double>::Ones(n));
}

// Couplings from far above to far below rounding, equal eigenvalues elsewhere.
Matrix<double> WeakCouplings(Index n, RandomStream& random) {
  Vector<double> diagonal(n);
  Vector<double> below(n);
  for (Index i = 0; i < n; ++i) {
    diagonal[i] = static_cast<double>(random.Below(3));
    below[i] = std::exp2(-static_cast<double>(random.Below(70)));
  }
  return Tridiagonal(diagonal, below);
}

Matrix<double> Shuffled(const Matrix<double>& K, RandomStream& random) {
  std::vector<Index> order;
  RandomPermutation(K.rows(), random, order);
  return Matrix<double>::NullaryExpr(K.rows(), K.cols(), [&](Index r, Index c) {
    return K(order[r], order[c]);
  });
}

struct Kind {
  const char* name;
  Matrix<double> (*make)(Index n, RandomStream& random);
};

// For the names of the tests.
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

constexpr auto kSmallest = 1e-150;  // at the far end of graded matrices

const Kind kKinds[] = {
    {"Indefinite", RandomSymmetric},
    {"Gram",
     [](Index n, RandomStream& r) { return Gram(RandomMatrix(n, 2 * n, r)); }},
    {"GramOfLowRank",
     [](Index n, RandomStream& r) {
       return Gram(RandomMatrix(n, 1 + n / 3, r));
     }},
    {"RankOne",
     [](Index n, RandomStream& r) { return Gram(RandomMatrix(n, 1, r)); }},
    {"DuplicatedRows", DuplicatedRows},
    {"Zero",
     [](Index n, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Zero(n, n);
     }},
    {"Identity",
     [](Index n, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Identity(n, n);
     }},
    {"MinusIdentity",
     [](Index n, RandomStream&) -> Matrix<double> {
       return -Matrix<double>::Identity(n, n);
     }},
    {"Ones",
     [](Index n, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Ones(n, n);
     }},
    {"Exchange",
     [](Index n, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Identity(n, n).rowwise().reverse();
     }},
    {"Diagonal",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return RandomVector(n, r).asDiagonal();
     }},
    {"Tridiagonal",
     [](Index n, RandomStream& r) {
       const Vector<double> diagonal = RandomVector(n, r);
       return Tridiagonal(diagonal, RandomVector(n, r));
     }},
    {"Laplacian",
     [](Index n, RandomStream&) {
       return Tridiagonal(Vector<double>::Constant(n, 2),
                          Vector<double>::Constant(n, -1));
     }},
    {"Wilkinson", Wilkinson},
    {"WeakCouplings", WeakCouplings},
    {"ShuffledWeakCouplings",
     [](Index n, RandomStream& r) { return Shuffled(WeakCouplings(n, r), r); }},
    {"TwoByTwoBlocks", TwoByTwoBlocks},
    {"ShuffledTwoByTwoBlocks",
     [](Index n, RandomStream& r) {
       return Shuffled(TwoByTwoBlocks(n, r), r);
     }},
    {"Clustered",
     [](Index n, RandomStream& r) {
       const Vector<double> noise = kEps * RandomVector(n, r);
       return WithEigenvalues(Vector<double>::Ones(n) + noise, r);
     }},
    {"Decaying",
     [](Index n, RandomStream& r) {
       return WithEigenvalues(LogSpaced(n, 1, 1e-30), r);
     }},
    {"GradedDown",
     [](Index n, RandomStream& r) {
       return Graded(LogSpaced(n, 1, kSmallest), r);
     }},
    {"GradedUp",
     [](Index n, RandomStream& r) {
       return Graded(LogSpaced(n, kSmallest, 1), r);
     }},
    {"GradedShuffled",
     [](Index n, RandomStream& r) {
       return Shuffled(Graded(LogSpaced(n, 1, kSmallest), r), r);
     }},
    {"Scaled1e300",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 1e300 * RandomSymmetric(n, r);
     }},
    {"Scaled1e150",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 1e150 * RandomSymmetric(n, r);
     }},
    {"Scaled1eMinus150",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 1e-150 * RandomSymmetric(n, r);
     }},
    {"Scaled1eMinus300",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 1e-300 * RandomSymmetric(n, r);
     }},
    {"Denormal",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 1e-310 * RandomSymmetric(n, r);
     }},
    {"SmallestDenormal",
     [](Index n, RandomStream& r) -> Matrix<double> {
       return 5e-324 * RandomSymmetric(n, r);
     }},
};

// ---- Laws ----

std::vector<Index> Sizes() {
  std::vector<Index> sizes;
  for (Index n = 1; n <= 40; ++n) sizes.push_back(n);
  // 161 is the first size that goes to LAPACK.
  for (const Index n : {63, 64, 65, 100, 160, 161, 200}) sizes.push_back(n);
  return sizes;
}

class SymmetricEigenTest : public ::testing::TestWithParam<Kind> {
 protected:
  // Calls law(K, eigen) with K of every size.
  template <class Law>
  void ForEverySize(const Law& law) {
    for (const Index n : Sizes()) {
      SCOPED_TRACE("n = " + std::to_string(n));
      random_ = RandomStream(static_cast<std::uint64_t>(n), RandomUse::kData);
      const Matrix<double> K = GetParam().make(n, random_);
      SymmetricEigen eigen;
      ASSERT_TRUE(eigen.Factor(View(K)));
      law(K, eigen);
    }
  }

  RandomStream random_{0, RandomUse::kData};
};

void ExpectEigenvalues(const SymmetricEigen& eigen,
                       const Vector<double>& expected) {
  const Vector<double> values = ToVector(eigen.Eigenvalues());
  ASSERT_EQ(values.size(), expected.size());
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::greater<>()));
  const double norm = expected.cwiseAbs().maxCoeff();
  EXPECT_LE((values - expected).cwiseAbs().maxCoeff(),
            Tolerance(values.size(), norm));
}

// |U^T b| = |b| and U U^T b = U^T U b = b.
void ExpectOrthogonal(SymmetricEigen& eigen, const Vector<double>& b) {
  const double tolerance = Tolerance(b.size(), b.norm());
  Vector<double> x = b;
  eigen.ToEigenbasis(Span(x));
  EXPECT_NEAR(x.norm(), b.norm(), tolerance);
  eigen.FromEigenbasis(Span(x));
  EXPECT_LE((x - b).norm(), tolerance);
  eigen.FromEigenbasis(Span(x));
  EXPECT_NEAR(x.norm(), b.norm(), tolerance);
  eigen.ToEigenbasis(Span(x));
  EXPECT_LE((x - b).norm(), tolerance);
}

// U L U^T b = K b.
void ExpectReproduces(const Matrix<double>& K, SymmetricEigen& eigen,
                      const Vector<double>& b) {
  const Vector<double> values = ToVector(eigen.Eigenvalues());
  Vector<double> x = b;
  eigen.ToEigenbasis(Span(x));
  x.array() *= values.array();
  eigen.FromEigenbasis(Span(x));
  EXPECT_LE((x - K * b).cwiseAbs().maxCoeff(),
            Tolerance(b.size(), values.cwiseAbs().maxCoeff() * b.norm()));
}

TEST_P(SymmetricEigenTest, EigenvaluesAreThoseOfAnIndependentSolver) {
  ForEverySize([](const Matrix<double>& K, const SymmetricEigen& eigen) {
    ExpectEigenvalues(eigen, ReferenceEigenvalues(K));
  });
}

TEST_P(SymmetricEigenTest, EigenbasisIsOrthogonal) {
  ForEverySize([this](const Matrix<double>& K, SymmetricEigen& eigen) {
    ExpectOrthogonal(eigen, RandomVector(K.rows(), random_));
    ExpectOrthogonal(eigen, Vector<double>::Unit(K.rows(), 0));
    ExpectOrthogonal(eigen, Vector<double>::Unit(K.rows(), K.rows() - 1));
  });
}

TEST_P(SymmetricEigenTest, EigenvaluesInTheEigenbasisAreTheMatrix) {
  ForEverySize([this](const Matrix<double>& K, SymmetricEigen& eigen) {
    ExpectReproduces(K, eigen, RandomVector(K.rows(), random_));
    ExpectReproduces(K, eigen, Vector<double>::Unit(K.rows(), K.rows() / 2));
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, SymmetricEigenTest, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return kind.param.name; });

TEST(LargeSymmetricEigenTest, LawsHoldForFiveHundredRows) {
  RandomStream random(500, RandomUse::kData);
  const Matrix<double> K = RandomSymmetric(500, random);
  SymmetricEigen eigen;
  ASSERT_TRUE(eigen.Factor(View(K)));
  ExpectEigenvalues(eigen, ReferenceEigenvalues(K));
  ExpectOrthogonal(eigen, RandomVector(500, random));
  ExpectReproduces(K, eigen, RandomVector(500, random));
}

// H D H with a reflection H = 1 - 2 v v^T has the eigenvalues D; two of them
// make it dense without any O(n^3) work.
TEST(LargeSymmetricEigenTest, LawsHoldForTwoThousandRows) {
  constexpr Index kSize = 2000;
  RandomStream random(kSize, RandomUse::kData);
  Vector<double> values = RandomVector(kSize, random);
  std::sort(values.begin(), values.end(), std::greater<>());
  Matrix<double> K = values.asDiagonal();
  for (int reflection = 0; reflection < 2; ++reflection) {
    const Vector<double> v = RandomVector(kSize, random).normalized();
    const Vector<double> p = K * v;
    const Vector<double> w = 2 * (p - v.dot(p) * v);
    K.noalias() -= v * w.transpose();
    K.noalias() -= w * v.transpose();
  }
  SymmetricEigen eigen;
  ASSERT_TRUE(eigen.Factor(View(K)));
  ExpectEigenvalues(eigen, values);
  ExpectOrthogonal(eigen, RandomVector(kSize, random));
  ExpectReproduces(K, eigen, RandomVector(kSize, random));
}

}  // namespace
}  // namespace sven::linalg::symmetric_eigen_test
