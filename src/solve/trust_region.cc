// SPDX-License-Identifier: MIT
//
// Constants and order of the tests are More's (see method.h).
#include "trust_region.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sven/linalg/norm.h"

namespace sven::solve {
namespace {

// |y| is looked for within this share of the radius.
constexpr double kSlack = 0.1;
constexpr int kTries = 10;
constexpr double kLeastGain = 1e-4;

}  // namespace

template <class T>
void TrustRegion<T>::Rescale(const Situation<T>& at) {
  const std::size_t N = at.norms.size();
  D_.resize(N, 0.0);
  inverse_.resize(N);
  // A column below the rounding of the largest one says nothing about how far its
  // parameter may go.
  const double least = std::numeric_limits<double>::epsilon() *
                       *std::ranges::max_element(at.norms);
  scale_ = 0;
  for (std::size_t i = 0; i < N; ++i) {
    D_[i] = std::max({D_[i], at.norms[i], least});
    // A parameter that nothing depends on does not move.
    inverse_[i] = at.norms[i] > 0 ? 1 / D_[i] : 0.0;
    const double share = at.norms[i] * inverse_[i];
    scale_ = std::max(scale_, share * share);
  }
  scaled_.Bind(at.conditions, inverse_);
}

template <class T>
double TrustRegion<T>::ScaledNorm(std::span<const T> theta) const {
  double sum = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double x = D_[i] * theta[i];
    sum += x * x;
  }
  return std::sqrt(sum);
}

template <class T>
StepReport TrustRegion<T>::Propose(const Situation<T>& at,
                                   std::span<T> update) {
  if (!at.again) {
    Rescale(at);
    known_ = false;
    road_ =
        DampedRoad(at.dense, scaled_.NumConditions(), scaled_.NumParameters());
  }
  if (first_ && !at.again) {
    const double R = linalg::Norm<double>(scaled_.Residuals());
    radius_ = options_.radius * std::max(ScaledNorm(at.theta), R);
  }
  if (!at.again) start_ = radius_;
  sampled_ = at.sampled;
  FindLambda(update);
  if (!report_.Applied()) return report_;
  if (first_ && !at.again) radius_ = std::min(radius_, norm_);
  for (std::size_t i = 0; i < update.size(); ++i) {
    update[i] = static_cast<T>(update[i] * inverse_[i]);
  }
  report_.update_norm = linalg::Norm<T>(update);
  return report_;
}

template <class T>
double TrustRegion<T>::Solve(double lambda, std::span<T> y) {
  const core::StepOptions options{.weighting = core::Tikhonov{lambda},
                                  .road = road_};
  report_ = known_ ? solver_.Recompute(scaled_, options, y)
                   : solver_.Compute(scaled_, options, y);
  known_ = true;
  norm_ = report_.update_norm;
  lambda_ = lambda;
  return norm_;
}

template <class T>
double TrustRegion<T>::LambdaLimit(std::span<T> scratch) {
  // |y| <= |(M D^-1)^T R| / lambda
  scaled_.PullBack(scaled_.Residuals(), scratch);
  return linalg::Norm<T>(scratch) / radius_;
}

// 1 / |y| is nearly linear in lambda (exactly so for one singular value), so
// secants of it find the radius in a few tries.
template <class T>
void TrustRegion<T>::FindLambda(std::span<T> y) {
  const double last = lambda_;
  double low = scale_ * LeastDamping(road_, scaled_.NumConditions());
  if (!known_) {
    undamped_ = Solve(low, y);
    const bool too_long = report_.status == StepStatus::kNonFiniteStep;
    if (!report_.Applied() && !too_long) return;
    if (too_long) undamped_ = std::numeric_limits<double>::infinity();
    if (undamped_ <= (1 + kSlack) * radius_) return;
  } else if (undamped_ <= (1 + kSlack) * radius_) {
    Solve(low, y);
    return;
  }
  double high = LambdaLimit(y);
  double from = low;
  double from_inverse = 1 / undamped_;
  double lambda = last > low ? last : high * radius_ / undamped_;
  for (int i = 0; i < kTries; ++i) {
    if (!(lambda > low && lambda < high)) {
      lambda = std::max(1e-3 * high, std::sqrt(low * high));
    }
    Solve(lambda, y);
    if (!report_.Applied()) return;
    if (std::abs(norm_ - radius_) <= kSlack * radius_) return;
    (norm_ > radius_ ? low : high) = lambda;
    const double inverse = 1 / norm_;
    const double next = lambda + (1 / radius_ - inverse) * (lambda - from) /
                                     (inverse - from_inverse);
    from = lambda;
    from_inverse = inverse;
    lambda = next;
  }
}

template <class T>
bool TrustRegion<T>::Judge(const Trial& trial) {
  const bool far = !(trial.trial_cost < 100 * trial.cost);  // or NaN
  const double actual = far ? -1 : 1 - trial.trial_cost / trial.cost;
  const double predicted = trial.predicted / trial.cost;
  const double gain = predicted > 0 ? actual / predicted : 0;
  first_ = first_ && gain < kLeastGain;
  if (gain <= 0.25) {
    // Where a parabola through the two costs has its minimum, within limits.
    const double slope = predicted - lambda_ * norm_ * norm_ / trial.cost;
    double shrink = actual >= 0 ? 0.5 : 0.5 * slope / (slope - 0.5 * actual);
    shrink = far || !(shrink >= 0.1) ? 0.1 : std::min(shrink, 0.5);
    radius_ = shrink * std::min(radius_, norm_ / 0.1);
    lambda_ /= shrink;
  } else if (lambda_ <= scale_ * LeastDamping(road_, scaled_.NumConditions()) ||
             gain >= 0.75) {
    // A short step says little about the steps of other conditions.
    radius_ = sampled_ ? std::max(radius_, 2 * norm_) : 2 * norm_;
    lambda_ *= 0.5;
  }
  return gain >= kLeastGain;
}

template class TrustRegion<float>;
template class TrustRegion<double>;

}  // namespace sven::solve
