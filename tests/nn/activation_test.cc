// SPDX-License-Identifier: MIT
#include "sven/nn/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace sven::nn::activation_test {
namespace {

// Value and slope in long double, by the defining formulas.
struct Exact {
  long double value;
  long double slope;
};

Exact ExactAt(Activation activation, long double x) {
  const long double pi = std::numbers::pi_v<long double>;
  const long double p = 1 / (1 + std::exp(-x));
  switch (activation) {
    case Activation::kGelu: {
      const long double phi =
          std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
      return {x * phi, phi + x * std::exp(-x * x / 2) / std::sqrt(2 * pi)};
    }
    case Activation::kGeluTanh: {
      const long double k = std::sqrt(2 / pi);
      const long double c = 0.044715L;
      const long double t = std::tanh(k * (x + c * x * x * x));
      return {x * (1 + t) / 2,
              (1 + t) / 2 + x * (1 - t * t) * k * (1 + 3 * c * x * x) / 2};
    }
    case Activation::kRelu:
      return {x > 0 ? x : 0, x > 0 ? 1.0L : 0.0L};
    case Activation::kTanh:
      return {std::tanh(x), 1 - std::tanh(x) * std::tanh(x)};
    case Activation::kSilu:
      return {x * p, p * (1 + x * (1 - p))};
    case Activation::kSigmoid:
      return {p, p * (1 - p)};
    case Activation::kSoftplus:
      return {std::log1p(std::exp(-std::abs(x))) + (x > 0 ? x : 0), p};
    case Activation::kIdentity:
      return {x, 1};
  }
  return {0, 0};
}

constexpr Activation kAll[] = {Activation::kGelu,     Activation::kGeluTanh,
                               Activation::kRelu,     Activation::kTanh,
                               Activation::kSilu,     Activation::kSigmoid,
                               Activation::kSoftplus, Activation::kIdentity};

template <class T>
class ActivationTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ActivationTest, Types);

TYPED_TEST(ActivationTest, ValueAndSlopeAreExactToAFewRoundings) {
  using T = TypeParam;
  std::vector<T> z;
  for (int i = -4000; i <= 4000; ++i) z.push_back(T(i) / T(333));
  std::vector<T> value(z.size());
  std::vector<T> slope(z.size());
  const double eps = std::numeric_limits<T>::epsilon();
  for (const Activation activation : kAll) {
    Activate<T>(activation, std::ssize(z), z.data(), value.data(),
                slope.data());
    for (std::size_t i = 0; i < z.size(); ++i) {
      const Exact exact = ExactAt(activation, z[i]);
      const double size = 1 + std::abs(double(z[i]));
      EXPECT_NEAR(value[i], double(exact.value), 4 * eps * size)
          << Name(activation) << " at " << z[i];
      EXPECT_NEAR(slope[i], double(exact.slope), 4 * eps * size)
          << Name(activation) << " at " << z[i];
    }
  }
}

TYPED_TEST(ActivationTest, LargeArgumentsReachTheLimitsWithoutNan) {
  using T = TypeParam;
  for (const T x : {T(1e3), T(1e10), T(1e18), T(1e30)}) {
    for (const Activation activation : kAll) {
      for (const T z : {x, -x}) {
        T value;
        T slope;
        Activate<T>(activation, 1, &z, &value, &slope);
        EXPECT_TRUE(std::isfinite(value) && std::isfinite(slope))
            << Name(activation) << " at " << z;
        const Exact exact = ExactAt(activation, z > 0 ? 1e3L : -1e3L);
        EXPECT_NEAR(slope, double(exact.slope), 1e-6) << Name(activation);
      }
    }
  }
}

TYPED_TEST(ActivationTest, ResultsDoNotDependOnThePositionInTheArray) {
  using T = TypeParam;
  const T x = T(0.7);
  for (const Activation activation : kAll) {
    for (Index count = 1; count <= 20; ++count) {
      std::vector<T> z(count, x);
      std::vector<T> value(count);
      std::vector<T> slope(count);
      Activate<T>(activation, count, z.data(), value.data(), slope.data());
      for (Index i = 1; i < count; ++i) {
        EXPECT_EQ(value[i], value[0]);
        EXPECT_EQ(slope[i], slope[0]);
      }
    }
  }
}

TYPED_TEST(ActivationTest, WorksInPlaceAndWithoutSlopes) {
  using T = TypeParam;
  for (const Activation activation : kAll) {
    std::vector<T> z = {T(-1), T(0), T(2), T(3), T(-5)};
    std::vector<T> value(z.size());
    Activate<T>(activation, std::ssize(z), z.data(), value.data(), nullptr);
    Activate<T>(activation, std::ssize(z), z.data(), z.data(), nullptr);
    EXPECT_EQ(z, value);
  }
}

TYPED_TEST(ActivationTest, NanStaysNan) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const Activation activation : kAll) {
    T value;
    Activate<T>(activation, 1, &nan, &value, nullptr);
    EXPECT_TRUE(std::isnan(value)) << Name(activation);
  }
}

TEST(ActivationNames, GoBothWays) {
  for (const Activation activation : kAll) {
    EXPECT_EQ(FromName<Activation>(Name(activation)), activation);
  }
  EXPECT_FALSE(FromName<Activation>("gleu").has_value());
}

}  // namespace
}  // namespace sven::nn::activation_test
