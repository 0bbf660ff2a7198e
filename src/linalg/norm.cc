// SPDX-License-Identifier: MIT
#include "sven/linalg/norm.h"

#include <cmath>

namespace sven::linalg {

template <class T>
double Norm(std::span<const T> values) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(values[i]);
    sum += x * x;
  }
  return std::sqrt(sum);
}

template double Norm(std::span<const float> values);
template double Norm(std::span<const double> values);

}  // namespace sven::linalg
