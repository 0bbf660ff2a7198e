// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_DUAL_H_
#define SVEN_SOLVE_DUAL_H_

#include <Eigen/Core>
#include <cmath>
#include <type_traits>

#include "sven/solve/differentiable.h"

namespace sven::solve {

// Forward mode: a number and its derivatives in kCount directions at once. A
// function evaluated in duals whose slopes start as unit vectors gives kCount
// columns of its Jacobian, for about as many times the cost of the function.
template <class T, int kCount>
class Dual : public Differentiable<Dual<T, kCount>, T> {
 public:
  using Slopes = Eigen::Array<T, kCount, 1>;

  Dual() : Dual(T(0)) {}
  // A constant. Implicit, so that `T x = 1` means in a template what it says.
  template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Dual(A value) : value_(static_cast<T>(value)), slopes_(Slopes::Zero()) {}
  Dual(T value, const Slopes& slopes) : value_(value), slopes_(slopes) {}

  [[nodiscard]] T Value() const { return value_; }
  [[nodiscard]] const Slopes& Derivatives() const { return slopes_; }
  void SetDerivative(int direction, T slope) { slopes_[direction] = slope; }

  static Dual Chain(T f, T df, const Dual& x) {
    return {f, Times(df, x.slopes_)};
  }
  static Dual Chain(T f, T da, const Dual& a, T db, const Dual& b) {
    return {f, Times(da, a.slopes_) + Times(db, b.slopes_)};
  }

 private:
  // 0 * infinity = 0: see differentiable.h.
  static Slopes Times(T df, const Slopes& slopes) {
    if (df == 0) return Slopes::Zero();
    if (std::isfinite(df)) return df * slopes;
    return (slopes == T(0)).select(T(0), df * slopes);
  }

  T value_;
  Slopes slopes_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_DUAL_H_
