// SPDX-License-Identifier: MIT
#include "sven/optim/lion.h"

namespace sven::optim {

template <class T>
void LionState<T>::Visit(StateArchive& archive) {
  archive.Array("mean", mean);
}

template <class T>
Lion<T>::Lion(const LionOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<LionOptions>(chain);
}

template <class T>
void Lion<T>::PrepareState(const nn::Mlp<T>& net) {
  state_.mean.assign(static_cast<std::size_t>(net.NumParameters()), T{0});
}

template <class T>
double Lion<T>::Transform(const GradientPoint<T>& point, std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const auto lr = static_cast<T>(rate);
  const auto decay = static_cast<T>(rate * options_.weight_decay);
  const auto beta1 = static_cast<T>(options_.beta1);
  const auto beta2 = static_cast<T>(options_.beta2);
  const auto rest1 = static_cast<T>(1 - options_.beta1);
  const auto rest2 = static_cast<T>(1 - options_.beta2);
  const T* p = point.parameters.data();
  T* m = state_.mean.data();
  T* u = update.data();
#pragma omp simd
  for (std::size_t i = 0; i < update.size(); ++i) {
    const T g = u[i];
    const T mixed = beta1 * m[i] + rest1 * g;
    m[i] = beta2 * m[i] + rest2 * g;
    const T down = mixed > 0 ? -lr : T{0};
    const T sign = mixed < 0 ? lr : down;
    u[i] = sign - decay * p[i];
  }
  return rate;
}

template struct LionState<float>;
template struct LionState<double>;
template class Lion<float>;
template class Lion<double>;

}  // namespace sven::optim
