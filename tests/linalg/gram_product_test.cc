// SPDX-License-Identifier: MIT
//
// The oracle forms the rows d (x) (a, 1) and multiplies them out in extended
// precision. With S the type that the sums run in, an entry may then differ by
// (in + out + 3) eps(S) times the same sum of absolute values: one rounding per
// addition, and three for product, bias and the addition to K.
#include "sven/linalg/gram_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sven/base/random.h"
#include "testing/matrices.h"

namespace sven::linalg::gram_product_test {
namespace {

using sven::testing::RandomMatrix;

using Extended = long double;

constexpr OuterParts kAllParts[] = {{.weight = true, .bias = true},
                                    {.weight = true, .bias = false},
                                    {.weight = false, .bias = true},
                                    {.weight = false, .bias = false}};
constexpr Accumulation kBoth[] = {Accumulation::kWorking,
                                  Accumulation::kDouble};

std::vector<Index> BatchSizes() {
  std::vector<Index> sizes;
  for (Index B = 1; B <= 40; ++B) sizes.push_back(B);
  sizes.insert(sizes.end(), {64, 100});
  return sizes;
}

template <class T>
double Epsilon(Accumulation accumulation) {
  return accumulation == Accumulation::kDouble
             ? std::numeric_limits<double>::epsilon()
             : static_cast<double>(std::numeric_limits<T>::epsilon());
}

// Row a: d_a (x) a_a, then d_a, as far as they take part.
Matrix<Extended> Rows(const Matrix<Extended>& D, const Matrix<Extended>& A,
                      OuterParts parts) {
  const Index weights = parts.weight ? D.cols() * A.cols() : 0;
  const Index biases = parts.bias ? D.cols() : 0;
  Matrix<Extended> J(D.rows(), weights + biases);
  for (Index b = 0; b < D.rows(); ++b) {
    Index column = 0;
    if (parts.weight) {
      for (Index o = 0; o < D.cols(); ++o) {
        for (Index i = 0; i < A.cols(); ++i) J(b, column++) = D(b, o) * A(b, i);
      }
    }
    if (parts.bias) J.row(b).tail(biases) = D.row(b);
  }
  return J;
}

// A K to start from, whose upper triangle nobody may touch.
Matrix<double> StartingMatrix(Index B, RandomStream& random) {
  return RandomMatrix(B, B, random);
}

// K is start + J J^T below the diagonal and start above it.
void ExpectAdded(const Matrix<Extended>& J, const Matrix<double>& start,
                 double relative, const Matrix<double>& K) {
  const Matrix<Extended> sum = J * J.transpose();
  const Matrix<Extended> magnitude = J.cwiseAbs() * J.cwiseAbs().transpose();
  for (Index r = 0; r < K.rows(); ++r) {
    for (Index c = 0; c < K.cols(); ++c) {
      if (c > r) {
        ASSERT_EQ(K(r, c), start(r, c)) << r << ", " << c;
        continue;
      }
      const Extended bound =
          relative * (magnitude(r, c) + std::abs(start(r, c)));
      ASSERT_LE(std::abs(K(r, c) - (start(r, c) + sum(r, c))), bound)
          << r << ", " << c;
    }
  }
}

template <class T>
class GramProductTest : public ::testing::Test {
 protected:
  void CheckOuter(Index B, Index out, Index in) {
    const Matrix<T> D = RandomMatrix(B, out, random_).cast<T>();
    const Matrix<T> A = RandomMatrix(B, in, random_).cast<T>();
    for (const OuterParts parts : kAllParts) {
      const Matrix<Extended> J =
          Rows(D.template cast<Extended>(), A.template cast<Extended>(), parts);
      for (const Accumulation accumulation : kBoth) {
        SCOPED_TRACE(::testing::Message()
                     << "B = " << B << ", out = " << out << ", in = " << in
                     << ", weight " << parts.weight << ", bias " << parts.bias
                     << ", double " << (accumulation == Accumulation::kDouble));
        const Matrix<double> start = StartingMatrix(B, random_);
        Matrix<double> K = start;
        product_.AddOuter(View(D), View(A), parts, accumulation, K);
        ExpectAdded(
            J, start,
            static_cast<double>(in + out + 3) * Epsilon<T>(accumulation), K);
      }
    }
  }

  void CheckPlain(Index B, Index depth) {
    const Matrix<T> G = RandomMatrix(B, depth, random_).cast<T>();
    for (const Accumulation accumulation : kBoth) {
      SCOPED_TRACE(::testing::Message() << "B = " << B << ", N = " << depth);
      const Matrix<double> start = StartingMatrix(B, random_);
      Matrix<double> K = start;
      product_.AddPlain(View(G), accumulation, K);
      ExpectAdded(G.template cast<Extended>(), start,
                  static_cast<double>(depth + 3) * Epsilon<T>(accumulation), K);
    }
  }

