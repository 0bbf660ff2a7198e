// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_ADAM_DIRECTION_H_
#define SVEN_OPTIM_ADAM_DIRECTION_H_

#include <cmath>
#include <cstdint>
#include <span>

#include "denominator.h"

namespace sven::optim {

struct AdamRates {
  double beta1;
  double beta2;
  double eps;
};

// One step of Adam's moments m and v, the t-th (t from 1), in the place of the
// gradient g its direction, learning rate and sign left out:
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   g <- (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
template <class T>
void AdamDirection(const AdamRates& rates, std::int64_t t, std::span<T> m,
                   std::span<T> v, std::span<T> g) {
  const auto steps = static_cast<double>(t);
  const auto correct1 = static_cast<T>(1 - std::pow(rates.beta1, steps));
  const auto correct2 =
      static_cast<T>(std::sqrt(1 - std::pow(rates.beta2, steps)));
  const auto beta1 = static_cast<T>(rates.beta1);
  const auto beta2 = static_cast<T>(rates.beta2);
  const auto taken1 = static_cast<T>(1 - rates.beta1);
  const auto taken2 = static_cast<T>(1 - rates.beta2);
  const auto eps = PositiveIn<T>(rates.eps);
#pragma omp simd
  for (std::size_t i = 0; i < g.size(); ++i) {
    m[i] = beta1 * m[i] + taken1 * g[i];
    v[i] = beta2 * v[i] + taken2 * g[i] * g[i];
    g[i] = m[i] / correct1 / (std::sqrt(v[i]) / correct2 + eps);
  }
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_ADAM_DIRECTION_H_
