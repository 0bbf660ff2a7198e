// SPDX-License-Identifier: MIT
#include "sven/linalg/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sven/base/random.h"
#include "testing/matrices.h"

namespace sven::linalg::product_test {
namespace {

using sven::testing::RandomMatrix;

using Extended = long double;

// C is m x n, the sums run over k.
struct Shape {
  Index m, n, k;
};

// m n k = 65536 is where BLAS takes over from Eigen.
constexpr Shape kShapes[] = {
    {1, 1, 1},     {1, 5, 3},     {5, 1, 3},     {7, 6, 1},     {3, 4, 5},
    {17, 13, 11},  {40, 40, 40},  {64, 32, 32},  {41, 40, 40},  {1, 256, 255},
    {1, 256, 256}, {1, 257, 300}, {300, 1, 257}, {255, 257, 1}, {256, 256, 1},
    {65, 67, 71},  {100, 3, 301}, {3, 301, 100},
};

template <class T>
class ProductTest : public ::testing::Test {
 protected:
  // |C - A B| <= (k + 1) eps |A| |B|, elementwise.
  static void ExpectProduct(const Matrix<T>& A, const Matrix<T>& B,
                            const Matrix<T>& C) {
    const Matrix<Extended> a = A.template cast<Extended>();
    const Matrix<Extended> b = B.template cast<Extended>();
    const Matrix<Extended> error =
        (a * b - C.template cast<Extended>()).cwiseAbs();
    const Matrix<Extended> bound =
        static_cast<Extended>(A.cols() + 1) *
        static_cast<Extended>(std::numeric_limits<T>::epsilon()) *
        (a.cwiseAbs() * b.cwiseAbs());
    EXPECT_TRUE((error.array() <= bound.array()).all())
        << A.rows() << " x " << B.cols() << " x " << A.cols() << ": "
        << (error.array() / bound.array()).maxCoeff();
  }

  Matrix<T> Random(Index rows, Index cols) {
    return RandomMatrix(rows, cols, random_).template cast<T>();
  }

  // What stands in C before must not matter, be it NaN.
  static Matrix<T> Unset(const Shape& shape) {
    return Matrix<T>::Constant(shape.m, shape.n,
                               std::numeric_limits<T>::quiet_NaN());
  }

  RandomStream random_{1, RandomUse::kData};
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ProductTest, Types);

TYPED_TEST(ProductTest, MultiplyABIsTheProduct) {
  for (const Shape& shape : kShapes) {
    const Matrix<TypeParam> A = this->Random(shape.m, shape.k);
    const Matrix<TypeParam> B = this->Random(shape.k, shape.n);
    Matrix<TypeParam> C = this->Unset(shape);
    MultiplyAB<TypeParam>(View(A), View(B), MutableView(C));
    this->ExpectProduct(A, B, C);
  }
}

TYPED_TEST(ProductTest, MultiplyABtIsTheProductWithTheTranspose) {
  for (const Shape& shape : kShapes) {
    const Matrix<TypeParam> A = this->Random(shape.m, shape.k);
    const Matrix<TypeParam> B = this->Random(shape.n, shape.k);
    Matrix<TypeParam> C = this->Unset(shape);
    MultiplyABt<TypeParam>(View(A), View(B), MutableView(C));
    this->ExpectProduct(A, B.transpose(), C);
  }
}

TYPED_TEST(ProductTest, MultiplyAtBIsTheProductOfTheTranspose) {
  for (const Shape& shape : kShapes) {
    const Matrix<TypeParam> A = this->Random(shape.k, shape.m);
    const Matrix<TypeParam> B = this->Random(shape.k, shape.n);
    Matrix<TypeParam> C = this->Unset(shape);
    MultiplyAtB<TypeParam>(View(A), View(B), MutableView(C));
    this->ExpectProduct(A.transpose(), B, C);
  }
}

TYPED_TEST(ProductTest, EmptySumsAreZero) {
  const Matrix<TypeParam> A(4, 0);
  const Matrix<TypeParam> B(0, 3);
  Matrix<TypeParam> C = this->Unset({4, 3, 0});
  MultiplyAB<TypeParam>(View(A), View(B), MutableView(C));
  EXPECT_EQ(C, (Matrix<TypeParam>::Zero(4, 3)));
}

TYPED_TEST(ProductTest, NanInAFactorReachesTheProduct) {
  for (const Shape& shape : {Shape{3, 4, 5}, Shape{65, 67, 71}}) {
    Matrix<TypeParam> A = this->Random(shape.m, shape.k);
    const Matrix<TypeParam> B = Matrix<TypeParam>::Zero(shape.k, shape.n);
    A(1, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
    Matrix<TypeParam> C = this->Unset(shape);
    MultiplyAB<TypeParam>(View(A), View(B), MutableView(C));
    for (Index r = 0; r < shape.m; ++r) {
      EXPECT_EQ(C.row(r).hasNaN(), r == 1) << r;
    }
    EXPECT_TRUE(C.row(1).array().isNaN().all());
  }
}

TYPED_TEST(ProductTest, NumberOfThreadsChangesNoMoreThanRounding) {
  const Matrix<TypeParam> A = this->Random(90, 110);
  const Matrix<TypeParam> B = this->Random(110, 130);
  for (const int threads : {2, 1}) {
    SetThreads(threads);
    Matrix<TypeParam> C = this->Unset({90, 130, 110});
    MultiplyAB<TypeParam>(View(A), View(B), MutableView(C));
    this->ExpectProduct(A, B, C);
  }
}

TEST(SetThreadsTest, RefusesFewerThanOne) {
  EXPECT_THROW(SetThreads(0), std::logic_error);
  EXPECT_THROW(SetThreads(-1), std::logic_error);
}

}  // namespace
}  // namespace sven::linalg::product_test
