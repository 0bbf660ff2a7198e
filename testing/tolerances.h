// SPDX-License-Identifier: MIT
//
// Tolerances of the tests, in one place: a constant times the rounding unit,
// times the condition number where one enters.
#ifndef SVEN_TESTING_TOLERANCES_H_
#define SVEN_TESTING_TOLERANCES_H_

#include <limits>

namespace sven::testing {

// A handful of roundings.
template <class T>
double Rounding(double condition = 1.0) {
  return 100 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
         condition;
}

}  // namespace sven::testing

#endif  // SVEN_TESTING_TOLERANCES_H_
