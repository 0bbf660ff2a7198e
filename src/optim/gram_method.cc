// SPDX-License-Identifier: MIT
#include "sven/optim/gram_method.h"

namespace sven::optim {

template <class T>
StepReport GramMethod<T>::Propose(BatchProblem<T>& problem,
                                  const ScheduleFactors& factors,
                                  std::span<T> update) {
  const Plan plan = MakePlan(problem.BatchSize(), factors);
  core::Linearization<T>& conditions =
      source_.Linearize(problem, plan.conditions);
  StepReport report =
      solver_.Compute(conditions,
                      {.learning_rate = plan.rate * plan.residual_factor,
                       .weighting = plan.weighting},
                      update);
  report.learning_rate = plan.rate;
  // M is not dR/dtheta there, so there is nothing to predict.
  if (plan.conditions.kind == Conditions::kOutputGradients) {
    report.predicted_decrease = 0;
  }
  problem.seconds += report.seconds;
  return report;
}

template class GramMethod<float>;
template class GramMethod<double>;

}  // namespace sven::optim
