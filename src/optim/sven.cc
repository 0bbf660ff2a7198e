// SPDX-License-Identifier: MIT
#include "sven/optim/sven.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "denominator.h"
#include "gram_step.h"
#include "relative_limit.h"
#include "sven/base/error.h"
#include "sven/linalg/norm.h"

namespace sven::optim {

void SvenOptions::Validate() const {
  ValidateFields("SvenOptions", *this);
  if (parameter_batch == ParameterBatch::kAll && fraction != 1.0) {
    throw UsageError("SvenOptions::fraction = " + FormatValue(fraction) +
                     ": says how much of what to draw, but parameter_batch is "
                     "all; set parameter_batch to parameters, neurons or "
                     "layers");
  }
  if (conditions == Conditions::kOutputs && micro_batch > 1) {
    throw UsageError("SvenOptions::microbatch = " + FormatValue(micro_batch) +
                     ": sums losses, but conditions is outputs; set "
                     "conditions to losses");
  }
  if (momentum.nesterov && momentum.momentum == 0) {
    throw UsageError("SvenOptions::nesterov = true: needs momentum > 0");
  }
  if ((variable_k || reject_worse) &&
      (momentum.momentum != 0 || rms.place == RmsScaling::Place::kPost)) {
    throw UsageError(
        "SvenOptions::" +
        std::string(variable_k ? "variable_k" : "reject_worse") +
        " = true: judges the step as it comes from the singular values; "
        "momentum and rms post would change it afterwards");
  }
  core::Validate(core::StepOptions{.weighting = truncation, .road = road});
}

template <class T>
void SvenState<T>::Visit(StateArchive& archive) {
  archive.Stream("subsampling", subsampling);
  archive.Stream("projection", projection);
  archive.Array("momentum", momentum);
  archive.Array("mean_square", mean_square);
}

template <class T>
Sven<T>::Sven(const SvenOptions& options, const ChainOptions& chain)
    : Optimizer<T>(chain),
      options_(options),
      state_{.subsampling = RandomStream(options.seed, RandomUse::kSubsampling),
             .projection = RandomStream(options.seed, RandomUse::kProjection),
             .momentum = {},
             .mean_square = {}} {
  options_.Validate();
  ValidateChain<SvenOptions>(chain);
  if (!(chain.k_schedule == Schedule{}) && !options_.truncation.k) {
    throw UsageError("ChainOptions::k_schedule = " + chain.k_schedule.ToText() +
                     ": needs a number k to start from; set k");
  }
}

template <class T>
void Sven<T>::PrepareState(const nn::Mlp<T>& net) {
  const auto N = static_cast<std::size_t>(net.NumParameters());
  if (options_.momentum.momentum != 0) state_.momentum.assign(N, T{0});
  if (options_.rms.place != RmsScaling::Place::kNone) {
    state_.mean_square.assign(N, T{0});
  }
}

template <class T>
StepReport Sven<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                         const nn::Batch<T>& batch,
                         const nn::ParameterSelection& selection) {
  // Forgotten at the end, also if the batch is refused.
  const std::unique_ptr<const nn::ParameterSelection*,
                        void (*)(const nn::ParameterSelection**)>
      guard(&chosen_, [](const nn::ParameterSelection** p) { *p = nullptr; });
  chosen_ = &selection;
  return Step(net, loss, batch);
}

template <class T>
const nn::ParameterSelection& Sven<T>::Select(const nn::Mlp<T>& net) {
  if (chosen_ == nullptr) {
    sampler_.Draw(net.Layers(), options_.parameter_batch, options_.fraction,
                  state_.subsampling, drawn_);
  }
  const nn::ParameterSelection& selection = chosen_ ? *chosen_ : drawn_;
  const bool remembers =
      !state_.momentum.empty() || !state_.mean_square.empty();
  if (remembers) {
    mask_.resize(static_cast<std::size_t>(net.NumParameters()));
    selection.FillMask(mask_);
  }
  return selection;
}

template <class T>
core::StepOptions Sven<T>::StepFor(const ScheduleFactors& factors) {
  core::PseudoInverse truncation = options_.truncation;
  if (truncation.k) {
    const double k = std::round(static_cast<double>(*truncation.k) * factors.k);
    constexpr double kMost = 1e15;
    truncation.k = static_cast<Index>(std::clamp(k, 1.0, kMost));
  }
  constexpr double kBelowOne = 1 - std::numeric_limits<double>::epsilon();
  truncation.rtol = std::min(truncation.rtol * factors.rtol, kBelowOne);
  core::StepOptions step{
      .learning_rate = options_.learning_rate * factors.learning_rate,
      .weighting = truncation,
      .road = options_.road,
      .randomised = options_.randomised,
      .spectrum = options_.spectrum};
  step.seed = state_.projection.Bits64();
  return step;
}

