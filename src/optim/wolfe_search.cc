// SPDX-License-Identifier: MIT
#include "wolfe_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sven::optim {
namespace {

constexpr double kSufficientDecrease = 1e-4;
constexpr double kSufficientFlattening = 0.9;
constexpr Index kMostTries = 25;
// An interval in which no parameter changes by more has been searched.
constexpr double kNarrow = 1e-9;

template <class T>
bool DecreasesEnough(const LinePoint<T>& start, const LinePoint<T>& point) {
  return point.loss <= start.loss + kSufficientDecrease * point.t * start.slope;
}

template <class T>
bool FlatEnough(const LinePoint<T>& start, const LinePoint<T>& point) {
  return std::abs(point.slope) <= -kSufficientFlattening * start.slope;
}

// The minimum, within [low, high], of the cubic with the losses and slopes of
// two points; the middle if there is none. (Nocedal and Wright, Numerical
// Optimization, equation 3.59.)
template <class T>
double CubicMinimum(const LinePoint<T>& one, const LinePoint<T>& other,
                    double low, double high) {
  const bool ordered = one.t <= other.t;
  const LinePoint<T>& a = ordered ? one : other;
  const LinePoint<T>& b = ordered ? other : one;
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  const double middle = (low + high) / 2;
  if (!(square >= 0)) return middle;
  const double d2 = std::sqrt(square);
  const double minimum =
      b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
  if (std::isnan(minimum)) return middle;
  return std::min(std::max(minimum, low), high);
}

}  // namespace

template <class T>
const LinePoint<T>& WolfeSearch<T>::Run(const LinePoint<T>& start, double step,
                                        double largest,
                                        const Evaluate& evaluate) {
  first_ = start;
  second_.t = step;
  evaluate(second_);
  tries_ = 0;
  switch (Grow(start, evaluate)) {
    case Outcome::kFound:
      return second_;
    case Outcome::kBracketed:
      Shrink(start, largest, evaluate);
      break;
    case Outcome::kExhausted:
      first_ = start;
      break;
  }
  return Better();
}

template <class T>
typename WolfeSearch<T>::Outcome WolfeSearch<T>::Grow(
    const LinePoint<T>& start, const Evaluate& evaluate) {
  while (tries_ < kMostTries) {
    const bool rises = tries_ > 1 && second_.loss >= first_.loss;
    if (!DecreasesEnough(start, second_) || rises) return Outcome::kBracketed;
    if (FlatEnough(start, second_)) return Outcome::kFound;
    if (second_.slope >= 0) return Outcome::kBracketed;
    const double t = second_.t;
    const double next =
        CubicMinimum(first_, second_, t + 0.01 * (t - first_.t), 10 * t);
    std::swap(first_, second_);
    second_.t = next;
    evaluate(second_);
    ++tries_;
  }
  return Outcome::kExhausted;
}

template <class T>
double WolfeSearch<T>::Inside(bool& stalled) const {
  const double low = std::min(first_.t, second_.t);
  const double high = std::max(first_.t, second_.t);
  const double margin = 0.1 * (high - low);
  const double t = CubicMinimum(first_, second_, low, high);
  if (std::min(high - t, t - low) >= margin) {
    stalled = false;
    return t;
  }
  // Near an end once may be right; twice, or on the end, is no progress.
  if (!stalled && t < high && t > low) {
    stalled = true;
    return t;
  }
  stalled = false;
  return high - t < t - low ? high - margin : low + margin;
}

template <class T>
bool WolfeSearch<T>::Narrow(const LinePoint<T>& start) {
  LinePoint<T>& better = Better();
  LinePoint<T>& worse = Worse();
  if (!DecreasesEnough(start, trial_) || trial_.loss >= better.loss) {
    std::swap(worse, trial_);
    return false;
  }
  const bool found = FlatEnough(start, trial_);
  // The minimum lies between the trial and the end that it falls towards.
  if (!found && trial_.slope * (worse.t - better.t) >= 0) {
    std::swap(worse, better);
  }
  std::swap(better, trial_);
  return found;
}

template <class T>
void WolfeSearch<T>::Shrink(const LinePoint<T>& start, double largest,
                            const Evaluate& evaluate) {
  bool stalled = false;
  while (tries_ < kMostTries) {
    if (std::abs(second_.t - first_.t) * largest < kNarrow) return;
    trial_.t = Inside(stalled);
    evaluate(trial_);
    ++tries_;
    if (Narrow(start)) return;
  }
}

template class WolfeSearch<float>;
template class WolfeSearch<double>;

}  // namespace sven::optim
