// SPDX-License-Identifier: MIT
#ifndef SVEN_BASE_TYPES_H_
#define SVEN_BASE_TYPES_H_

#include <cstddef>

namespace sven {

// Sizes and positions everywhere; signed, so that differences are safe.
using Index = std::ptrdiff_t;

}  // namespace sven

#endif  // SVEN_BASE_TYPES_H_
