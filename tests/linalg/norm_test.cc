// SPDX-License-Identifier: MIT
#include "sven/linalg/norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sven/base/random.h"
#include "sven/base/types.h"

namespace sven::linalg::norm_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

template <class T>
class NormTest : public ::testing::Test {};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NormTest, Types);

template <class T>
std::vector<T> RandomValues(Index count) {
  RandomStream random(1, RandomUse::kData);
  std::vector<T> values;
  for (Index i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(random.Normal()));
  }
  return values;
}

TYPED_TEST(NormTest, IsTheRootOfTheSumOfSquares) {
  for (Index count = 0; count < 70; ++count) {
    const std::vector<TypeParam> values = RandomValues<TypeParam>(count);
    long double sum = 0;
    for (const TypeParam x : values) {
      sum += static_cast<long double>(x) * static_cast<long double>(x);
    }
    const auto expected = static_cast<double>(std::sqrt(sum));
    EXPECT_NEAR(Norm<TypeParam>(values), expected,
                kEps * static_cast<double>(count + 2) * expected)
        << count;
  }
}

TYPED_TEST(NormTest, OfNothingAndOfZerosIsZero) {
  EXPECT_EQ(Norm<TypeParam>({}), 0);
  EXPECT_EQ(Norm<TypeParam>(std::vector<TypeParam>(9, 0)), 0);
}

TYPED_TEST(NormTest, OfOneEntryIsItsAbsoluteValue) {
  for (const double x : {-3.0, 0.5, 1024.0}) {
    const std::vector<TypeParam> values = {static_cast<TypeParam>(x)};
    EXPECT_EQ(Norm<TypeParam>(values), std::abs(x));
  }
}

TYPED_TEST(NormTest, IsNanIfAnyEntryIs) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const Index count : {1, 2, 9, 33}) {
    for (Index place = 0; place < count; ++place) {
      std::vector<TypeParam> values = RandomValues<TypeParam>(count);
      values[place] = Limits::quiet_NaN();
      EXPECT_TRUE(std::isnan(Norm<TypeParam>(values))) << place;
      values[(place + 1) % count] = Limits::infinity();
      if (count > 1) {
        EXPECT_TRUE(std::isnan(Norm<TypeParam>(values)));
      }
    }
  }
}

TYPED_TEST(NormTest, IsInfiniteIfAnEntryIs) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const Index count : {1, 2, 9, 33}) {
    for (Index place = 0; place < count; ++place) {
      for (const TypeParam bad : {Limits::infinity(), -Limits::infinity()}) {
        std::vector<TypeParam> values = RandomValues<TypeParam>(count);
        values[place] = bad;
        EXPECT_EQ(Norm<TypeParam>(values), Limits::infinity()) << place;
      }
    }
  }
}

TEST(FloatNormTest, NeitherOverflowsNorUnderflows) {
  for (const float x : {3e38f, 1e-38f, 1e-45f}) {
    const std::vector<float> values(16, x);
    const double expected = 4 * static_cast<double>(x);
    EXPECT_NEAR(Norm<float>(values), expected, 20 * kEps * expected) << x;
  }
}

}  // namespace
}  // namespace sven::linalg::norm_test
