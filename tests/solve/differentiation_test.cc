// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sven/solve/dual.h"
#include "sven/solve/tape.h"
#include "testing/tolerances.h"

namespace sven::solve::differentiation_test {
namespace {

using testing::Rounding;

// Every operation of the numbers, as f(x, y), once with each kind of argument.
template <class S>
struct Operation {
  std::string name;
  std::function<S(S, S)> f;
};

template <class S>
std::vector<Operation<S>> Operations() {
  using std::abs, std::fabs, std::sqrt, std::cbrt, std::exp, std::expm1;
  using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh;
  using std::acosh, std::asinh, std::atanh, std::erfc, std::exp2, std::log2;
  using std::ceil, std::floor, std::round, std::trunc;
  using std::erf, std::hypot, std::log, std::log10, std::log1p, std::pow;
  using std::fmax, std::fmin, std::fma, std::fmod, std::copysign;
  using std::max, std::min, std::sin, std::sinh, std::tan, std::tanh;
  return {
      {"x + y", [](S x, S y) { return x + y; }},
      {"x - y", [](S x, S y) { return x - y; }},
      {"x * y", [](S x, S y) { return x * y; }},
      {"x / y", [](S x, S y) { return x / y; }},
      {"x + 2", [](S x, S) { return x + 2; }},
      {"2 - x", [](S x, S) { return 2 - x; }},
      {"x - 0.5", [](S x, S) { return x - 0.5; }},
      {"2 * x", [](S x, S) { return 2 * x; }},
      {"x / 3.0", [](S x, S) { return x / 3.0; }},
      {"3 / x", [](S x, S) { return 3 / x; }},
      {"-x", [](S x, S) { return -x; }},
      {"compound",
       [](S x, S y) {
         S z = +x;
         z += y;
         z *= x;
         z -= 1;
         z /= y;
         return z;
       }},
      {"sqrt", [](S x, S) { return sqrt(x); }},
      {"cbrt", [](S x, S) { return cbrt(x); }},
      {"exp", [](S x, S) { return exp(x); }},
      {"expm1", [](S x, S) { return expm1(x); }},
      {"log", [](S x, S) { return log(x); }},
      {"log1p", [](S x, S) { return log1p(x); }},
      {"log10", [](S x, S) { return log10(x); }},
      {"exp2", [](S x, S) { return exp2(x); }},
      {"log2", [](S x, S) { return log2(x); }},
      {"asinh", [](S x, S) { return asinh(x); }},
      {"acosh", [](S x, S) { return acosh(x + 1); }},
      {"atanh", [](S x, S) { return atanh(x); }},
      {"erfc", [](S x, S) { return erfc(x); }},
      {"sin", [](S x, S) { return sin(x); }},
      {"cos", [](S x, S) { return cos(x); }},
      {"tan", [](S x, S) { return tan(x); }},
      {"asin", [](S x, S) { return asin(x); }},
      {"acos", [](S x, S) { return acos(x); }},
      {"atan", [](S x, S) { return atan(x); }},
      {"sinh", [](S x, S) { return sinh(x); }},
      {"cosh", [](S x, S) { return cosh(x); }},
      {"tanh", [](S x, S) { return tanh(x); }},
      {"erf", [](S x, S) { return erf(x); }},
      {"abs", [](S x, S) { return abs(-x); }},
      {"fabs", [](S x, S) { return fabs(x); }},
      {"atan2", [](S x, S y) { return atan2(x, y); }},
      {"hypot", [](S x, S y) { return hypot(x, y); }},
      {"pow(x, y)", [](S x, S y) { return pow(x, y); }},
      {"pow(x, 3)", [](S x, S) { return pow(x, 3); }},
      {"pow(x, 0.5)", [](S x, S) { return pow(x, 0.5); }},
      {"pow(2.0, x)", [](S x, S) { return pow(2.0, x); }},
      {"max", [](S x, S y) { return max(x, y * 3) + max(x * 3, y); }},
      {"min", [](S x, S y) { return min(x, y * 3) + min(x * 3, y); }},
      {"std::max", [](S x, S y) { return std::max(x, y) * std::min(x, y); }},
      {"max of a number", [](S x, S) { return max(x, S(0.1)) + max(2.0, x); }},
      {"fmax", [](S x, S y) { return fmax(x, y * 3) + fmax(x * 3, y); }},
      {"fmin", [](S x, S y) { return fmin(x, y * 3) + fmin(x * 3, y); }},
      {"fmax of a number", [](S x, S) { return fmax(x, 0.1) * fmin(2.0, x); }},
      {"hypot(x, 2.0)", [](S x, S y) { return hypot(x, 2.0) + hypot(1, y); }},
      {"hypot of 3", [](S x, S y) { return hypot(x, y, x * y); }},
      {"hypot(x, y, 2.0)", [](S x, S y) { return hypot(x, y, 2.0); }},
      {"hypot(1, x, 2.0)", [](S x, S) { return hypot(1, x, 2.0); }},
      {"atan2(x, 2.0)", [](S x, S y) { return atan2(x, 2.0) + atan2(1, y); }},
      {"copysign",
       [](S x, S y) { return copysign(x, -y) * copysign(-y, x) + y; }},
      {"copysign(x, -1.0)", [](S x, S) { return copysign(x, -1.0); }},
      {"copysign(2.0, x)", [](S x, S y) { return copysign(2.0, x) * y; }},
      {"fma", [](S x, S y) { return fma(x, y, x * x); }},
      {"fma of numbers",
       [](S x, S y) { return fma(x, 2.0, y) + fma(3, y, 1.0) + fma(1, 2, x); }},
      {"fmod", [](S x, S y) { return fmod(x * 5, y) + fmod(-2 * y, x); }},
      {"fmod of a number", [](S x, S) { return fmod(x, 0.1) + fmod(2.0, x); }},
      {"integers",
       [](S x, S y) {
         return x * floor(4 * y) + y * ceil(4 * x) + round(4 * x) +
                trunc(-4 * y);
       }},
      {"choice", [](S x, S y) { return x < y ? x * y : x; }},
  };
}

struct Slopes {
  double value;
  double dx;
  double dy;
};

Slopes ByDuals(
    const std::function<Dual<double, 2>(Dual<double, 2>, Dual<double, 2>)>& f,
    double x, double y) {
  Dual<double, 2> u = x;
  Dual<double, 2> v = y;
  u.SetDerivative(0, 1);
  v.SetDerivative(1, 1);
  const Dual<double, 2> result = f(u, v);
  return {result.Value(), result.Derivatives()[0], result.Derivatives()[1]};
}

Slopes ByTape(
    const std::function<Tracked<double>(Tracked<double>, Tracked<double>)>& f,
    double x, double y) {
  Tape<double> tape;
  const std::vector<double> theta = {x, y};
  tape.Start(theta);
  Tracked<double> result;
  {
    const Recording<double> recording(tape);
    result = f(tape.Variables()[0], tape.Variables()[1]);
  }
  tape.Clear();
  tape.Seed(result, 1);
  tape.Sweep();
  return {result.Value(), tape.Gradient()[0], tape.Gradient()[1]};
}

// Central differences, extrapolated: about 1e-11.
double Difference(const std::function<double(double)>& f, double x) {
  const auto central = [&](double h) {
    return (f(x + h) - f(x - h)) / (2 * h);
  };
  const double h = 1e-3;
  return (4 * central(h / 2) - central(h)) / 3;
}

TEST(Differentiation, BothModesAgreeWithDifferencesOnEveryOperation) {
  const auto plain = Operations<double>();
  const auto duals = Operations<Dual<double, 2>>();
  const auto tracked = Operations<Tracked<double>>();
  const double x = 0.37;
  const double y = 0.82;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    SCOPED_TRACE(plain[i].name);
    const auto& f = plain[i].f;
    const double dx = Difference([&](double t) { return f(t, y); }, x);
    const double dy = Difference([&](double t) { return f(x, t); }, y);
    for (const Slopes& slopes :
         {ByDuals(duals[i].f, x, y), ByTape(tracked[i].f, x, y)}) {
      EXPECT_NEAR(slopes.value, f(x, y), Rounding<double>());
      EXPECT_NEAR(slopes.dx, dx, 1e-9);
      EXPECT_NEAR(slopes.dy, dy, 1e-9);
    }
  }
}

TEST(Differentiation, TheModesAgreeToRoundingOnALongChain) {
  const auto f = [](auto x, auto y) {
    using std::sin;
    for (int i = 0; i < 50; ++i) {
      x = sin(x * y) + 1.5 * x / (2 + y * y);
      y = y - 0.1 * x;
    }
    return x + y;
  };
  const Slopes forward = ByDuals(f, 0.3, 0.7);
  const Slopes reverse = ByTape(f, 0.3, 0.7);
  EXPECT_EQ(forward.value, reverse.value);
  EXPECT_NEAR(forward.dx, reverse.dx,
              Rounding<double>() * (1 + std::abs(forward.dx)));
  EXPECT_NEAR(forward.dy, reverse.dy,
              Rounding<double>() * (1 + std::abs(forward.dy)));
}

TEST(Differentiation, QuestionsLookAtTheValue) {
  const Dual<double, 1> small = 1;
  const Dual<double, 1> large = 2;
  EXPECT_LT(small, large);
  EXPECT_GE(large, 2);
  EXPECT_NE(small, large);
  EXPECT_TRUE(isnan(Dual<double, 1>(std::nan(""))));
  EXPECT_FALSE(isfinite(Tracked<double>(std::nan(""))));
  EXPECT_TRUE(isinf(1 / Dual<double, 1>(0)));
  EXPECT_FALSE(isinf(Tracked<double>(1)));
  EXPECT_TRUE(signbit(Tracked<double>(-0.0)));
  EXPECT_FALSE(signbit(Dual<double, 1>(2)));
}

TEST(Differentiation, FmaxAndFminPassOverANan) {
  const Dual<double, 1> nan = std::nan("");
  EXPECT_EQ(fmax(nan, 1), 1);
  EXPECT_EQ(fmax(1, nan), 1);
  EXPECT_EQ(fmin(nan, 1), 1);
  EXPECT_EQ(fmin(1, nan), 1);
}

TEST(Differentiation, AConstantWithAnInfiniteSlopeDependsOnNothing) {
  const auto f = [](auto x, auto y) {
    using std::sqrt;
    return x + y * sqrt(decltype(x)(0));
  };
  for (const Slopes& slopes : {ByDuals(f, 2, 3), ByTape(f, 2, 3)}) {
    EXPECT_EQ(slopes.value, 2);
    EXPECT_EQ(slopes.dx, 1);
    EXPECT_EQ(slopes.dy, 0);
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where a partial derivative, or a square on the way to it, is zero, infinite
// or not a number while the function is finite.
template <class S>
struct Limit {
  std::string name;
  std::function<S(S, S)> f;
  double x;
  double y;
  double dx;
  double dy;
};

template <class S>
std::vector<Limit<S>> Limits() {
  using std::acosh, std::asin, std::asinh, std::atanh;
  using std::atan2, std::exp, std::hypot, std::pow, std::sqrt;
  const auto length = [](S x, S y) { return hypot(x, y); };
  const auto angle = [](S x, S y) { return atan2(x, y); };
  return {
      {"overflow in 1 / (1 + exp(-x))",
       [](S x, S) { return 1 / (1 + exp(-x)); }, -800, 0, 0, 0},
      {"overflow in x / (1 + exp(y))",
       [](S x, S y) { return x / (1 + exp(y)); }, 1, 800, 0, 0},
      {"underflow in exp(-x^2)", [](S x, S) { return exp(-x * x); }, 1e200, 0,
       0, 0},
      {"sqrt(x^2 + y^2)", [](S x, S y) { return sqrt(x * x + y * y); }, 0, 0, 0,
       0},
      {"sqrt(x y)", [](S x, S y) { return sqrt(x * y); }, 0, 2, kInfinity, 0},
      {"x sqrt(x)", [](S x, S) { return x * sqrt(x); }, 0, 0, 0, 0},
      {"pow(x, 2 + 0 y)", [](S x, S y) { return pow(x, 2 + 0 * y); }, -1.5, 1,
       -3, 0},
      {"atan2", angle, 1e160, 1e160, 0.5e-160, -0.5e-160},
      {"atan2", angle, 1e-170, 1e-170, 0.5e170, -0.5e170},
      {"hypot", length, 3e200, 4e200, 0.6, 0.8},
      {"hypot", length, 3e-200, 4e-200, 0.6, 0.8},
      {"hypot", length, 0, 0, 0, 0},
      {"hypot of 3", [](S x, S y) { return hypot(x, y, x); }, 0, 0, 0, 0},
      {"hypot of 3", [](S x, S y) { return hypot(x, y, S(4e200)); }, 0, 3e200,
       0, 0.6},
      {"asinh", [](S x, S) { return asinh(x); }, 1e200, 0, 1e-200, 0},
      {"acosh", [](S x, S) { return acosh(x); }, 1e200, 0, 1e-200, 0},
      // 1 - x^2 = 2^-39 (1 - 2^-41), which x * x has no digits for.
      {"asin", [](S x, S) { return asin(x); }, 1 - 0x1p-40, 0,
       1 / std::sqrt(0x1p-39 * (1 - 0x1p-41)), 0},
      {"atanh", [](S x, S) { return atanh(x); }, 1 - 0x1p-40, 0,
       0x1p39 / (1 - 0x1p-41), 0},
  };
}

TEST(Differentiation, BothModesHaveTheDerivativesAtLimits) {
  const auto duals = Limits<Dual<double, 2>>();
  const auto tracked = Limits<Tracked<double>>();
  const auto expect = [](double slope, double expected) {
    if (std::isinf(expected)) {
      EXPECT_EQ(slope, expected);
    } else {
      EXPECT_NEAR(slope, expected, Rounding<double>() * std::abs(expected));
    }
  };
  for (std::size_t i = 0; i < duals.size(); ++i) {
    const auto& [name, f, x, y, dx, dy] = duals[i];
    SCOPED_TRACE(name);
    for (const Slopes& slopes :
         {ByDuals(f, x, y), ByTape(tracked[i].f, x, y)}) {
      EXPECT_TRUE(std::isfinite(slopes.value));
      expect(slopes.dx, dx);
      expect(slopes.dy, dy);
    }
  }
}

TEST(Differentiation, AConstantResultHasNoSlope) {
  const Slopes slopes =
      ByTape([](auto, auto) { return Tracked<double>(3); }, 1, 2);
  EXPECT_EQ(slopes.value, 3);
  EXPECT_EQ(slopes.dx, 0);
}

TEST(Differentiation, ThePowersOfZeroHaveTheirSlopes) {
  EXPECT_EQ(ByDuals([](auto x, auto) { return pow(x, 2); }, 0, 1).dx, 0);
  EXPECT_EQ(ByDuals([](auto x, auto) { return pow(x, 1); }, 0, 1).dx, 1);
  EXPECT_EQ(ByDuals([](auto x, auto) { return pow(x, 0); }, 0, 1).dx, 0);
}

TEST(Differentiation, ATapeIsReleasedWhenTheFunctionThrows) {
  Tape<double> tape;
  const std::vector<double> theta = {1};
  tape.Start(theta);
  try {
    const Recording<double> recording(tape);
    throw 1;
  } catch (int) {
  }
  EXPECT_THROW(tape.Variables()[0] * 2, std::logic_error);
}

}  // namespace
}  // namespace sven::solve::differentiation_test
