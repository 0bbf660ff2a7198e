// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_NORM_H_
#define SVEN_LINALG_NORM_H_

#include <span>

namespace sven::linalg {

// Euclidean norm, summed in double; NaN or infinite if an entry is.
template <class T>
double Norm(std::span<const T> values);

}  // namespace sven::linalg

#endif  // SVEN_LINALG_NORM_H_
