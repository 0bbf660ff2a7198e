// SPDX-License-Identifier: MIT
#include "sven/optim/sgd.h"

#include <algorithm>
#include <cmath>

#include "apply.h"
#include "sven/base/error.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/norm.h"

namespace sven::optim {

void SgdOptions::Validate() const {
  ValidateFields("SgdOptions", *this);
  if (nesterov && (momentum == 0 || dampening != 0)) {
    throw UsageError(
        "SgdOptions::nesterov = true: needs momentum > 0 and dampening = 0");
  }
}

template <class T>
Sgd<T>::Sgd(const SgdOptions& options) : options_(options) {
  options_.Validate();
}

template <class T>
StepReport Sgd<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                        const nn::Batch<T>& batch) {
  StepReport report;
  selection_.SelectAll(net.Layers());
  auto& losses = linearizer_.Linearize(net, loss, batch, selection_,
                                       Conditions::kLosses, report.seconds);
  Stopwatch stopwatch;
  report.loss = losses.Loss();
  update_.resize(static_cast<std::size_t>(net.NumParameters()));
  // The gradient of the mean loss is M^T (1/B, ..., 1/B).
  weights_.assign(static_cast<std::size_t>(batch.Size()),
                  -options_.learning_rate / static_cast<double>(batch.Size()));
  losses.PullBack(weights_, std::span<T>(update_));
  report.seconds.pull_back = stopwatch.Lap();

  // Momentum must not take in a step that is not applied.
  report.update_norm = linalg::Norm<T>(update_);
  if (!std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
  } else if (!std::isfinite(report.update_norm)) {
    report.status = StepStatus::kNonFiniteStep;
  }
  if (report.Applied()) {
    if (options_.momentum != 0 || options_.weight_decay != 0) {
      ApplyDecayAndMomentum(net);
      report.update_norm = linalg::Norm<T>(update_);
    }
    AddTo<T>(update_, net.Parameters());
  } else {
    report.update_norm = 0;
    std::fill(update_.begin(), update_.end(), T{0});
  }
  report.seconds.apply = stopwatch.Lap();
  return report;
}

template <class T>
void Sgd<T>::ApplyDecayAndMomentum(const nn::Mlp<T>& net) {
  const auto momentum = static_cast<T>(options_.momentum);
  const auto taken = static_cast<T>(1 - options_.dampening);
  const auto rate = static_cast<T>(options_.learning_rate);
  const auto decay = static_cast<T>(options_.weight_decay);
  const bool first = state_.momentum.empty();
  if (options_.momentum != 0) state_.momentum.resize(update_.size(), T{0});
  for (std::size_t i = 0; i < update_.size(); ++i) {
    T g = -update_[i] / rate + decay * net.Parameters()[i];
    if (options_.momentum != 0) {
      T& m = state_.momentum[i];
      m = first ? g : momentum * m + taken * g;
      g = options_.nesterov ? g + momentum * m : m;
    }
    update_[i] = -rate * g;
  }
  // What is frozen does not decay either.
  for (const nn::DenseLayer& layer : net.Layers()) {
    const auto zero = [&](Index offset, Index count) {
      std::fill_n(update_.begin() + offset, count, T{0});
    };
    if (!layer.WeightFree()) zero(layer.weight_offset, layer.WeightSize());
    if (!layer.BiasFree()) zero(layer.bias_offset, layer.BiasSize());
  }
}

template class Sgd<float>;
template class Sgd<double>;

}  // namespace sven::optim
