// SPDX-License-Identifier: MIT
#include "lbfgs_memory.h"

#include <algorithm>

#include "vector_ops.h"

namespace sven::optim {
namespace {

// Below this s.y the curvature is taken for noise.
constexpr double kSmallestProduct = 1e-10;

// Room for one more pair. Twice the room at a time, but never more than the
// history may need: it can be most of the memory of a program.
template <class T>
void Extend(AlignedVector<T>& values, std::size_t by, std::size_t most) {
  const std::size_t needed = values.size() + by;
  if (needed > values.capacity()) values.reserve(std::min(2 * needed, most));
  values.resize(needed);
}

}  // namespace

template <class T>
void LbfgsMemory<T>::Begin() {
  counters_ = state_.counters;
  direction_ = state_.direction;
  previous_gradient_ = state_.previous_gradient;
  lost_steps_.clear();
  lost_changes_.clear();
  lost_inverses_.clear();
}

template <class T>
void LbfgsMemory<T>::RollBack() {
  for (std::size_t i = 0; i < lost_inverses_.size(); ++i) {
    const std::size_t place =
        (static_cast<std::size_t>(counters_.oldest) + i) % history_size_;
    std::copy_n(lost_steps_.begin() + i * N(), N(), Step(place).begin());
    std::copy_n(lost_changes_.begin() + i * N(), N(), Change(place).begin());
    state_.inverses[place] = lost_inverses_[i];
  }
  const auto pairs = static_cast<std::size_t>(counters_.pairs);
  state_.steps.resize(pairs * N());
  state_.gradient_changes.resize(pairs * N());
  state_.inverses.resize(pairs);
  state_.counters = counters_;
  state_.direction.swap(direction_);
  state_.previous_gradient.swap(previous_gradient_);
}

template <class T>
std::size_t LbfgsMemory<T>::Place(std::int64_t i) const {
  const LbfgsCounters& c = state_.counters;
  return static_cast<std::size_t>((c.oldest + i) % c.pairs);
}

template <class T>
std::span<T> LbfgsMemory<T>::Step(std::size_t place) {
  return std::span<T>(state_.steps).subspan(place * N(), N());
}

template <class T>
std::span<T> LbfgsMemory<T>::Change(std::size_t place) {
  return std::span<T>(state_.gradient_changes).subspan(place * N(), N());
}

// A second turn round the ring replaces pairs of this step, which RollBack does
// not want back.
template <class T>
void LbfgsMemory<T>::SaveOldest() {
  if (std::ssize(lost_inverses_) == history_size_) return;
  const std::size_t place = Place(0);
  const std::span<const T> s = Step(place);
  const std::span<const T> y = Change(place);
  lost_steps_.insert(lost_steps_.end(), s.begin(), s.end());
  lost_changes_.insert(lost_changes_.end(), y.begin(), y.end());
  lost_inverses_.push_back(state_.inverses[place]);
}

template <class T>
std::size_t LbfgsMemory<T>::NextPlace() {
  LbfgsCounters& c = state_.counters;
  if (c.pairs == history_size_) {
    SaveOldest();
    const std::size_t place = Place(0);
    c.oldest = (c.oldest + 1) % c.pairs;
    return place;
  }
  const auto most = static_cast<std::size_t>(history_size_);
  Extend(state_.steps, N(), most * N());
  Extend(state_.gradient_changes, N(), most * N());
  Extend(state_.inverses, 1, most);
  return static_cast<std::size_t>(c.pairs++);
}

template <class T>
void LbfgsMemory<T>::Learn(std::span<const T> gradient) {
  const T* g = gradient.data();
  const T* previous = state_.previous_gradient.data();
  const T* d = state_.direction.data();
  const auto t = static_cast<T>(state_.counters.step_length);
  double sy = 0;
  double yy = 0;
#pragma omp simd reduction(+ : sy, yy)
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto y = static_cast<double>(g[i] - previous[i]);
    sy += y * static_cast<double>(t * d[i]);
    yy += y * y;
  }
  if (!(sy > kSmallestProduct)) return;
  const std::size_t place = NextPlace();
  T* s_out = Step(place).data();
  T* y_out = Change(place).data();
#pragma omp simd
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    s_out[i] = t * d[i];
    y_out[i] = g[i] - previous[i];
  }
  state_.inverses[place] = 1 / sy;
  state_.counters.scale = sy / yy;
}

template <class T>
void LbfgsMemory<T>::SetDirection(std::span<const T> gradient) {
  const std::int64_t pairs = state_.counters.pairs;
  alpha_.resize(static_cast<std::size_t>(pairs));
  const std::span<T> d = state_.direction;
  std::ranges::transform(gradient, d.begin(), [](T g) { return -g; });
  for (std::int64_t i = pairs - 1; i >= 0; --i) {
    const std::size_t place = Place(i);
    alpha_[place] = Dot<T>(Step(place), d) * state_.inverses[place];
    AddScaled<T>(d, -alpha_[place], Change(place), d);
  }
  const auto scale = static_cast<T>(state_.counters.scale);
  for (T& value : d) value *= scale;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::size_t place = Place(i);
    const double beta = Dot<T>(Change(place), d) * state_.inverses[place];
    AddScaled<T>(d, alpha_[place] - beta, Step(place), d);
  }
}

template class LbfgsMemory<float>;
template class LbfgsMemory<double>;

}  // namespace sven::optim
