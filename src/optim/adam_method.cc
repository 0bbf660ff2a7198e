// SPDX-License-Identifier: MIT
#include "sven/optim/adam_method.h"

#include <algorithm>
#include <cmath>

#include "denominator.h"

namespace sven::optim {
namespace {

// The numbers of one step, rounded to T once.
template <class T>
struct AdamCoefficients {
  T keep_mean, take_mean;
  T keep_square, take_square;
  T l2, decay;
  T scale;  // - lr / (1 - beta1^t)
  T root;   // 1 / sqrt(1 - beta2^t)
  T eps;
};

template <class T>
AdamCoefficients<T> AdamCoefficientsOf(const AdamRule& rule, std::int64_t t) {
  const auto steps = static_cast<double>(t);
  const double first = 1 - std::pow(rule.beta1, steps);
  const double second = 1 - std::pow(rule.beta2, steps);
  return {.keep_mean = static_cast<T>(rule.beta1),
          .take_mean = static_cast<T>(1 - rule.beta1),
          .keep_square = static_cast<T>(rule.beta2),
          .take_square = static_cast<T>(1 - rule.beta2),
          .l2 = static_cast<T>(rule.l2),
          .decay = static_cast<T>(-rule.learning_rate * rule.decoupled),
          .scale = static_cast<T>(-rule.learning_rate / first),
          .root = static_cast<T>(1 / std::sqrt(second)),
          .eps = PositiveIn<T>(rule.eps)};
}

template <bool kAmsgrad, class T>
void Update(const AdamCoefficients<T>& c, const T* p, T* m, T* v, T* largest,
            T* u, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const T g = u[i] + c.l2 * p[i];
    m[i] = c.keep_mean * m[i] + c.take_mean * g;
    v[i] = c.keep_square * v[i] + c.take_square * (g * g);
    T square = v[i];
    if constexpr (kAmsgrad) {
      square = std::max(largest[i], square);
      largest[i] = square;
    }
    u[i] =
        c.scale * m[i] / (std::sqrt(square) * c.root + c.eps) + c.decay * p[i];
  }
}

}  // namespace

template <class T>
void AdamState<T>::Resize(Index parameters, bool amsgrad) {
  const auto N = static_cast<std::size_t>(parameters);
  mean.assign(N, T{0});
  square.assign(N, T{0});
  largest_square.assign(amsgrad ? N : 0, T{0});
}

template <class T>
void AdamState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  archive.Array("mean", mean);
  archive.Array("square", square);
  archive.Array("largest_square", largest_square);
}

template <class T>
void AdamUpdate(const AdamRule& rule, std::span<const T> parameters,
                AdamState<T>& state, std::span<T> update) {
  const AdamCoefficients<T> c = AdamCoefficientsOf<T>(rule, ++state.steps);
  const auto run = rule.amsgrad ? Update<true, T> : Update<false, T>;
  run(c, parameters.data(), state.mean.data(), state.square.data(),
      state.largest_square.data(), update.data(), update.size());
}

template struct AdamState<float>;
template struct AdamState<double>;
template void AdamUpdate(const AdamRule&, std::span<const float>,
                         AdamState<float>&, std::span<float>);
template void AdamUpdate(const AdamRule&, std::span<const double>,
                         AdamState<double>&, std::span<double>);

}  // namespace sven::optim
