// SPDX-License-Identifier: MIT
#include "sven/optim/polyak.h"

#include <algorithm>

namespace sven::optim {

template <class T>
Polyak<T>::Polyak(const PolyakOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<PolyakOptions>(chain);
}

template <class T>
double Polyak<T>::Transform(const GradientPoint<T>& point,
                            std::span<T> update) {
  const double square = point.gradient_norm * point.gradient_norm;
  const double polyak =
      (point.loss - options_.f_star) / (square + options_.eps);
  const double rate =
      point.rate_factor * std::clamp(polyak, 0.0, options_.max_learning_rate);
  const auto scale = static_cast<T>(-rate);
  for (T& value : update) value *= scale;
  return rate;
}

template class Polyak<float>;
template class Polyak<double>;

}  // namespace sven::optim
