// SPDX-License-Identifier: MIT
#include "sven/solve/bounds.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sven/base/error.h"

namespace sven::solve {

template <class T>
void Bounds<T>::Validate(Index parameters) const {
  for (const auto* side : {&lower, &upper}) {
    if (!side->empty() && std::ssize(*side) != parameters) {
      throw UsageError(
          fmt::format("Bounds: {} for {} parameters; must be one each or none",
                      side->size(), parameters));
    }
  }
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  for (Index i = 0; i < parameters; ++i) {
    const T low = lower.empty() ? -kInfinity : lower[i];
    const T high = upper.empty() ? kInfinity : upper[i];
    if (!(low <= high)) {
      throw UsageError(
          fmt::format("Bounds: {} to {} for parameter {}; must satisfy lower "
                      "<= upper",
                      low, high, i));
    }
  }
}

template <class T>
void Bounds<T>::CheckInside(std::span<const T> theta) const {
  const auto fail = [&](std::size_t i, std::string_view law) {
    throw UsageError(
        fmt::format("theta[{}] = {}: must be {}", i, theta[i], law));
  };
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (!std::isfinite(theta[i])) fail(i, "finite");
    if (!lower.empty() && theta[i] < lower[i]) {
      fail(i, fmt::format("at or above its bound {}", lower[i]));
    }
    if (!upper.empty() && theta[i] > upper[i]) {
      fail(i, fmt::format("at or below its bound {}", upper[i]));
    }
  }
}

template struct Bounds<float>;
template struct Bounds<double>;

}  // namespace sven::solve
