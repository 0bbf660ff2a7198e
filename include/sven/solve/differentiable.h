// SPDX-License-Identifier: MIT
//
// The arithmetic that the numbers of automatic differentiation share. A number D
// (Dual, Tracked) knows its value and how to carry derivatives through a function
// of one or two arguments:
//
//     D::Chain(f, df, x)             f(x) with f' = df
//     D::Chain(f, da, a, db, b)      f(a, b) with partial derivatives da, db
//
// and gets from here the operators, comparisons and these functions, whose
// arguments may be numbers, too, as long as one is a D:
//
//     sqrt cbrt hypot (of 2 or 3) pow
//     exp exp2 expm1 log log2 log10 log1p
//     sin cos tan asin acos atan atan2
//     sinh cosh tanh asinh acosh atanh
//     erf erfc
//     abs fabs copysign min max fmin fmax fma fmod
//     floor ceil round trunc             derivatives are zero
//     isfinite isinf isnan signbit       of the value
//
// Code that is to be differentiated says
//
//     using std::exp;
//     residuals[0] = exp(-theta[0]) - T(2);
//
// so that exp is the standard one for numbers and the one from here for D.
//
// In the chain rule 0 * infinity = 0, whichever of the factors is zero: at 0
// x sqrt(x) and sqrt(x^2 + y^2) have the derivative 0, and so has
// 1 / (1 + exp(-x)) where exp overflows.
#ifndef SVEN_SOLVE_DIFFERENTIABLE_H_
#define SVEN_SOLVE_DIFFERENTIABLE_H_

#include <cmath>
#include <compare>
#include <numbers>

namespace sven::solve {

// NOLINTBEGIN(readability-identifier-naming): these are the names of <cmath>.
template <class D, class T>
class Differentiable {
 public:
  friend D operator+(const D& a) { return a; }
  friend D operator-(const D& a) { return D::Chain(-a.Value(), T(-1), a); }

  friend D operator+(const D& a, const D& b) {
    return D::Chain(a.Value() + b.Value(), T(1), a, T(1), b);
  }
  friend D operator+(const D& a, T b) {
    return D::Chain(a.Value() + b, T(1), a);
  }
  friend D operator+(T a, const D& b) { return b + a; }

  friend D operator-(const D& a, const D& b) {
    return D::Chain(a.Value() - b.Value(), T(1), a, T(-1), b);
  }
  friend D operator-(const D& a, T b) {
    return D::Chain(a.Value() - b, T(1), a);
  }
  friend D operator-(T a, const D& b) {
    return D::Chain(a - b.Value(), T(-1), b);
  }

  friend D operator*(const D& a, const D& b) {
    return D::Chain(a.Value() * b.Value(), b.Value(), a, a.Value(), b);
  }
  friend D operator*(const D& a, T b) { return D::Chain(a.Value() * b, b, a); }
  friend D operator*(T a, const D& b) { return b * a; }

  friend D operator/(const D& a, const D& b) {
    const T quotient = a.Value() / b.Value();
    return D::Chain(quotient, 1 / b.Value(), a, -quotient / b.Value(), b);
  }
  friend D operator/(const D& a, T b) {
    return D::Chain(a.Value() / b, 1 / b, a);
  }
  friend D operator/(T a, const D& b) {
    const T quotient = a / b.Value();
    return D::Chain(quotient, -quotient / b.Value(), b);
  }

  template <class B>
  friend D& operator+=(D& a, const B& b) {
    return a = a + b;
  }
  template <class B>
  friend D& operator-=(D& a, const B& b) {
    return a = a - b;
  }
  template <class B>
  friend D& operator*=(D& a, const B& b) {
    return a = a * b;
  }
  template <class B>
  friend D& operator/=(D& a, const B& b) {
    return a = a / b;
  }

  // Comparisons look at the values.
  friend bool operator==(const D& a, const D& b) {
    return a.Value() == b.Value();
  }
  friend std::partial_ordering operator<=>(const D& a, const D& b) {
    return a.Value() <=> b.Value();
  }

