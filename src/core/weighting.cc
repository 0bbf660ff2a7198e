// SPDX-License-Identifier: MIT
#include "sven/core/weighting.h"

#include <algorithm>
#include <cmath>

namespace sven::core {
namespace {

// phi at one singular value s > 0; `first` is s_1, i the position.
struct Evaluate {
  double s;
  double first;
  Index i;

  double operator()(const PseudoInverse& w) const {
    if (w.k && i >= *w.k) return 0;
    return s > w.rtol * first ? 1 / s : 0;
  }
  double operator()(const Tikhonov& w) const { return 1 / (s + w.lambda / s); }
  double operator()(const SmoothCutoff& w) const {
    const double ratio = first / s;
    return 1 / (s * (1 + std::pow(w.eps * ratio * ratio, 6)));
  }
  double operator()(const PowerInverse& w) const {
    return s > w.rcond * first ? std::pow(s, -w.p) : 0;
  }
};

std::string_view TypeName(const Weighting& weighting) {
  constexpr std::string_view kNames[] = {"PseudoInverse", "Tikhonov",
                                         "SmoothCutoff", "PowerInverse"};
  static_assert(std::size(kNames) == std::variant_size_v<Weighting>);
  return kNames[weighting.index()];
}

}  // namespace

void Validate(const Weighting& weighting) {
  std::visit([&](const auto& w) { ValidateFields(TypeName(weighting), w); },
             weighting);
}

Index Filter(const Weighting& weighting, std::span<const double> s,
             std::span<double> phi) {
  Index kept = 0;
  for (Index i = 0; i < std::ssize(s); ++i) {
    phi[i] = s[i] > 0 ? std::visit(Evaluate{s[i], s[0], i}, weighting) : 0.0;
    if (phi[i] != 0) kept = i + 1;
  }
  return kept;
}

Index WorthKeeping(double min_gain, std::span<const double> b, Index kept) {
  double allowed = 0;
  for (Index i = 0; i < kept; ++i) allowed += b[i] * b[i];
  allowed *= min_gain;
  double dropped = 0;
  while (kept > 1) {
    dropped += b[kept - 1] * b[kept - 1];
    if (dropped > allowed) break;
    --kept;
  }
  return kept;
}

double NeededResolution(const Weighting& weighting) {
  if (const auto* w = std::get_if<PseudoInverse>(&weighting)) return w->rtol;
  if (const auto* w = std::get_if<PowerInverse>(&weighting)) return w->rcond;
  if (const auto* w = std::get_if<SmoothCutoff>(&weighting)) {
    return std::sqrt(w->eps);
  }
  const auto& damping = std::get<Tikhonov>(weighting);
  if (damping.unit == DampingUnit::kLargest) return std::sqrt(damping.lambda);
  // What damping needs depends on the scale of K, which is not known yet: sums in
  // double, and the solver looks again once it has K.
  return 1e-3;
}

}  // namespace sven::core
