// SPDX-License-Identifier: MIT
#include "sven/linalg/eigen_basis.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/matrices.h"

namespace sven::linalg::eigen_basis_test {
namespace {

using testing::kEps;
using testing::kInf;
using testing::kNan;

struct Decomposition {
  bool ok;
  Vector<double> values;
  Matrix<double> E;
};

Decomposition Factor(const Matrix<double>& K) {
  EigenBasis basis;
  Decomposition result{.ok = false,
                       .values = Vector<double>::Constant(K.rows(), 7),
                       .E = Matrix<double>::Constant(K.rows(), K.rows(), 7)};
  result.ok = basis.Factor(View(K), testing::Span(result.values),
                           MutableView(result.E));
  return result;
}

double DistanceFromOrthonormal(const Matrix<double>& E) {
  return (E * E.transpose() - Matrix<double>::Identity(E.rows(), E.rows()))
      .norm();
}

std::vector<Matrix<double>> Samples() {
  RandomStream random(3, RandomUse::kData);
  std::vector<Matrix<double>> samples;
  for (const Index n : {1, 2, 3, 17, 64, 150}) {
    const Matrix<double> K = testing::RandomSymmetric(n, random);
    samples.push_back(K);
    samples.emplace_back(1e200 * K);
    samples.emplace_back(1e-200 * K);
    samples.push_back(
        testing::WithEigenvalues(testing::LogSpaced(n, 1e3, 1e-12), random));
    const Matrix<double> G = testing::RandomMatrix(n, 1 + n / 3, random);
    samples.emplace_back(G * G.transpose());
    samples.emplace_back(Matrix<double>::Zero(n, n));
    samples.emplace_back(Matrix<double>::Identity(n, n));
  }
  return samples;
}

TEST(EigenBasis, ReassemblesTheMatrixFromOrthonormalRowsAndDescendingValues) {
  for (const Matrix<double>& K : Samples()) {
    const auto n = static_cast<double>(K.rows());
    const Decomposition d = Factor(testing::WithoutUpper(K));
    ASSERT_TRUE(d.ok);
    EXPECT_LT(DistanceFromOrthonormal(d.E), 20 * n * kEps);
    EXPECT_TRUE(std::is_sorted(d.values.begin(), d.values.end(),
                               std::greater<double>()));
    const Matrix<double> again = d.E.transpose() * d.values.asDiagonal() * d.E;
    const double scale = K.cwiseAbs().maxCoeff();
    EXPECT_LE(((again - K) / (scale > 0 ? scale : 1)).norm(),
              20 * n * n * kEps);
  }
}

TEST(EigenBasis, EigenvaluesAreThoseOfExtendedPrecision) {
  RandomStream random(4, RandomUse::kData);
  const Matrix<double> K = testing::RandomSymmetric(40, random);
  const Vector<double> expected = testing::ReferenceEigenvalues(K);
  EXPECT_LT((Factor(K).values - expected).cwiseAbs().maxCoeff(),
            40 * kEps * K.norm());
}

TEST(EigenBasis, NanAndInfinityAreRefusedAndNothingIsWritten) {
  for (const double bad : {kNan, kInf, -kInf}) {
    Matrix<double> K = Matrix<double>::Identity(4, 4);
    K(3, 1) = bad;
    const Decomposition d = Factor(K);
    EXPECT_FALSE(d.ok);
    EXPECT_EQ(d.values, Vector<double>::Constant(4, 7));
    EXPECT_EQ(d.E, (Matrix<double>::Constant(4, 4, 7)));
    EigenBasis basis;
    EXPECT_FALSE(basis.Orthonormalise(MutableView(K)));
    EXPECT_EQ(K(0, 0), 1);
    EXPECT_EQ(K(3, 0), 0);
  }
}

// Gram-Schmidt's property: the first rows span what they spanned before.
TEST(EigenBasis, OrthonormaliseKeepsTheSpansOfTheFirstRows) {
  RandomStream random(5, RandomUse::kData);
  for (const Index n : {1, 2, 9, 70}) {
    const Matrix<double> before = testing::RandomMatrix(n, n, random);
    Matrix<double> E = before;
    EigenBasis basis;
    ASSERT_TRUE(basis.Orthonormalise(MutableView(E)));
    EXPECT_LT(DistanceFromOrthonormal(E), 20 * static_cast<double>(n) * kEps);
    const Matrix<double> coefficients = before * E.transpose();
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        EXPECT_LT(std::abs(coefficients(i, j)),
                  100 * kEps * before.row(i).norm());
      }
    }
  }
}

TEST(EigenBasis, OrthonormaliseCompletesABasisOfDependentRows) {
  Matrix<double> E = Matrix<double>::Zero(4, 4);
  E(1, 2) = 3;
  E(2, 2) = -1;
  EigenBasis basis;
  ASSERT_TRUE(basis.Orthonormalise(MutableView(E)));
  EXPECT_LT(DistanceFromOrthonormal(E), 100 * kEps);
}

// One work area for all sizes, as the optimizers use it.
TEST(EigenBasis, TheResultDoesNotDependOnWhatWasDoneBefore) {
  RandomStream random(6, RandomUse::kData);
  const Matrix<double> small = testing::RandomSymmetric(5, random);
  const Matrix<double> large = testing::RandomSymmetric(90, random);
  const Decomposition fresh = Factor(small);
  EigenBasis basis;
  Decomposition d = Factor(large);
  ASSERT_TRUE(
      basis.Factor(View(large), testing::Span(d.values), MutableView(d.E)));
  d = Factor(small);
  ASSERT_TRUE(
      basis.Factor(View(small), testing::Span(d.values), MutableView(d.E)));
  EXPECT_EQ(d.values, fresh.values);
  EXPECT_EQ(d.E, fresh.E);
}

}  // namespace
}  // namespace sven::linalg::eigen_basis_test
