// SPDX-License-Identifier: MIT
#include "sven/linalg/norm.h"

#include <cmath>

#include "sven/linalg/types.h"

namespace sven::linalg {

template <class T>
double Norm(std::span<const T> values) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(values[i]);
    sum += x * x;
  }
  // Squares out of range: once more with the numbers scaled.
  constexpr double kSmall = 1e-280;
  constexpr double kLarge = 1e300;
  if (sum > kLarge || (sum < kSmall && sum >= 0)) {
    return ConstVectorView<T>(values.data(), std::ssize(values))
        .template cast<double>()
        .stableNorm();
  }
  return std::sqrt(sum);
}

template double Norm(std::span<const float> values);
template double Norm(std::span<const double> values);

}  // namespace sven::linalg