  RandomStream random_{1, RandomUse::kData};
  GramProduct<T> product_;  // one for all sizes: nothing may be left over
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GramProductTest, Types);

TYPED_TEST(GramProductTest, AddsTheGramMatrixOfOuterProductsForEveryBatchSize) {
  for (const Index B : BatchSizes()) this->CheckOuter(B, 5, 7);
}

TYPED_TEST(GramProductTest, AddsTheGramMatrixOfOuterProductsForEveryDepth) {
  for (const Index B : {1, 3, 8, 13}) {
    for (const Index out : {1, 2, 3, 10, 17}) {
      for (const Index in : {1, 2, 5, 31, 33}) this->CheckOuter(B, out, in);
    }
  }
}

// Long sums are cut into pieces.
TYPED_TEST(GramProductTest, AddsTheGramMatrixOfOuterProductsForLongSums) {
  for (const Index B : {1, 9, 33}) {
    for (const Index depth : {191, 192, 193, 385, 784}) {
      this->CheckOuter(B, 3, depth);
      this->CheckOuter(B, depth, 3);
    }
  }
}

TYPED_TEST(GramProductTest, AddsTheGramMatrixOfPlainRows) {
  for (const Index B : BatchSizes()) {
    for (const Index depth : {1, 2, 7, 64, 191, 193, 400}) {
      this->CheckPlain(B, depth);
    }
  }
}

TYPED_TEST(GramProductTest, ShrinkingAndGrowingLeavesNothingOver) {
  for (const Index B : {40, 1, 17, 100, 3, 64, 2}) this->CheckOuter(B, 6, 9);
}

TYPED_TEST(GramProductTest, WithoutPartsNothingIsRead) {
  using T = TypeParam;
  const Matrix<T> D = Matrix<T>::Constant(3, 2, std::nanf(""));
  const Matrix<T> A = D;
  Matrix<double> K = Matrix<double>::Identity(3, 3);
  this->product_.AddOuter(View(D), View(A), {.weight = false, .bias = false},
                          Accumulation::kDouble, K);
  EXPECT_EQ(K, (Matrix<double>::Identity(3, 3)));
}

TYPED_TEST(GramProductTest, BiasAloneReadsNoInputs) {
  using T = TypeParam;
  const Matrix<T> D = Matrix<T>::Ones(5, 3);
  const Matrix<T> A = Matrix<T>::Constant(5, 4, std::nanf(""));
  Matrix<double> K = Matrix<double>::Zero(5, 5);
  this->product_.AddOuter(View(D), View(A), {.weight = false, .bias = true},
                          Accumulation::kWorking, K);
  const Matrix<double> lower = K.triangularView<Eigen::Lower>();
  EXPECT_EQ(
      lower,
      (3 * Matrix<double>(
               Matrix<double>::Ones(5, 5).triangularView<Eigen::Lower>())));
}

TYPED_TEST(GramProductTest, BadSampleSpoilsItsOwnRowAndColumnOnly) {
  using T = TypeParam;
  constexpr Index kBatch = 21;
  constexpr Index kBad = 10;
  Matrix<T> D = RandomMatrix(kBatch, 4, this->random_).template cast<T>();
  const Matrix<T> A = RandomMatrix(kBatch, 6, this->random_).template cast<T>();
  D(kBad, 2) = std::numeric_limits<T>::quiet_NaN();
  for (const Accumulation accumulation : kBoth) {
    Matrix<double> K = Matrix<double>::Zero(kBatch, kBatch);
    this->product_.AddOuter(View(D), View(A), {}, accumulation, K);
    for (Index r = 0; r < kBatch; ++r) {
      for (Index c = 0; c <= r; ++c) {
        EXPECT_EQ(std::isnan(K(r, c)), r == kBad || c == kBad) << r << c;
      }
    }
  }
}

// Products of floats are exact in double, so (1 + e)^2 - 1, which is lost in
// float, comes out exactly.
TEST(GramProductAccumulationTest, DoubleSumsOfFloatsKeepTheExactProducts) {
  const float e = 0x1p-20f;
  Matrix<float> G(2, 3);
  G << 1 + e, 1, 0.5f, 1 + e, -1, 0.25f;
  Matrix<double> K = Matrix<double>::Zero(2, 2);
  GramProduct<float> product;
  product.AddPlain(View(G), Accumulation::kDouble, K);
  EXPECT_EQ(K(1, 0), 0x1p-19 + 0x1p-40 + 0.125);
}

TEST(GramProductAccumulationTest, WorkingSumsOfFloatsAreFloats) {
  const Matrix<float> G = Matrix<float>::Constant(1, 3, 1 + 0x1p-20f);
  Matrix<double> K = Matrix<double>::Zero(1, 1);
  GramProduct<float> product;
  product.AddPlain(View(G), Accumulation::kWorking, K);
  EXPECT_EQ(K(0, 0), static_cast<double>(static_cast<float>(K(0, 0))));
}

}  // namespace
}  // namespace sven::linalg::gram_product_test
