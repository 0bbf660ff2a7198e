// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_BOUNDS_H_
#define SVEN_SOLVE_BOUNDS_H_

#include <span>
#include <vector>

#include "sven/base/types.h"

namespace sven::solve {

// lower_i <= theta_i <= upper_i; empty: no bounds. Infinities are allowed. Equal
// ones hold a parameter.
template <class T>
struct Bounds {
  std::vector<T> lower = {};
  std::vector<T> upper = {};

  // Throws a UsageError unless there is one for each parameter, or none, and
  // lower <= upper.
  void Validate(Index parameters) const;

  // Throws a UsageError that names the first entry of theta that is outside, or
  // not finite. The bounds must be valid.
  void CheckInside(std::span<const T> theta) const;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_BOUNDS_H_