  friend D sqrt(const D& x) {
    const T root = std::sqrt(x.Value());
    return D::Chain(root, T(0.5) / root, x);
  }
  friend D cbrt(const D& x) {
    const T root = std::cbrt(x.Value());
    return D::Chain(root, 1 / (3 * root * root), x);
  }
  friend D exp(const D& x) {
    const T value = std::exp(x.Value());
    return D::Chain(value, value, x);
  }
  friend D expm1(const D& x) {
    return D::Chain(std::expm1(x.Value()), std::exp(x.Value()), x);
  }
  friend D log(const D& x) {
    return D::Chain(std::log(x.Value()), 1 / x.Value(), x);
  }
  friend D exp2(const D& x) {
    const T value = std::exp2(x.Value());
    return D::Chain(value, value * std::numbers::ln2_v<T>, x);
  }
  friend D log2(const D& x) {
    return D::Chain(std::log2(x.Value()),
                    1 / (std::numbers::ln2_v<T> * x.Value()), x);
  }
  friend D log1p(const D& x) {
    return D::Chain(std::log1p(x.Value()), 1 / (1 + x.Value()), x);
  }
  friend D log10(const D& x) {
    return D::Chain(std::log10(x.Value()),
                    1 / (std::numbers::ln10_v<T> * x.Value()), x);
  }
  friend D sin(const D& x) {
    return D::Chain(std::sin(x.Value()), std::cos(x.Value()), x);
  }
  friend D cos(const D& x) {
    return D::Chain(std::cos(x.Value()), -std::sin(x.Value()), x);
  }
  friend D tan(const D& x) {
    const T value = std::tan(x.Value());
    return D::Chain(value, 1 + value * value, x);
  }
  friend D asin(const D& x) {
    return D::Chain(std::asin(x.Value()),
                    1 / std::sqrt(OneMinusSquare(x.Value())), x);
  }
  friend D acos(const D& x) {
    return D::Chain(std::acos(x.Value()),
                    -1 / std::sqrt(OneMinusSquare(x.Value())), x);
  }
  friend D atan(const D& x) {
    return D::Chain(std::atan(x.Value()), 1 / (1 + x.Value() * x.Value()), x);
  }
  friend D sinh(const D& x) {
    return D::Chain(std::sinh(x.Value()), std::cosh(x.Value()), x);
  }
  friend D cosh(const D& x) {
    return D::Chain(std::cosh(x.Value()), std::sinh(x.Value()), x);
  }
  friend D tanh(const D& x) {
    const T value = std::tanh(x.Value());
    return D::Chain(value, 1 - value * value, x);
  }
  friend D asinh(const D& x) {
    return D::Chain(std::asinh(x.Value()), 1 / std::hypot(x.Value(), T(1)), x);
  }
  friend D acosh(const D& x) {
    // Not sqrt(x^2 - 1), whose square overflows.
    const T root = std::sqrt(x.Value() - 1) * std::sqrt(x.Value() + 1);
    return D::Chain(std::acosh(x.Value()), 1 / root, x);
  }
  friend D atanh(const D& x) {
    return D::Chain(std::atanh(x.Value()), 1 / OneMinusSquare(x.Value()), x);
  }
  // erf' = 2 / sqrt(pi) exp(-x^2)
  friend D erf(const D& x) {
    return D::Chain(std::erf(x.Value()), ErfSlope(x.Value()), x);
  }
  friend D erfc(const D& x) {
    return D::Chain(std::erfc(x.Value()), -ErfSlope(x.Value()), x);
  }
  friend D abs(const D& x) { return x.Value() < 0 ? -x : x; }
  friend D fabs(const D& x) { return abs(x); }
  // |x| with the sign of y.
  friend D copysign(const D& x, const D& y) {
    return signbit(x) == signbit(y) ? x : -x;
  }

  friend D atan2(const D& y, const D& x) {
    // Divided by twice, since the square overflows.
    const T radius = std::hypot(x.Value(), y.Value());
    return D::Chain(std::atan2(y.Value(), x.Value()),
                    x.Value() / radius / radius, y,
                    -y.Value() / radius / radius, x);
  }
  friend D hypot(const D& a, const D& b) {
    const T value = std::hypot(a.Value(), b.Value());
    return D::Chain(value, Share(a, value), a, Share(b, value), b);
  }
  friend D hypot(const D& a, const D& b, const D& c) {
    const T value = std::hypot(a.Value(), b.Value(), c.Value());
    const D ab = hypot(a, b);
    return D::Chain(value, Share(ab, value), ab, Share(c, value), c);
  }
  friend D fma(const D& a, const D& b, const D& c) {
    const T value = std::fma(a.Value(), b.Value(), c.Value());
    return D::Chain(value, T(1), a * b, T(1), c);
  }
  // a - n b, with an integer n.
  friend D fmod(const D& a, const D& b) {
    const T value = std::fmod(a.Value(), b.Value());
    return D::Chain(value, T(1), a, (value - a.Value()) / b.Value(), b);
  }
  // The power's derivative in a base of zero is left as 0 where it is 0.
  friend D pow(const D& x, T power) {
    const T slope = power == 0 ? T(0) : power * std::pow(x.Value(), power - 1);
    return D::Chain(std::pow(x.Value(), power), slope, x);
  }
  friend D pow(T base, const D& x) {
    const T value = std::pow(base, x.Value());
    return D::Chain(value, base == 0 ? T(0) : value * std::log(base), x);
  }
  friend D pow(const D& a, const D& b) {
    const T value = std::pow(a.Value(), b.Value());
    const T slope =
        b.Value() == 0 ? T(0) : b.Value() * std::pow(a.Value(), b.Value() - 1);
    const T slope_in_power =
        a.Value() == 0 ? T(0) : value * std::log(a.Value());
    return D::Chain(value, slope, a, slope_in_power, b);
  }
  friend D max(const D& a, const D& b) { return a < b ? b : a; }
  friend D min(const D& a, const D& b) { return b < a ? b : a; }
  // These pass over a NaN.
  friend D fmax(const D& a, const D& b) { return isnan(a) ? b : max(a, b); }
  friend D fmin(const D& a, const D& b) { return isnan(a) ? b : min(a, b); }

  friend D floor(const D& x) { return std::floor(x.Value()); }
  friend D ceil(const D& x) { return std::ceil(x.Value()); }
  friend D round(const D& x) { return std::round(x.Value()); }
  friend D trunc(const D& x) { return std::trunc(x.Value()); }

  friend bool isfinite(const D& x) { return std::isfinite(x.Value()); }
  friend bool isinf(const D& x) { return std::isinf(x.Value()); }
  friend bool isnan(const D& x) { return std::isnan(x.Value()); }
  friend bool signbit(const D& x) { return std::signbit(x.Value()); }

 private:
  // The derivative of a length in one of its components; 0 at the origin, as
  // that of sqrt(x^2 + y^2) is.
  static T Share(const D& component, T length) {
    return length == 0 ? T(0) : component.Value() / length;
  }
  // Exact near 1.
  static T OneMinusSquare(T x) { return (1 - x) * (1 + x); }
  static T ErfSlope(T x) {
    return 2 * std::numbers::inv_sqrtpi_v<T> * std::exp(-x * x);
  }
};
// NOLINTEND(readability-identifier-naming)

}  // namespace sven::solve

#endif  // SVEN_SOLVE_DIFFERENTIABLE_H_
