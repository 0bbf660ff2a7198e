// SPDX-License-Identifier: MIT
#include "sven/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "sven/base/error.h"
#include "sven/train/rounding.h"

namespace sven::train {
namespace {

// So many steps in a row that come out with NaN or infinity are a divergence:
// the parameters have not moved in any of them, nor will they.
constexpr Index kDivergedAfter = 100;

bool IsNonFinite(StepStatus status) {
  return status == StepStatus::kNonFiniteResidual ||
         status == StepStatus::kNonFiniteJacobian ||
         status == StepStatus::kNonFiniteStep;
}

void AccountSpectrum(const StepReport& report, EpochSums& sums) {
  const std::vector<double>& s = report.singular_values;
  const auto kept = std::min(static_cast<std::size_t>(report.kept), s.size());
  if (kept == 0 || !(s[0] > 0)) return;
  if (sums.ratios.size() < kept) {
    sums.ratios.resize(kept, 0.0);
    sums.ratio_counts.resize(kept, 0.0);
  }
  for (std::size_t i = 0; i < kept; ++i) {
    sums.ratios[i] += s[i] / s[0];
    ++sums.ratio_counts[i];
  }
  ++sums.spectra;
  sums.kept += static_cast<double>(kept);
}

EpochRecord RecordOf(const EpochSums& sums) {
  EpochRecord record;
  record.batch_loss = sums.loss / static_cast<double>(sums.samples);
  record.learning_rate = sums.learning_rate;
  record.update_norm = sums.update_norm;
  record.refused = sums.refused;
  record.evaluation_seconds = sums.evaluation_seconds;
  record.phases = sums.phases;
  if (sums.spectra > 0) {
    record.kept = sums.kept / static_cast<double>(sums.spectra);
  }
  for (std::size_t i = 0; i < sums.ratios.size(); ++i) {
    record.spectrum.push_back(sums.ratios[i] / sums.ratio_counts[i]);
  }
  return record;
}

}  // namespace

void TrainOptions::Validate() const { ValidateFields("TrainOptions", *this); }

template <class T>
Trainer<T>::Trainer(nn::Mlp<T>& net, optim::Optimizer<T>& optimizer,
                    const nn::Loss& loss, const nn::Batch<T>& train,
                    const nn::Batch<T>& validation, const TrainOptions& options)
    : net_(net),
      optimizer_(optimizer),
      loss_(loss),
      train_(train),
      validation_(validation),
      options_((options.Validate(), options)),
      stream_(train, options.batch_size, options.shuffle_seed, options.shuffle),
      state_(stream_.Position()),
      rounding_loss_(RoundingLoss<T>(loss, train)),
      evaluated_(net) {
  for (const nn::Batch<T>& part : {train, validation}) {
    if (part.Size() == 0) continue;
    nn::CheckBatch<T>(loss, part, net.NumInputs(), net.NumOutputs());
  }
  optimizer.SetTrainingSize(train.Size());
}

template <class T>
RunSummary Trainer<T>::Run() {
  clock_.Lap();
  if (!state_.initial_validation) {
    state_.initial_validation = EvaluateValidation(Evaluate(train_));
  }
  bool interrupted = AskedToStop();
  while (!Finished() && !interrupted) {
    if (const auto batch = stream_.Next()) {
      TrainStep(*batch);
    } else {
      EndEpoch();
    }
    interrupted = AskedToStop();
  }
  const auto finished = Finished();
  // In the middle of an epoch the last evaluation is not of these weights.
  if (finished && state_.sums.steps > 0) {
    const Metrics train = Evaluate(train_);
    final_ = {train, EvaluateValidation(train)};
  }
  UpdateClock();
  return Summary(finished.value_or(RunStatus::kInterrupted));
}

template <class T>
void Trainer<T>::TrainStep(const nn::Batch<T>& batch) {
  Stopwatch stopwatch;
  const StepReport report = optimizer_.Step(net_, loss_, batch);
  state_.train_seconds += stopwatch.Lap();
  Account(report, batch.Size());
  // After the last step of an epoch there is a validation anyway.
  const bool epoch_over = stream_.Position().next == train_.Size();
  if (options_.validate_every && !epoch_over &&
      state_.step % *options_.validate_every == 0) {
    ValidateBetween();
  }
  UpdateClock();
  for (TrainObserver* observer : observers_) {
    observer->OnStep(Progress(), report);
  }
}

template <class T>
void Trainer<T>::Account(const StepReport& report, Index samples) {
  ++state_.step;
  EpochSums& sums = state_.sums;
  ++sums.steps;
  sums.samples += samples;
  sums.loss += report.loss * static_cast<double>(samples);
  sums.learning_rate = report.learning_rate;
  sums.update_norm = report.update_norm;
  sums.phases += report.seconds;
  if (!report.Applied()) ++sums.refused;
  AccountSpectrum(report, sums);
  state_.not_finite = IsNonFinite(report.status) ? state_.not_finite + 1 : 0;
  if (state_.not_finite == kDivergedAfter) {
    state_.diverged_at = state_.step - kDivergedAfter + 1;
  }
}

template <class T>
void Trainer<T>::EndEpoch() {
  Stopwatch stopwatch;
  const Metrics train = Evaluate(train_);
  const Metrics validation = EvaluateValidation(train);
  state_.sums.evaluation_seconds += stopwatch.Lap();
  ++state_.epoch;
  EpochRecord record = RecordOf(state_.sums);
  record.epoch = state_.epoch;
  record.step = state_.step;
  record.seconds = state_.train_seconds;
  record.train = train;
  record.validation = validation;
  state_.sums = {};
  state_.epochs.push_back(record);
  NoteValidation(validation);
  const bool finite =
      std::isfinite(train.loss) && std::isfinite(validation.loss);
  if (!finite && !state_.diverged_at) state_.diverged_at = state_.step;
  UpdateClock();
  for (TrainObserver* observer : observers_) {
    observer->OnEpoch(Progress(), record);
  }
}

template <class T>
void Trainer<T>::ValidateBetween() {
  Stopwatch stopwatch;
  const Metrics metrics =
      Evaluate(validation_.Size() > 0 ? validation_ : train_);
  state_.sums.evaluation_seconds += stopwatch.Lap();
  const ValidationRecord record{.epoch = state_.epoch,
                                .step = state_.step,
                                .seconds = state_.train_seconds,
                                .validation = metrics};
  state_.validations.push_back(record);
  NoteValidation(metrics);
  for (TrainObserver* observer : observers_) {
    observer->OnValidation(Progress(), record);
  }
}

template <class T>
void Trainer<T>::NoteValidation(const Metrics& metrics) {
  // NaN is not below anything.
  const bool better = std::isfinite(metrics.loss) &&
                      (!state_.best_loss || metrics.loss < *state_.best_loss);
  ++state_.since_best;
  if (!better) return;
  state_.best_loss = metrics.loss;
  state_.best_epoch = state_.epoch;
  state_.since_best = 0;
  if (options_.keep == Keep::kBest) {
    const std::span<const T> now = optimizer_.EvaluationParameters(net_);
    state_.best_parameters.assign(now.begin(), now.end());
  }
}

template <class T>
Metrics Trainer<T>::Evaluate(const nn::Batch<T>& data) {
  const std::span<const T> weights = optimizer_.EvaluationParameters(net_);
  if (weights.data() == net_.Parameters().data()) {
    return evaluator_.Evaluate(net_, loss_, data);
  }
  std::ranges::copy(weights, evaluated_.Parameters().begin());
  return evaluator_.Evaluate(evaluated_, loss_, data);
}

template <class T>
Metrics Trainer<T>::EvaluateValidation(const Metrics& train) {
  return validation_.Size() > 0 ? Evaluate(validation_) : train;
}

template <class T>
void Trainer<T>::UpdateClock() {
  state_.total_seconds += clock_.Lap();
}

template <class T>
bool Trainer<T>::AskedToStop() const {
  return std::ranges::any_of(observers_, [](TrainObserver* observer) {
    return observer->WantsStop();
  });
}

template <class T>
TrainProgress Trainer<T>::Progress() const {
  return {.epoch = state_.epoch,
          .epochs = options_.epochs,
          .step = state_.step,
          .steps_per_epoch = stream_.BatchesPerEpoch(),
          .train_seconds = state_.train_seconds,
          .total_seconds = state_.total_seconds};
}

template <class T>
const TrainState<T>& Trainer<T>::State() {
  state_.position = stream_.Position();
  return state_;
}

template <class T>
void Trainer<T>::SetState(const TrainState<T>& state) {
  state_ = state;
  stream_.SetPosition(state.position);
}

template <class T>
std::span<const T> Trainer<T>::Result() const {
  return state_.best_parameters.empty()
             ? optimizer_.EvaluationParameters(net_)
             : std::span<const T>(state_.best_parameters);
}

template <class T>
std::optional<RunStatus> Trainer<T>::Finished() const {
  if (state_.diverged_at) return RunStatus::kDiverged;
  if (options_.target_loss && state_.best_loss &&
      *state_.best_loss <= *options_.target_loss) {
    return RunStatus::kTargetLoss;
  }
  if (state_.epoch >= options_.epochs) return RunStatus::kCompleted;
  if (options_.patience && state_.since_best >= *options_.patience) {
    return RunStatus::kEarlyStopped;
  }
  if (options_.stop_at_rounding &&
      RoundingSince(state_.epochs, rounding_loss_) > 0) {
    return RunStatus::kRounding;
  }
  if (options_.time_limit && state_.total_seconds >= *options_.time_limit) {
    return RunStatus::kTimeLimit;
  }
  return std::nullopt;
}

template <class T>
RunSummary Trainer<T>::Summary(RunStatus status) const {
  RunSummary summary{.status = status,
                     .epochs = state_.epoch,
                     .steps = state_.step,
                     .best_epoch = state_.best_epoch,
                     .train_seconds = state_.train_seconds,
                     .total_seconds = state_.total_seconds,
                     .diverged_at_step = state_.diverged_at.value_or(0)};
  summary.rounding_since_epoch = RoundingSince(state_.epochs, rounding_loss_);
  const Metrics unknown{.loss = std::numeric_limits<double>::quiet_NaN()};
  summary.initial_validation = state_.initial_validation.value_or(unknown);
  summary.best_validation_loss = state_.best_loss.value_or(unknown.loss);
  const bool any = !state_.epochs.empty();
  summary.final_train = any ? state_.epochs.back().train : unknown;
  summary.final_validation =
      any ? state_.epochs.back().validation : summary.initial_validation;
  if (final_) {
    std::tie(summary.final_train, summary.final_validation) = *final_;
  }
  return summary;
}

template struct TrainState<float>;
template struct TrainState<double>;
template class Trainer<float>;
template class Trainer<double>;

}  // namespace sven::train
