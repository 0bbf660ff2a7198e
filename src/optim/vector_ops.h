// SPDX-License-Identifier: MIT
//
// Sums over vectors, taken in double whatever T is.
#ifndef SVEN_OPTIM_VECTOR_OPS_H_
#define SVEN_OPTIM_VECTOR_OPS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace sven::optim {

template <class T>
double Dot(std::span<const T> x, std::span<const T> y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
  return sum;
}

// |x|_1
template <class T>
double SumOfSizes(std::span<const T> x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(std::abs(x[i]));
  }
  return sum;
}

// max |x_i|
template <class T>
double LargestSize(std::span<const T> x) {
  T largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i]));
  }
  return static_cast<double>(largest);
}

// result = base + factor x; `result` may be `base`.
template <class T>
void AddScaled(std::span<const T> base, double factor, std::span<const T> x,
               std::span<T> result) {
  const auto scale = static_cast<T>(factor);
#pragma omp simd
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = base[i] + scale * x[i];
  }
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_VECTOR_OPS_H_
