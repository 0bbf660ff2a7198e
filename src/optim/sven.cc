// SPDX-License-Identifier: MIT
#include "sven/optim/sven.h"

#include "apply.h"
#include "sven/base/error.h"
#include "sven/base/stopwatch.h"

namespace sven::optim {

void SvenOptions::Validate() const {
  ValidateFields("SvenOptions", *this);
  if (parameter_batch == ParameterBatch::kAll && fraction != 1.0) {
    throw UsageError("SvenOptions::fraction = " + FormatValue(fraction) +
                     ": says how much of what to draw, but parameter_batch is "
                     "all; set parameter_batch to parameters, neurons or "
                     "layers");
  }
  core::Validate(core::StepOptions{.weighting = truncation, .road = road});
}

template <class T>
Sven<T>::Sven(const SvenOptions& options)
    : options_(options),
      state_{RandomStream(options.seed, RandomUse::kSubsampling),
             RandomStream(options.seed, RandomUse::kProjection)} {
  options_.Validate();
}

template <class T>
StepReport Sven<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                         const nn::Batch<T>& batch) {
  sampler_.Draw(net.Layers(), options_.parameter_batch, options_.fraction,
                state_.subsampling, selection_);
  return Step(net, loss, batch, selection_);
}

template <class T>
Conditions Sven<T>::ConditionsFor(const nn::Mlp<T>& net,
                                  const nn::Loss& loss) const {
  const bool signed_residuals =
      options_.kappa == 1.0 && options_.micro_batch == 1 &&
      loss.kind == nn::Loss::kSquaredError && net.NumOutputs() == 1;
  return signed_residuals ? Conditions::kSignedResiduals : Conditions::kLosses;
}

template <class T>
StepReport Sven<T>::Step(nn::Mlp<T>& net, const nn::Loss& loss,
                         const nn::Batch<T>& batch,
                         const nn::ParameterSelection& selection) {
  core::PhaseSeconds seconds;
  const Conditions kind = ConditionsFor(net, loss);
  core::Linearization<T>* problem =
      &linearizer_.Linearize(net, loss, batch, selection, kind, seconds);
  mapped_ = kind == Conditions::kLosses &&
            (options_.kappa != 2.0 || options_.micro_batch > 1);
  if (mapped_) {
    conditions_.Bind(*problem, {.kappa = options_.kappa}, options_.micro_batch);
    problem = &conditions_;
  }

  core::StepOptions step{.learning_rate = options_.learning_rate,
                         .weighting = options_.truncation,
                         .road = options_.road,
                         .randomised = options_.randomised,
                         .spectrum = options_.spectrum};
  step.seed = state_.projection.Bits64();
  update_.resize(static_cast<std::size_t>(net.NumParameters()));
  StepReport report = solver_.Compute(*problem, step, std::span<T>(update_));
  report.seconds.forward = seconds.forward;
  report.seconds.backward = seconds.backward;

  Stopwatch stopwatch;
  if (report.Applied()) AddTo<T>(update_, net.Parameters());
  report.seconds.apply = stopwatch.Lap();
  return report;
}

template <class T>
std::span<const double> Sven<T>::Losses() const {
  return mapped_ ? conditions_.GroupLosses() : linearizer_.Losses();
}

template class Sven<float>;
template class Sven<double>;

}  // namespace sven::optim
