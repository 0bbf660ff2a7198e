// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_DENOMINATOR_H_
#define SVEN_OPTIM_DENOMINATOR_H_

#include <algorithm>
#include <limits>

namespace sven::optim {

// A positive number in T. One that would round to zero there, such as 1e-50 in
// single precision, becomes the smallest normal number: what keeps a
// denominator from zero still does.
template <class T>
T PositiveIn(double value) {
  return std::max(static_cast<T>(value), std::numeric_limits<T>::min());
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_DENOMINATOR_H_
