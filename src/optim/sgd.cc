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
void Sgd<T>::PullBack(nn::NetworkLinearization<T>& losses, double weight,
                      std::span<T> out) {
  // The gradient of the mean loss is M^T (1/B, ..., 1/B).
  const auto B = static_cast<std::size_t>(losses.NumConditions());
  weights_.assign(B, weight / static_cast<double>(B));
  losses.PullBack(weights_, out);
}

template <class T>
StepReport Sgd<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                        const nn::Batch<T>& batch) {
  const auto N = static_cast<std::size_t>(net.NumParameters());
  const bool plain = options_.momentum == 0 && options_.weight_decay == 0;
  Check(state_.momentum.empty() || state_.momentum.size() == N,
        "an optimizer with momentum belongs to one network");
  StepReport report;
  selection_.SelectAll(net.Layers());
  auto& losses = linearizer_.Linearize(net, loss, batch, selection_,
                                       Conditions::kLosses, report.seconds);
  Stopwatch stopwatch;
  report.loss = losses.Loss();
  update_.resize(N);
  if (plain) {
    PullBack(losses, -options_.learning_rate, update_);
  } else {
    gradient_.resize(N);
    PullBack(losses, 1.0, gradient_);
    UpdateWithMomentum(net);
  }
  report.seconds.pull_back = stopwatch.Lap();

  report.update_norm = linalg::Norm<T>(update_);
  if (!std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
  } else if (!std::isfinite(report.update_norm)) {
    report.status = StepStatus::kNonFiniteStep;
  }
  if (report.Applied()) {
    if (!plain) CommitMomentum();
    AddTo<T>(update_, net.Parameters());
  } else {
    report.update_norm = 0;
    std::fill(update_.begin(), update_.end(), T{0});
  }
  report.seconds.apply = stopwatch.Lap();
  return report;
}

template <class T>
void Sgd<T>::UpdateWithMomentum(const nn::Mlp<T>& net) {
  const auto momentum = static_cast<T>(options_.momentum);
  const auto taken = static_cast<T>(1 - options_.dampening);
  const auto rate = static_cast<T>(options_.learning_rate);
  const auto decay = static_cast<T>(options_.weight_decay);
  for (std::size_t i = 0; i < update_.size(); ++i) {
    gradient_[i] += decay * net.Parameters()[i];
    const T g = gradient_[i];
    T direction = g;
    if (options_.momentum != 0) {
      const T m = state_.momentum.empty()
                      ? g
                      : momentum * state_.momentum[i] + taken * g;
      direction = options_.nesterov ? g + momentum * m : m;
    }
    update_[i] = -rate * direction;
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

template <class T>
void Sgd<T>::CommitMomentum() {
  if (options_.momentum == 0) return;
  if (state_.momentum.empty()) {
    state_.momentum = gradient_;
    return;
  }
  const auto momentum = static_cast<T>(options_.momentum);
  const auto taken = static_cast<T>(1 - options_.dampening);
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    state_.momentum[i] = momentum * state_.momentum[i] + taken * gradient_[i];
  }
}

template class Sgd<float>;
template class Sgd<double>;

}  // namespace sven::optim
