// SPDX-License-Identifier: MIT
//
// M = U S V^T (B x N, r = min(B, N)). The factors are only reached through
// products, so the tests multiply unit vectors to see them.
#include "sven/linalg/thin_svd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testing/decompositions.h"
#include "testing/matrices.h"

namespace sven::linalg::thin_svd_test {
namespace {

using sven::testing::kEps;
using sven::testing::kInf;
using sven::testing::kNan;
using sven::testing::LogSpaced;
using sven::testing::RandomMatrix;
using sven::testing::RandomVector;
using sven::testing::Span;
using sven::testing::SvdOf;
using sven::testing::ToVector;
using sven::testing::WithSingularValues;

// Errors are at most kRounding max(B, N) eps times the size of what is
// computed, and times the condition number where an inverse is applied.
constexpr double kRounding = 4;

double Tolerance(Index rows, Index cols, double size) {
  return kRounding * static_cast<double>(std::max(rows, cols)) * kEps * size;
}

struct Shape {
  Index rows, cols;
};

constexpr Shape kShapes[] = {
    {1, 1},   {1, 2},   {2, 1},   {1, 50},  {50, 1},  {2, 2},    {5, 5},
    {7, 3},   {3, 7},   {40, 40}, {41, 40}, {40, 41}, {100, 20}, {20, 100},
    {64, 65}, {70, 64}, {300, 9}, {9, 300}, {90, 90},
};

struct Kind {
  const char* name;
  Matrix<double> (*make)(Index rows, Index cols, RandomStream& random);
};

// For the names of the tests.
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

Matrix<double> OfHalfRank(Index rows, Index cols, RandomStream& random) {
  const Index rank = (std::min(rows, cols) + 1) / 2;
  const Matrix<double> left = RandomMatrix(rows, rank, random);
  return left * RandomMatrix(rank, cols, random);
}

template <int exponent>
Matrix<double> Scaled(Index rows, Index cols, RandomStream& random) {
  return std::pow(10.0, exponent) * RandomMatrix(rows, cols, random);
}

const Kind kKinds[] = {
    {"Random", RandomMatrix},
    {"OfHalfRank", OfHalfRank},
    {"OfRankOne",
     [](Index rows, Index cols, RandomStream& r) -> Matrix<double> {
       return RandomVector(rows, r) * RandomVector(cols, r).transpose();
     }},
    {"DuplicatedRows",
     [](Index rows, Index cols, RandomStream& r) {
       Matrix<double> M = RandomMatrix(rows, cols, r);
       for (Index i = 1; i < rows; i += 2) M.row(i) = M.row(i - 1);
       return M;
     }},
    {"Zero",
     [](Index rows, Index cols, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Zero(rows, cols);
     }},
    {"Identity",
     [](Index rows, Index cols, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Identity(rows, cols);
     }},
    {"Ones",
     [](Index rows, Index cols, RandomStream&) -> Matrix<double> {
       return Matrix<double>::Ones(rows, cols);
     }},
    {"WellConditioned",
     [](Index rows, Index cols, RandomStream& r) {
       const Index rank = std::min(rows, cols);
       return WithSingularValues(rows, cols, LogSpaced(rank, 1, 0.1), r);
     }},
    {"IllConditioned",
     [](Index rows, Index cols, RandomStream& r) {
       const Index rank = std::min(rows, cols);
       return WithSingularValues(rows, cols, LogSpaced(rank, 1, 1e-8), r);
     }},
    {"Scaled1e300", Scaled<300>},
    {"Scaled1e150", Scaled<150>},
    {"Scaled1eMinus150", Scaled<-150>},
    {"Scaled1eMinus300", Scaled<-300>},
};

// The factors of a copy of M, as matrices.
struct Factors {
  Vector<double> s;
  Matrix<double> Ut;  // r x B
  Matrix<double> V;   // N x r
};

Factors FactorsOf(const Matrix<double>& M, ThinSvd& svd) {
  Matrix<double> copy = M;
  EXPECT_TRUE(svd.Factor(copy));
  Factors factors = {.s = ToVector(svd.SingularValues()), .Ut = {}, .V = {}};
  const Index r = factors.s.size();
  factors.Ut.resize(r, M.rows());
  factors.V.resize(M.cols(), r);
  Vector<double> coefficients(r);
  for (Index i = 0; i < M.rows(); ++i) {
    const Vector<double> unit = Vector<double>::Unit(M.rows(), i);
    svd.MultiplyUt(Span(unit), Span(coefficients));
    factors.Ut.col(i) = coefficients;
  }
  Vector<double> x(M.cols());
  for (Index i = 0; i < r; ++i) {
    const Vector<double> unit = Vector<double>::Unit(r, i);
    svd.MultiplyV(Span(unit), Span(x));
    factors.V.col(i) = x;
  }
  return factors;
}

class ThinSvdTest : public ::testing::TestWithParam<Kind> {
 protected:
  template <class Law>
  void ForEveryShape(const Law& law) {
    ThinSvd svd;  // one for all shapes
    for (const auto& [rows, cols] : kShapes) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      RandomStream random(static_cast<std::uint64_t>(rows), RandomUse::kData);
      const Matrix<double> M = GetParam().make(rows, cols, random);
      const Factors factors = FactorsOf(M, svd);
      ASSERT_EQ(factors.s.size(), std::min(rows, cols));
      law(M, factors);
    }
  }
};

TEST_P(ThinSvdTest, SingularValuesAreThoseOfAnIndependentSolver) {
  ForEveryShape([](const Matrix<double>& M, const Factors& factors) {
    const auto& s = factors.s;
    EXPECT_TRUE(std::is_sorted(s.begin(), s.end(), std::greater<>()));
    EXPECT_GE(s.minCoeff(), 0);
    const Vector<double> expected = SvdOf(M).s;
    EXPECT_LE((s - expected).cwiseAbs().maxCoeff(),
              Tolerance(M.rows(), M.cols(), expected[0]));
  });
}

TEST_P(ThinSvdTest, FactorsAreOrthonormal) {
  ForEveryShape([](const Matrix<double>& M, const Factors& factors) {
    const Index r = factors.s.size();
    const Matrix<double> one = Matrix<double>::Identity(r, r);
    const double tolerance = Tolerance(M.rows(), M.cols(), 1);
    EXPECT_LE((factors.Ut * factors.Ut.transpose() - one).norm(), tolerance);
    EXPECT_LE((factors.V.transpose() * factors.V - one).norm(), tolerance);
  });
}

TEST_P(ThinSvdTest, ProductOfTheFactorsIsTheMatrix) {
  ForEveryShape([](const Matrix<double>& M, const Factors& factors) {
    const Matrix<double> product =
        factors.Ut.transpose() * factors.s.asDiagonal() * factors.V.transpose();
    EXPECT_LE((product - M).stableNorm(),
              Tolerance(M.rows(), M.cols(), factors.s[0]));
  });
}

// X = V S^+ U^T with singular values below rounding taken for zero.
TEST_P(ThinSvdTest, PseudoInverseFulfilsTheMoorePenroseIdentities) {
  ForEveryShape([](const Matrix<double>& M, const Factors& factors) {
    const auto& s = factors.s;
    const double limit = Tolerance(M.rows(), M.cols(), s[0]);
    const Index rank =
        std::count_if(s.begin(), s.end(), [&](double x) { return x > limit; });
    const Matrix<double> X = factors.V.leftCols(rank) *
                             s.head(rank).cwiseInverse().asDiagonal() *
                             factors.Ut.topRows(rank);
    if (rank == 0) {
      EXPECT_TRUE(X.isZero(0));
      return;
    }
    const double condition = s[0] / s[rank - 1];
    const double tolerance = Tolerance(M.rows(), M.cols(), condition);
    const Matrix<double> MX = M * X;
    const Matrix<double> XM = X * M;
    EXPECT_LE((MX * M - M).stableNorm(), tolerance * s[0]);
    EXPECT_LE((XM * X - X).stableNorm(), tolerance / s[rank - 1]);
    EXPECT_LE((MX - MX.transpose()).norm(), tolerance);
    EXPECT_LE((XM - XM.transpose()).norm(), tolerance);
    EXPECT_NEAR(MX.trace(), static_cast<double>(rank), tolerance);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThinSvdTest, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return kind.param.name; });

// The header's claim: rounding relative to s_1 for the SVD, but the square root
// of rounding for the Gram matrix.
TEST(ThinSvdResolutionTest, SeesSingularValuesThatTheGramMatrixLoses) {
  constexpr double kSmallest = 1e-12;
  for (const auto& [rows, cols] : {Shape{30, 30}, {80, 25}, {25, 80}}) {
    RandomStream random(1, RandomUse::kData);
    const Index r = std::min(rows, cols);
    const Vector<double> expected = LogSpaced(r, 1, kSmallest);
    const Matrix<double> M = WithSingularValues(rows, cols, expected, random);
    Matrix<double> copy = M;
    ThinSvd svd;
    ASSERT_TRUE(svd.Factor(copy));
    const Vector<double> s = ToVector(svd.SingularValues());
    constexpr double kResolution = 20 * kEps;
    EXPECT_LE((s - expected).cwiseAbs().maxCoeff(), kResolution);
    EXPECT_NEAR(s[r - 1], kSmallest, 0.01 * kSmallest);

    const Matrix<double> K = M * M.transpose();
    const Vector<double> squares = sven::testing::ReferenceEigenvalues(K);
    EXPECT_GT(std::abs(std::sqrt(std::abs(squares[r - 1])) - kSmallest),
              1000 * kResolution);
  }
}

TEST(ThinSvdContractTest, RefusesNanAndInfinityAnywhere) {
  ThinSvd svd;
  for (const auto& [rows, cols] : kShapes) {
    RandomStream random(2, RandomUse::kData);
    const Matrix<double> M = RandomMatrix(rows, cols, random);
    const Index step = std::max<Index>(1, M.size() / 60);
    for (Index place = 0; place < M.size(); place += step) {
      for (const double bad : {kNan, kInf, -kInf}) {
        Matrix<double> broken = M;
        broken.data()[place] = bad;
        EXPECT_FALSE(svd.Factor(broken))
            << bad << " at " << place << " of " << rows << " x " << cols;
      }
    }
    Matrix<double> both = M;
    both.data()[0] = kInf;
    both.data()[M.size() - 1] = kNan;
    EXPECT_FALSE(svd.Factor(both));
  }
}

TEST(ThinSvdContractTest, DenormalMatricesKeepTheDigitsTheyHave) {
  RandomStream random(3, RandomUse::kData);
  const Matrix<double> M = 1e-310 * RandomMatrix(12, 20, random);
  ThinSvd svd;
  const Factors factors = FactorsOf(M, svd);
  const Matrix<double> product =
      factors.Ut.transpose() * factors.s.asDiagonal() * factors.V.transpose();
  EXPECT_LE((product - M).cwiseAbs().maxCoeff(),
            32 * std::numeric_limits<double>::denorm_min());
}

TEST(ThinSvdContractTest, ObjectUsedBeforeGivesTheSameAsAFreshOne) {
  ThinSvd used;
  for (const auto& [rows, cols] : kShapes) {
    RandomStream random(4, RandomUse::kData);
    const Matrix<double> M = RandomMatrix(rows, cols, random);
    ThinSvd fresh;
    const Factors a = FactorsOf(M, used);
    const Factors b = FactorsOf(M, fresh);
    EXPECT_EQ(a.s, b.s);
    EXPECT_EQ(a.Ut, b.Ut);
    EXPECT_EQ(a.V, b.V);
  }
}

TEST(ThinSvdContractTest, SizesThatDoNotFitAreMistakes) {
  ThinSvd svd;
  Matrix<double> empty(0, 3);
  EXPECT_THROW((void)svd.Factor(empty), std::logic_error);
  Matrix<double> M = Matrix<double>::Identity(3, 5);
  ASSERT_TRUE(svd.Factor(M));
  std::vector<double> three(3);
  std::vector<double> five(5);
  EXPECT_NO_THROW(svd.MultiplyUt(three, three));
  EXPECT_THROW(svd.MultiplyUt(five, three), std::logic_error);
  EXPECT_THROW(svd.MultiplyUt(three, five), std::logic_error);
  EXPECT_NO_THROW(svd.MultiplyV(three, five));
  EXPECT_THROW(svd.MultiplyV(five, five), std::logic_error);
  EXPECT_THROW(svd.MultiplyV(three, three), std::logic_error);
}

}  // namespace
}  // namespace sven::linalg::thin_svd_test
