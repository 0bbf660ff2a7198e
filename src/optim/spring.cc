// SPDX-License-Identifier: MIT
#include "sven/optim/spring.h"

#include <cmath>

#include "gram_step.h"
#include "sven/core/shifted_residuals.h"
#include "sven/linalg/norm.h"

namespace sven::optim {

template <class T>
void SpringState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  archive.Array("phi", phi);
}

template <class T>
Spring<T>::Spring(const SpringOptions& options, const ChainOptions& chain)
    : Optimizer<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<SpringOptions>(chain);
}

template <class T>
void Spring<T>::PrepareState(const nn::Mlp<T>& net) {
  state_.phi.assign(static_cast<std::size_t>(net.NumParameters()), T{0});
}

template <class T>
StepReport Spring<T>::Propose(BatchProblem<T>& problem,
                              const ScheduleFactors& factors,
                              std::span<T> update) {
  core::Linearization<T>& conditions = source_.Linearize(
      problem, {.kind = options_.conditions, .kappa = options_.kappa});
  const std::span<const double> R = conditions.Residuals();
  shifted_.resize(R.size());
  conditions.PushForward(state_.phi, shifted_);
  for (std::size_t a = 0; a < R.size(); ++a) {
    shifted_[a] = R[a] - options_.mu * shifted_[a];
  }
  core::ShiftedResiduals<T> shifted(conditions, shifted_);
  // update = - M^T zeta
  StepReport report = solver_.Compute(
      shifted,
      {.weighting = core::Tikhonov{ScheduledLambda(options_.lambda, factors)}},
      update);
  problem.seconds += report.seconds;
  report.learning_rate = options_.learning_rate * factors.learning_rate;
  if (!report.Applied()) return report;

  next_phi_.resize(update.size());
  const auto mu = static_cast<T>(options_.mu);
  for (std::size_t i = 0; i < update.size(); ++i) {
    next_phi_[i] = mu * state_.phi[i] - update[i];
  }
  const double norm = linalg::Norm<T>(next_phi_);
  if (!std::isfinite(norm)) {
    report.status = StepStatus::kNonFiniteStep;
    return report;
  }
  state_.phi.swap(next_phi_);
  ++state_.steps;
  const auto rate = static_cast<T>(AppliedRate(report.learning_rate, norm));
  for (std::size_t i = 0; i < update.size(); ++i) {
    update[i] = -rate * state_.phi[i];
  }
  report.update_norm = 0;  // to be measured
  report.predicted_decrease = PredictedDecrease<T>(conditions, update, change_);
  return report;
}

// What phi is multiplied by, after bias correction and norm limit.
template <class T>
double Spring<T>::AppliedRate(double rate, double phi_norm) const {
  if (options_.bias_correction) {
    rate /= std::sqrt(
        1 - std::pow(options_.mu, 2 * static_cast<double>(state_.steps)));
  }
  if (!options_.norm_limit) return rate;
  const double longest = std::sqrt(*options_.norm_limit);
  return rate * phi_norm > longest ? longest / phi_norm : rate;
}

template struct SpringState<float>;
template struct SpringState<double>;
template class Spring<float>;
template class Spring<double>;

}  // namespace sven::optim
