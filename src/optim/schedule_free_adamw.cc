// SPDX-License-Identifier: MIT
#include "sven/optim/schedule_free_adamw.h"

#include <algorithm>
#include <cmath>

#include "denominator.h"
#include "frozen.h"
#include "sven/linalg/norm.h"

namespace sven::optim {
namespace {

// The numbers of one step, rounded to T once.
template <class T>
struct ScheduleFreeCoefficients {
  T keep, take;  // beta2, 1 - beta2
  T root;        // 1 / sqrt(1 - beta2^t)
  T eps;
  T decay;
  T rate;
  T share;    // of z in the new x
  T towards;  // of x in y: beta1
};

template <class T>
void Update(const ScheduleFreeCoefficients<T>& c, const T* y,
            ScheduleFreeAdamWState<T>& state, std::span<T> update) {
  T* z = state.point.data();
  T* x = state.average.data();
  T* v = state.square.data();
  T* u = update.data();
#pragma omp simd
  for (std::size_t i = 0; i < update.size(); ++i) {
    const T g = u[i];
    v[i] = c.keep * v[i] + c.take * (g * g);
    const T direction = g / (std::sqrt(v[i]) * c.root + c.eps) + c.decay * y[i];
    z[i] -= c.rate * direction;
    x[i] += c.share * (z[i] - x[i]);
    u[i] = z[i] + c.towards * (x[i] - z[i]) - y[i];
  }
}

}  // namespace

template <class T>
void ScheduleFreeAdamWState<T>::Reset(Index parameters) {
  const auto N = static_cast<std::size_t>(parameters);
  steps = 0;
  largest_rate = 0;
  weight_sum = 0;
  point.assign(N, T{0});
  average.assign(N, T{0});
  square.assign(N, T{0});
}

template <class T>
void ScheduleFreeAdamWState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  archive.Number("largest_rate", largest_rate);
  archive.Number("weight_sum", weight_sum);
  archive.Array("point", point);
  archive.Array("average", average);
  archive.Array("square", square);
}

template <class T>
ScheduleFreeAdamW<T>::ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options,
                                        const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<ScheduleFreeAdamWOptions>(chain);
}

template <class T>
std::span<const T> ScheduleFreeAdamW<T>::EvaluationParameters(
    const nn::Mlp<T>& net) const {
  return state_.steps > 0 ? std::span<const T>(state_.average)
                          : net.Parameters();
}

// A step that overflows takes x and z with it: what is evaluated must stay
// finite, so the method starts anew from the parameters.
template <class T>
StepReport ScheduleFreeAdamW<T>::Propose(BatchProblem<T>& problem,
                                         const ScheduleFactors& factors,
                                         std::span<T> update) {
  StepReport report = GradientMethod<T>::Propose(problem, factors, update);
  if (!report.Applied()) return report;
  report.update_norm = linalg::Norm<T>(update);
  if (!std::isfinite(report.update_norm)) {
    report.status = StepStatus::kNonFiniteStep;
    state_.Reset(problem.Net().NumParameters());
  }
  return report;
}

template <class T>
double ScheduleFreeAdamW<T>::NextShare(double rate) {
  state_.largest_rate = std::max(state_.largest_rate, rate);
  const double weight =
      std::pow(static_cast<double>(state_.steps), options_.r) *
      std::pow(state_.largest_rate, options_.weight_lr_power);
  state_.weight_sum += weight;
  return state_.weight_sum > 0 ? weight / state_.weight_sum : 0;
}

template <class T>
double ScheduleFreeAdamW<T>::Transform(const GradientPoint<T>& point,
                                       std::span<T> update) {
  if (state_.steps++ == 0) {
    std::ranges::copy(point.parameters, state_.point.begin());
    std::ranges::copy(point.parameters, state_.average.begin());
  }
  const double rate = options_.learning_rate * point.rate_factor;
  const double correction =
      1 - std::pow(options_.beta2, static_cast<double>(state_.steps));
  const ScheduleFreeCoefficients<T> c{
      .keep = static_cast<T>(options_.beta2),
      .take = static_cast<T>(1 - options_.beta2),
      .root = static_cast<T>(1 / std::sqrt(correction)),
      .eps = PositiveIn<T>(options_.eps),
      .decay = static_cast<T>(options_.weight_decay),
      .rate = static_cast<T>(rate),
      .share = static_cast<T>(NextShare(rate)),
      .towards = static_cast<T>(options_.beta1)};
  Update<T>(c, point.parameters.data(), state_, update);
  // What is frozen does not decay in x and z either.
  CopyFrozen<T>(point.net.Layers(), point.parameters, state_.point);
  CopyFrozen<T>(point.net.Layers(), point.parameters, state_.average);
  return rate;
}

template struct ScheduleFreeAdamWState<float>;
template struct ScheduleFreeAdamWState<double>;
template class ScheduleFreeAdamW<float>;
template class ScheduleFreeAdamW<double>;

}  // namespace sven::optim
