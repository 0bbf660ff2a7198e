// SPDX-License-Identifier: MIT
#include "sven/optim/rmsprop.h"

#include <algorithm>
#include <cmath>

#include "denominator.h"

namespace sven::optim {
namespace {

// The numbers of one step, rounded to T once.
template <class T>
struct RmspropCoefficients {
  T keep, take;  // alpha, 1 - alpha
  T l2;
  T eps;
  T momentum;
  T scale;  // - lr
};

template <bool kCentered, bool kMomentum, class T>
void Update(const RmspropCoefficients<T>& c, const T* p, RmspropState<T>& state,
            T* u, std::size_t count) {
  T* v = state.square.data();
  T* a = state.mean.data();
  T* b = state.momentum.data();
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const T g = u[i] + c.l2 * p[i];
    v[i] = c.keep * v[i] + c.take * (g * g);
    T variance = v[i];
    if constexpr (kCentered) {
      a[i] = c.keep * a[i] + c.take * g;
      variance = std::max(variance - a[i] * a[i], T{0});
    }
    T direction = g / (std::sqrt(variance) + c.eps);
    if constexpr (kMomentum) {
      direction += c.momentum * b[i];
      b[i] = direction;
    }
    u[i] = c.scale * direction;
  }
}

}  // namespace

template <class T>
void RmspropState<T>::Visit(StateArchive& archive) {
  archive.Array("square", square);
  archive.Array("mean", mean);
  archive.Array("momentum", momentum);
}

template <class T>
Rmsprop<T>::Rmsprop(const RmspropOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<RmspropOptions>(chain);
}

template <class T>
void Rmsprop<T>::PrepareState(const nn::Mlp<T>& net) {
  const auto N = static_cast<std::size_t>(net.NumParameters());
  state_.square.assign(N, T{0});
  if (options_.centered) state_.mean.assign(N, T{0});
  if (options_.momentum != 0) state_.momentum.assign(N, T{0});
}

template <class T>
double Rmsprop<T>::Transform(const GradientPoint<T>& point,
                             std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const RmspropCoefficients<T> c{.keep = static_cast<T>(options_.alpha),
                                 .take = static_cast<T>(1 - options_.alpha),
                                 .l2 = static_cast<T>(options_.weight_decay),
                                 .eps = PositiveIn<T>(options_.eps),
                                 .momentum = static_cast<T>(options_.momentum),
                                 .scale = static_cast<T>(-rate)};
  const bool momentum = options_.momentum != 0;
  const auto plain =
      momentum ? Update<false, true, T> : Update<false, false, T>;
  const auto centered =
      momentum ? Update<true, true, T> : Update<true, false, T>;
  const auto run = options_.centered ? centered : plain;
  run(c, point.parameters.data(), state_, update.data(), update.size());
  return rate;
}

template struct RmspropState<float>;
template struct RmspropState<double>;
template class Rmsprop<float>;
template class Rmsprop<double>;

}  // namespace sven::optim
