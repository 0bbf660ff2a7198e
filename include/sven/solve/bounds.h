// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_BOUNDS_H_
#define SVEN_SOLVE_BOUNDS_H_

#include <vector>

namespace sven::solve {

// lower_i <= theta_i <= upper_i; empty: no bounds. Infinities are allowed. Equal
// ones hold a parameter.
template <class T>
struct Bounds {
  std::vector<T> lower = {};
  std::vector<T> upper = {};
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_BOUNDS_H_