template <class T>
StepReport Sven<T>::Propose(BatchProblem<T>& problem,
                            const ScheduleFactors& factors,
                            std::span<T> update) {
  using Place = RmsScaling::Place;
  core::Linearization<T>& conditions =
      source_.Linearize(problem,
                        {.kind = options_.conditions,
                         .kappa = options_.kappa,
                         .micro_batch = options_.micro_batch},
                        Select(problem.Net()));
  if (options_.rms.Pre()) ScaleColumns(conditions);

  core::StepOptions step = StepFor(factors);
  StepReport report = solver_.Compute(conditions, step, update);
  if (report.Applied() && options_.rms.place == Place::kPre) {
    UndoScaling(update);
  }
  if (report.Applied() && options_.variable_k) {
    LowerRank(problem, conditions, step, update, report);
  }
  source_.Network().ScaleColumns({});
  const bool plain =
      options_.momentum.momentum == 0 &&
      (options_.rms.place == Place::kNone || options_.rms.place == Place::kPre);
  // At rate zero nothing moves, and there is nothing to remember.
  if (report.Applied() && !plain && step.learning_rate > 0) {
    AddMemory(step.learning_rate, update, report);
    report.predicted_decrease =
        PredictedDecrease<T>(conditions, update, change_);
  }
  const bool safeguarded = options_.norm_limit || options_.reject_worse;
  if (report.Applied() && options_.norm_limit) {
    Shorten<T>(
        RelativeLimit<T>(*options_.norm_limit, problem.Net().Parameters()),
        update, report);
  }
  if (report.Applied() && options_.reject_worse) {
    HalveUntilBetter(problem, update, report);
  }
  if (report.Applied() && safeguarded) {
    report.predicted_decrease =
        PredictedDecrease<T>(conditions, update, change_);
  }
  if (report.Applied() && options_.rms.Pre()) {
    state_.mean_square.swap(next_mean_square_);
  }
  problem.seconds += report.seconds;
  return report;
}

template <class T>
void Sven<T>::ScaleColumns(core::Linearization<T>& conditions) {
  const auto N = state_.mean_square.size();
  const auto B = static_cast<std::size_t>(conditions.NumConditions());
  scale_.resize(N);
  row_weights_.assign(B, 1 / static_cast<double>(B));
  conditions.PullBack(row_weights_, scale_);  // the mean row
  const auto alpha = static_cast<T>(options_.rms.alpha);
  const auto eps = PositiveIn<T>(options_.rms.eps);
  next_mean_square_ = state_.mean_square;
  for (std::size_t i = 0; i < N; ++i) {
    T& v = next_mean_square_[i];
    if (Selected(i)) v = alpha * v + (1 - alpha) * scale_[i] * scale_[i];
    scale_[i] = 1 / (std::sqrt(v) + eps);
  }
  source_.Network().ScaleColumns(scale_);
}

// y -> D^-1 y
template <class T>
void Sven<T>::UndoScaling(std::span<T> update) const {
  for (std::size_t i = 0; i < update.size(); ++i) update[i] *= scale_[i];
}

template <class T>
void Sven<T>::LowerRank(BatchProblem<T>& problem,
                        core::Linearization<T>& conditions,
                        core::StepOptions step, std::span<T> update,
                        StepReport& report) {
  const bool scaled = options_.rms.place == RmsScaling::Place::kPre;
  const auto raises = [&] {
    return !(trial_.Loss(problem, update) <= report.loss);
  };
  const auto take = [&](Index rank) {
    std::get<core::PseudoInverse>(step.weighting).k = rank;
    const core::PhaseSeconds before = report.seconds;
    report = solver_.Recompute(conditions, step, update);
    report.seconds += before;
    if (scaled) UndoScaling(update);
  };
  if (!raises()) return;
  Index good = 0;
  Index bad = report.kept;
  while (bad - good > 1) {
    const Index middle = good + (bad - good) / 2;
    take(middle);
    (raises() ? bad : good) = middle;
  }
  if (good == 0) {
    report.status = StepStatus::kRejected;
    report.kept = 0;
    report.predicted_decrease = 0;
  } else if (report.kept != good) {
    take(good);
  }
}

template <class T>
void Sven<T>::HalveUntilBetter(BatchProblem<T>& problem, std::span<T> update,
                               StepReport& report) {
  constexpr int kHalvings = 8;
  for (int i = 0; i <= kHalvings; ++i) {
    if (trial_.Loss(problem, update) <= report.loss) return;
    for (T& value : update) value /= 2;
    report.update_norm /= 2;
  }
  report.status = StepStatus::kRejected;
  report.predicted_decrease = 0;
}

// Scaling after the step, and momentum. Their state changes only if the result
// is finite.
template <class T>
void Sven<T>::AddMemory(double rate, std::span<T> update, StepReport& report) {
  const auto alpha = static_cast<T>(options_.rms.alpha);
  const auto eps = PositiveIn<T>(options_.rms.eps);
  const auto momentum = static_cast<T>(options_.momentum.momentum);
  const bool post = options_.rms.place == RmsScaling::Place::kPost;
  if (post) next_mean_square_ = state_.mean_square;
  next_momentum_ = state_.momentum;
  for (std::size_t i = 0; i < update.size(); ++i) {
    if (!Selected(i)) continue;
    T u = static_cast<T>(update[i] / rate);
    if (post) {
      T& v = next_mean_square_[i];
      v = alpha * v + (1 - alpha) * u * u;
      u /= std::sqrt(v) + eps;
    }
    if (!next_momentum_.empty()) {
      T& b = next_momentum_[i];
      b = momentum * b + u;
      u = options_.momentum.nesterov ? u + momentum * b : b;
    }
    update[i] = static_cast<T>(rate * u);
  }
  report.update_norm = linalg::Norm<T>(update);
  if (!std::isfinite(report.update_norm)) {
    report.status = StepStatus::kNonFiniteStep;
    return;
  }
  if (post) state_.mean_square.swap(next_mean_square_);
  state_.momentum.swap(next_momentum_);
}

template <class T>
std::span<const double> Sven<T>::Losses() const {
  return source_.Mapped() ? source_.GroupLosses() : this->Problem().Losses();
}

template struct SvenState<float>;
template struct SvenState<double>;
template class Sven<float>;
template class Sven<double>;

}  // namespace sven::optim
