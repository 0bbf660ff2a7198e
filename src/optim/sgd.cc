// SPDX-License-Identifier: MIT
#include "sven/optim/sgd.h"

#include <cmath>

#include "sven/base/error.h"

namespace sven::optim {

void SgdOptions::Validate() const {
  ValidateFields("SgdOptions", *this);
  if (nesterov && (momentum == 0 || dampening != 0)) {
    throw UsageError(
        "SgdOptions::nesterov = true: needs momentum > 0 and dampening = 0");
  }
}

template <class T>
void SgdState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  archive.Array("momentum", momentum);
}

template <class T>
Sgd<T>::Sgd(const SgdOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<SgdOptions>(chain);
}

template <class T>
void Sgd<T>::PrepareState(const nn::Mlp<T>& net) {
  if (options_.momentum != 0) {
    state_.momentum.assign(static_cast<std::size_t>(net.NumParameters()), T{0});
  }
}

// Without anything to remember or to add, the gradient comes scaled.
template <class T>
StepReport Sgd<T>::Propose(BatchProblem<T>& problem,
                           const ScheduleFactors& factors,
                           std::span<T> update) {
  const bool plain = options_.momentum == 0 && options_.weight_decay == 0 &&
                     !this->Chain().clip;
  if (!plain) return GradientMethod<T>::Propose(problem, factors, update);
  StepReport report;
  report.learning_rate = options_.learning_rate * factors.learning_rate;
  report.loss = problem.Gradient(update, -report.learning_rate);
  if (!std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
  }
  return report;
}

template <class T>
double Sgd<T>::Transform(const GradientPoint<T>& point, std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const auto scale = static_cast<T>(-rate);
  const auto decay = static_cast<T>(options_.weight_decay);
  const bool first = state_.steps++ == 0;
  const auto momentum = first ? T{0} : static_cast<T>(options_.momentum);
  const auto taken = first ? T{1} : static_cast<T>(1 - options_.dampening);
  const auto ahead = static_cast<T>(options_.momentum);
  for (std::size_t i = 0; i < update.size(); ++i) {
    const T g = update[i] + decay * point.parameters[i];
    T direction = g;
    if (!state_.momentum.empty()) {
      T& m = state_.momentum[i];
      m = momentum * m + taken * g;
      direction = options_.nesterov ? g + ahead * m : m;
    }
    update[i] = scale * direction;
  }
  return rate;
}

template struct SgdState<float>;
template struct SgdState<double>;
template class Sgd<float>;
template class Sgd<double>;

}  // namespace sven::optim
