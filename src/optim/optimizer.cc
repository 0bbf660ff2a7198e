// SPDX-License-Identifier: MIT
#include "sven/optim/optimizer.h"

#include <algorithm>
#include <cmath>

#include "sven/base/error.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/norm.h"
#include "weight_decay.h"

namespace sven::optim {

template <class T>
void Optimizer<T>::Prepare(const nn::Mlp<T>& net) {
  const auto same = [](const nn::DenseSpec& a, const nn::DenseLayer& b) {
    return a == static_cast<const nn::DenseSpec&>(b);
  };
  if (std::ranges::equal(prepared_for_, net.Layers(), same)) return;
  Check(prepared_for_.empty(),
        "an optimizer belongs to the network of its first step");
  prepared_for_.assign(net.Layers().begin(), net.Layers().end());
  const auto N = static_cast<std::size_t>(net.NumParameters());
  update_.assign(N, T{0});
  if (Averages()) chain_state_.average.assign(N, T{0});
  PrepareState(net);
}

template <class T>
StepReport Optimizer<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                              const nn::Batch<T>& batch) {
  problem_.Bind(net, loss, batch);
  Prepare(net);
  const ScheduleFactors factors = FactorsAt(chain_, chain_state_.steps);
  StepReport report = Propose(problem_, factors, update_);
  report.seconds = problem_.seconds;
  Stopwatch stopwatch;
  if (report.Applied()) {
    // A NaN stays one through all of this, and is met at the end.
    if (report.update_norm == 0) report.update_norm = linalg::Norm<T>(update_);
    Limit(report);
    DecayWeights<T>(net, chain_.decoupled_decay, update_, report);
    if (!std::isfinite(report.update_norm)) {
      report.status = StepStatus::kNonFiniteStep;
    }
  }
  Apply(net, report);
  ++chain_state_.steps;
  report.seconds.apply += stopwatch.Lap();
  return report;
}

template <class T>
void Optimizer<T>::Limit(StepReport& report) {
  if (!chain_.max_update || !(report.update_norm > *chain_.max_update)) return;
  const auto factor = static_cast<T>(*chain_.max_update / report.update_norm);
  for (T& value : update_) value *= factor;
  report.update_norm = linalg::Norm<T>(update_);
}

template <class T>
void Optimizer<T>::Apply(nn::Mlp<T>& net, StepReport& report) {
  if (!report.Applied()) {
    report.update_norm = 0;
    report.predicted_decrease = 0;
    std::fill(update_.begin(), update_.end(), T{0});
    return;
  }
  const T* u = update_.data();
  T* p = net.Parameters().data();
#pragma omp simd
  for (std::size_t i = 0; i < update_.size(); ++i) p[i] += u[i];
  ++chain_state_.applied;
  Average(net);
}

template <class T>
void Optimizer<T>::Average(const nn::Mlp<T>& net) {
  if (!Averages()) return;
  const std::span<const T> p = net.Parameters();
  const auto n = static_cast<double>(chain_state_.applied);
  const double share =
      chain_.ema ? std::min(*chain_.ema, n / (n + 9)) : *KeptInAverage(n);
  const auto kept = n == 1 ? T{0} : static_cast<T>(share);
  for (std::size_t i = 0; i < p.size(); ++i) {
    T& average = chain_state_.average[i];
    average = kept * average + (1 - kept) * p[i];
  }
}

template <class T>
std::span<const T> Optimizer<T>::EvaluationParameters(
    const nn::Mlp<T>& net) const {
  const bool averaged = Averages() && chain_state_.applied > 0;
  return averaged ? std::span<const T>(chain_state_.average) : net.Parameters();
}

template <class T>
void Optimizer<T>::VisitState(StateArchive& archive) {
  Count(archive, "chain.steps", chain_state_.steps);
  Count(archive, "chain.applied", chain_state_.applied);
  if (Averages()) archive.Array("chain.average", chain_state_.average);
  VisitMethodState(archive);
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace sven::optim
