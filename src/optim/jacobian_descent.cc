// SPDX-License-Identifier: MIT
#include "sven/optim/jacobian_descent.h"

#include <cmath>
#include <utility>

#include "sven/base/stopwatch.h"

namespace sven::optim {

template <class T>
JacobianDescent<T>::JacobianDescent(const JacobianDescentOptions& options,
                                    const ChainOptions& chain)
    : Optimizer<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<JacobianDescentOptions>(chain);
}

template <class T>
StepReport JacobianDescent<T>::Propose(BatchProblem<T>& problem,
                                       const ScheduleFactors& factors,
                                       std::span<T> update) {
  nn::NetworkLinearization<T>& losses = problem.Linearize(Conditions::kLosses);
  const Index B = losses.NumConditions();
  StepReport report;
  report.loss = losses.Loss();
  report.learning_rate = options_.learning_rate * factors.learning_rate;
  if (!std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
    return report;
  }
  Stopwatch stopwatch;
  K_.Resize(B, B);
  losses.Gram(linalg::Accumulation::kDouble, K_.View());
  problem.seconds.gram += stopwatch.Lap();
  w_.resize(static_cast<std::size_t>(B));
  report.status =
      weights_.Compute(std::as_const(K_).View(), options_.aggregation,
                       options_.regularisation, w_);
  for (double& value : w_) value *= -report.learning_rate;
  problem.seconds.weights += stopwatch.Lap();
  if (report.Applied()) losses.PullBack(w_, update);
  problem.seconds.pull_back += stopwatch.Lap();
  return report;
}

template class JacobianDescent<float>;
template class JacobianDescent<double>;

}  // namespace sven::optim
