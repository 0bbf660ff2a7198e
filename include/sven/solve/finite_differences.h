// SPDX-License-Identifier: MIT
//
// Derivatives that were given, and finite differences.
#ifndef SVEN_SOLVE_FINITE_DIFFERENCES_H_
#define SVEN_SOLVE_FINITE_DIFFERENCES_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

namespace sven::solve::internal {

// The relative difference from which on a derivative counts as wrong, unless told.
template <class T>
constexpr double kWrongFrom = std::is_same_v<T, float> ? 1e-2 : 1e-5;

// One of the numbers that residuals depend on.
template <class T>
struct Variable {
  T value = 0;
  double scale = 1;  // the first step is in proportion to it
  T lower = -std::numeric_limits<T>::infinity();
  T upper = std::numeric_limits<T>::infinity();
  // The residuals where the number is x.
  std::function<void(T x, std::span<T> out)> residuals = {};
};

// A residual's derivative in it.
struct Derivative {
  double given = 0;
  double residual = 0;
  double rounding = 0;  // of the residual, beyond that of its value
  double difference = std::numeric_limits<double>::quiet_NaN();
  double uncertainty = std::numeric_limits<double>::infinity();
  bool wrong = false;
  bool settled = false;  // smaller steps would not change that
};

// Fills all but the first three of each; one per residual. Where differences are
// not finite, nothing is wrong. The tolerance is relative.
template <class T>
void CompareWithDifferences(const Variable<T>& variable, double tolerance,
                            std::span<Derivative> derivatives);

inline double Larger(double a, double b) {
  return std::max(std::abs(a), std::abs(b));
}

}  // namespace sven::solve::internal

#endif  // SVEN_SOLVE_FINITE_DIFFERENCES_H_
