// SPDX-License-Identifier: MIT
#include "stepper.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sven/core/shifted_residuals.h"
#include "sven/linalg/norm.h"
#include "trust_region.h"

namespace sven::solve {
namespace {

template <class T>
class AdaptiveStepper : public Stepper<T> {
 public:
  explicit AdaptiveStepper(const AdaptiveSven& options)
      : lambda_(options.lambda) {}

  StepReport Propose(const Situation<T>& at, std::span<T> update) override {
    if (!at.again) start_ = lambda_;
    const core::Road road = DampedRoad(at.dense, at.conditions.NumConditions(),
                                       at.conditions.NumParameters());
    const double least = std::max(
        LeastDamping(road, at.conditions.NumConditions()), kLeastLambda);
    lambda_ = std::max(lambda_, least);
    const core::StepOptions options{
        .weighting = core::Tikhonov{lambda_ * at.largest * at.largest},
        .road = road};
    return at.again ? solver_.Recompute(at.conditions, options, update)
                    : solver_.Compute(at.conditions, options, update);
  }

  bool Judge(const Trial& trial) override {
    const double gain = trial.Gain();
    // A step that a bound has bent may be predicted to lead uphill.
    if (!(trial.predicted > 0) || !(gain > 0.05)) {
      lambda_ *= 4;
      return false;
    }
    if (gain > 0.75) lambda_ *= 0.7;
    if (gain < 0.25) lambda_ *= 2;
    return true;
  }
  void GiveUp() override { lambda_ = std::min(4 * start_, kMostLambda); }
  [[nodiscard]] bool Undamped() const override { return lambda_ < 1e-12; }
  [[nodiscard]] double Damping() const override { return lambda_; }

 private:
  // s^2 / s_1^2 of singular values that are rounding.
  static constexpr double kLeastLambda = 1e-30;
  // Steps are a millionth of what the gradient alone would give.
  static constexpr double kMostLambda = 1e6;

  double lambda_;
  double start_ = 0;  // lambda of the first try from this place
  core::StepSolver<T> solver_;
};

template <class T>
class SvenStepper : public Stepper<T> {
 public:
  SvenStepper(const Sven& options, std::uint64_t seed)
      : options_{.learning_rate = options.learning_rate,
                 .weighting = options.truncation,
                 .road = options.road,
                 .seed = seed} {}

  StepReport Propose(const Situation<T>& at, std::span<T> update) override {
    ++options_.seed;  // other projections in every step
    return solver_.Compute(at.conditions, options_, update);
  }
  bool Judge(const Trial& trial) override {
    return std::isfinite(trial.trial_cost);
  }
  [[nodiscard]] bool TriesAgain() const override { return false; }
  // What the truncation leaves out does not move at all.
  [[nodiscard]] bool Undamped() const override { return false; }

 private:
  core::StepOptions options_;
  core::StepSolver<T> solver_;
};

template <class T>
class SpringStepper : public Stepper<T> {
 public:
  explicit SpringStepper(const Spring& options) : options_(options) {}

  StepReport Propose(const Situation<T>& at, std::span<T> update) override {
    const std::span<const double> R = at.conditions.Residuals();
    phi_.resize(update.size(), T(0));
    next_.resize(update.size());
    shifted_.resize(R.size());
    at.conditions.PushForward(phi_, shifted_);
    for (std::size_t a = 0; a < R.size(); ++a) {
      shifted_[a] = R[a] - options_.mu * shifted_[a];
    }
    core::ShiftedResiduals<T> shifted(at.conditions, shifted_);
    // update = - M^T zeta
    StepReport report = solver_.Compute(
        shifted, {.weighting = core::Tikhonov{options_.lambda}}, update);
    if (!report.Applied()) return report;
    for (std::size_t i = 0; i < update.size(); ++i) {
      next_[i] = static_cast<T>(options_.mu) * phi_[i] - update[i];
    }
    const double norm = linalg::Norm<T>(next_);
    if (!std::isfinite(norm)) {
      report.status = StepStatus::kNonFiniteStep;
      return report;
    }
    phi_.swap(next_);
    const auto rate = static_cast<T>(Rate(norm));
    for (std::size_t i = 0; i < update.size(); ++i) update[i] = -rate * phi_[i];
    report.update_norm = linalg::Norm<T>(update);
    // |R|^2 - |R + M delta|^2
    at.conditions.PushForward(update, shifted_);
    report.predicted_decrease = 0;
    for (std::size_t a = 0; a < R.size(); ++a) {
      report.predicted_decrease -= shifted_[a] * (2 * R[a] + shifted_[a]);
    }
    return report;
  }
  bool Judge(const Trial& trial) override {
    return std::isfinite(trial.trial_cost);
  }
  [[nodiscard]] bool TriesAgain() const override { return false; }

 private:
  [[nodiscard]] double Rate(double norm) const {
    if (!options_.norm_limit) return options_.learning_rate;
    return std::min(options_.learning_rate,
                    std::sqrt(*options_.norm_limit) / norm);
  }

  Spring options_;
  core::StepSolver<T> solver_;
  AlignedVector<T> phi_;
  AlignedVector<T> next_;
  std::vector<double> shifted_;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> MakeStepper(const Method& method,
                                        std::uint64_t seed) {
  if (const auto* m = std::get_if<LevenbergMarquardt>(&method)) {
    return std::make_unique<TrustRegion<T>>(*m);
  }
  if (const auto* m = std::get_if<AdaptiveSven>(&method)) {
    return std::make_unique<AdaptiveStepper<T>>(*m);
  }
  if (const auto* m = std::get_if<Sven>(&method)) {
    return std::make_unique<SvenStepper<T>>(*m, seed);
  }
  return std::make_unique<SpringStepper<T>>(std::get<Spring>(method));
}

template std::unique_ptr<Stepper<float>> MakeStepper(const Method&,
                                                     std::uint64_t);
template std::unique_ptr<Stepper<double>> MakeStepper(const Method&,
                                                      std::uint64_t);

}  // namespace sven::solve
