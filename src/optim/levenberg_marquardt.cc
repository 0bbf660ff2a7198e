// SPDX-License-Identifier: MIT
#include "sven/optim/levenberg_marquardt.h"

#include <algorithm>
#include <cmath>

#include "sven/base/error.h"

namespace sven::optim {
namespace {

// The least rho that the radius rule accepts.
constexpr double kLeastGain = 1e-3;

}  // namespace

void LevenbergMarquardtOptions::Validate() const {
  ValidateFields("LevenbergMarquardtOptions", *this);
  if (lambda_min > lambda_max) {
    throw UsageError(
        "LevenbergMarquardtOptions::lambda_min = " + FormatValue(lambda_min) +
        ": must satisfy lambda_min <= lambda_max, which is " +
        FormatValue(lambda_max));
  }
}

void LevenbergMarquardtState::Visit(StateArchive& archive) {
  archive.Number("lambda", lambda);
  archive.Number("shrink", shrink);
}

template <class T>
LevenbergMarquardt<T>::LevenbergMarquardt(
    const LevenbergMarquardtOptions& options, const ChainOptions& chain)
    : Optimizer<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<LevenbergMarquardtOptions>(chain);
  state_.lambda = std::clamp(options_.lambda_start, options_.lambda_min,
                             options_.lambda_max);
}

template <class T>
StepReport LevenbergMarquardt<T>::Propose(BatchProblem<T>& problem,
                                          const ScheduleFactors& factors,
                                          std::span<T> update) {
  core::Linearization<T>& conditions = source_.Linearize(
      problem, {.kind = options_.conditions, .kappa = 1, .micro_batch = 1});
  const auto B = static_cast<double>(problem.BatchSize());
  StepReport report;
  for (Index attempt = 0; attempt < options_.attempts; ++attempt) {
    const core::StepOptions step{
        .learning_rate = options_.learning_rate * factors.learning_rate,
        .weighting = core::Tikhonov{B * state_.lambda}};
    report = attempt == 0 ? solver_.Compute(conditions, step, update)
                          : solver_.Recompute(conditions, step, update);
    problem.seconds += report.seconds;
    // A batch that is met already teaches nothing.
    if (!report.Applied() || report.update_norm == 0) return report;
    const double decrease = report.loss - trial_.Loss(problem, update);
    const bool good = Accept(decrease, Predicted(problem, report));
    state_.lambda =
        std::clamp(state_.lambda, options_.lambda_min, options_.lambda_max);
    if (good) return report;
  }
  report.status = StepStatus::kRejected;
  report.predicted_decrease = 0;
  return report;
}

template <class T>
double LevenbergMarquardt<T>::Predicted(BatchProblem<T>& problem,
                                        const StepReport& report) const {
  // The loss of a sample is the sum of its R^2, but for the conditions of the
  // outputs under cross-entropy R^2 / 2.
  const bool half = options_.conditions == Conditions::kOutputs &&
                    problem.LossFunction().kind == nn::Loss::kCrossEntropy;
  return report.predicted_decrease * (half ? 0.5 : 1) /
         static_cast<double>(problem.BatchSize());
}

template <class T>
bool LevenbergMarquardt<T>::Accept(double actual, double predicted) {
  if (options_.rule == DampingRule::kFactor) {
    const bool good = actual > 0;  // false for NaN
    state_.lambda *= good ? options_.decrease : options_.increase;
    return good;
  }
  const double rho = actual / predicted;
  if (!(rho > kLeastGain)) {
    state_.lambda *= state_.shrink;
    state_.shrink *= 2;
    return false;
  }
  state_.lambda *= std::max(1.0 / 3, 1 - std::pow(2 * rho - 1, 3));
  state_.shrink = 2;
  return true;
}

template class LevenbergMarquardt<float>;
template class LevenbergMarquardt<double>;

}  // namespace sven::optim
