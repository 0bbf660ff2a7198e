// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_SCALING_H_
#define SVEN_LINALG_SCALING_H_

#include <algorithm>
#include <cmath>

namespace sven::linalg {

// A power of two near `largest`, for scaling a matrix to entries of order one
// and back: no overflow or underflow in squares, and no rounding.
struct PowerOfTwo {
  double value;
  double inverse;
};

inline PowerOfTwo NearestPowerOfTwo(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  exponent = std::clamp(exponent, -1021, 1021);
  return {.value = std::ldexp(1.0, exponent),
          .inverse = std::ldexp(1.0, -exponent)};
}

}  // namespace sven::linalg

#endif  // SVEN_LINALG_SCALING_H_
