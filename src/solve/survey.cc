// SPDX-License-Identifier: MIT
#include "survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sven/linalg/norm.h"

namespace sven::solve {
namespace {

// Up to this rank the singular values of M are cheaper than what else one would
// have to be careful about. Its entries are looked at up to these numbers of them.
constexpr Index kDenseRank = 256;
constexpr Index kDenseEntries = Index{1} << 25;
constexpr Index kEntries = Index{1} << 22;

// Of a sum, relative to its terms.
template <class T>
constexpr double kRounding = 4.0 * std::numeric_limits<T>::epsilon();

constexpr int kProbes = 4;

constexpr int kPowerSteps = 20;
constexpr double kPowerAccuracy = 0.01;

}  // namespace

template <class T>
void Survey<T>::Look(System<T>& system, std::span<const T> theta,
                     const Bounds<T>& bounds) {
  const Index B = system.NumConditions();
  const Index N = system.NumParameters();
  dense_ = std::min(B, N) <= kDenseRank && B <= kDenseEntries / N;
  looked_at_ = dense_ || B <= kEntries / N;
  const double R = std::sqrt(system.CostHere());
  g_.resize(static_cast<std::size_t>(N));
  // Of length one, so that small residuals do not underflow.
  image_.assign(system.Residuals().begin(), system.Residuals().end());
  if (R > 0) {
    for (double& r : image_) r /= R;
  }
  system.PullBack(image_, g_);
  Hold(theta, bounds);
  const bool some_held =
      std::ranges::any_of(free_, [](double c) { return c == 0; });
  conditions_ = &system;
  if (some_held) {
    held_.Bind(system, free_);
    conditions_ = &held_;
  }
  EstimateLargest(*conditions_);
  sizes_.resize(static_cast<std::size_t>(N));
  if (looked_at_) {
    LookAtEntries(system, theta);
    norms_ = sizes_;
  } else {
    EstimateSizes(system);
    double terms = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      terms = std::hypot(terms, sizes_[i] * theta[i]);
    }
    met_ = R <= kRounding<T> * terms;
    norms_.assign(static_cast<std::size_t>(N), largest_);
  }
  if (!std::isfinite(linalg::Norm<T>(g_))) {
    gradient_ = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  gradient_ = 0;
  for (std::size_t i = 0; i < g_.size(); ++i) {
    if (free_[i] == 0 || !(sizes_[i] > 0 && R > 0)) continue;
    gradient_ = std::max(gradient_, std::abs(g_[i]) / sizes_[i]);
  }
}

// |M_i|^2 is the mean of (M^T z)_i^2 over vectors z of random signs.
template <class T>
void Survey<T>::EstimateSizes(core::Linearization<T>& conditions) {
  RandomStream random(0, RandomUse::kProjection);
  std::ranges::fill(sizes_, 0.0);
  probe_.resize(sizes_.size());
  for (int probe = 0; probe < kProbes; ++probe) {
    for (double& z : image_) z = random.Uniform() < 0.5 ? -1 : 1;
    conditions.PullBack(image_, probe_);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      sizes_[i] += static_cast<double>(probe_[i]) * probe_[i] / kProbes;
    }
  }
  for (double& size : sizes_) size = std::sqrt(size);
}

template <class T>
std::string Survey<T>::NonFiniteEntry(const System<T>& system) const {
  if (!looked_at_ || system.NumSummed() != system.NumConditions()) return {};
  const auto M = M_.View();
  for (Index a = 0; a < M.rows(); ++a) {
    for (Index i = 0; i < M.cols(); ++i) {
      if (std::isfinite(M(a, i))) continue;
      return fmt::format(
          "{}: the derivative in parameter {} is {} (sqrt and powers below 1 "
          "have none at 0, and an overflow on the way gives none either)",
          system.Describe(a), i, M(a, i));
    }
  }
  return {};
}

// A parameter at a bound that the descent, along - M^T R, would cross is held.
template <class T>
void Survey<T>::Hold(std::span<const T> theta, const Bounds<T>& bounds) {
  free_.assign(theta.size(), 1.0);
  for (std::size_t i = 0; i < bounds.lower.size(); ++i) {
    if (theta[i] <= bounds.lower[i] && g_[i] >= 0) free_[i] = 0;
  }
  for (std::size_t i = 0; i < bounds.upper.size(); ++i) {
    if (theta[i] >= bounds.upper[i] && g_[i] <= 0) free_[i] = 0;
  }
}

template <class T>
void Survey<T>::LookAtEntries(System<T>& system, std::span<const T> theta) {
  M_.Resize(system.NumConditions(), system.NumParameters());
  system.Jacobian(M_.View());
  const MatrixView<double> M = M_.View();
  VectorView<double>(sizes_.data(), M.cols()) =
      M.colwise().stableNorm().transpose();

  const std::span<const double> R = system.Residuals();
  double all = 0;
  met_ = true;
  for (Index a = 0; a < M.rows() && met_; ++a) {
    double terms = 0;
    for (Index i = 0; i < M.cols(); ++i) terms += std::abs(M(a, i) * theta[i]);
    const double rounding = kRounding<T> * terms;
    met_ = std::abs(R[a]) <= rounding;
    all += rounding * rounding;
  }
  // Compressed residuals are not all there is.
  met_ = met_ && system.CostHere() <= all;
}

// Powers of M^T M on the direction of last time.
template <class T>
void Survey<T>::EstimateLargest(core::Linearization<T>& conditions) {
  image_.resize(static_cast<std::size_t>(conditions.NumConditions()));
  if (direction_.size() != g_.size()) {
    direction_.assign(g_.size(), T(0));
    for (std::size_t i = 0; i < g_.size(); ++i) {
      // Not orthogonal to anything that has a structure.
      direction_[i] = static_cast<T>(1 + std::sin(1.0 + 3.7 * double(i)) / 2);
    }
  }
  double last = 0;
  for (int step = 0; step < kPowerSteps; ++step) {
    const double length = linalg::Norm<T>(direction_);
    if (!(length > 0) || !std::isfinite(length)) break;
    for (T& x : direction_) x = static_cast<T>(x / length);
    conditions.PushForward(direction_, image_);
    largest_ = linalg::Norm<double>(image_);
    if (!(largest_ > 0) || !std::isfinite(largest_)) break;
    for (double& x : image_) x /= largest_;
    conditions.PullBack(image_, direction_);
    if (std::abs(largest_ - last) <= kPowerAccuracy * largest_) break;
    last = largest_;
  }
  if (!std::isfinite(largest_)) direction_.clear();
}

template class Survey<float>;
template class Survey<double>;

}  // namespace sven::solve
