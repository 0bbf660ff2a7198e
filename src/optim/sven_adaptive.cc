// SPDX-License-Identifier: MIT
#include "sven/optim/sven_adaptive.h"

#include <algorithm>
#include <cmath>

#include "relative_limit.h"
#include "sven/base/error.h"
#include "weight_decay.h"

namespace sven::optim {
namespace {

// Steering. Training starts with much damping, whose floor falls while the batch
// losses do. While they do not, what is left is noise: the floor grows towards
// MostFloor, and the rate sinks towards kLeastRate. The floor moves by a factor e
// in so many samples, the rate ever more slowly as a step becomes a smaller part
// of the training.
constexpr double kFirstFloor = 1;
constexpr double kMostFloor = 0.01;
constexpr double kFloorRisesFrom = 1e-9;
constexpr double kFloorSamples = 2000;
constexpr double kRateChange = 5;
constexpr double kRateDelay = 1000;
constexpr double kLeastRate = 0.05;

// How far the floor grows while this part of the loss is left. As long as hardly
// anything has been learned, a loss that does not fall may be noise or just hard
// to begin with, and only steps with little damping can tell.
double MostFloor(double left) {
  return kMostFloor * std::max(std::pow(1 - left, 4), 1e-7);
}

// Conditions per output cost their square: as many as are worth it.
constexpr Index kMostRows = 256;

// Filters that cut need a cut below all.
constexpr double kMostCut = 0.999;

// How few samples are for their dimensions: nu = 10 inputs / samples, at most 1.
double Scarcity(Index inputs, Index samples) {
  return std::min(
      1.0, 10 * static_cast<double>(inputs) / static_cast<double>(samples));
}

// The guard as long as all of the loss is left. Beyond kDimensions, inputs are
// rarely independent. Samples that lie densely, at distances of n^(-1/d), cannot
// be learned by heart.
constexpr Index kDimensions = 20;
constexpr double kMostGuard = 10;
double GuardFor(Index inputs, Index samples) {
  const double nu = Scarcity(std::min(inputs, kDimensions), samples);
  const double distance =
      std::pow(static_cast<double>(samples), -1 / static_cast<double>(inputs));
  return std::min(200 * nu * std::sqrt(nu), kMostGuard) *
         std::min(1.0, 5 * distance);
}

// What holds classes back. Between samples that are few for their dimensions
// there is always a border, which the next ones do not keep to. MNIST's nu, if the
// samples are not counted.
constexpr double kUsualScarcity = 0.13;
double LambdaForClasses(double nu) {
  return std::clamp(1.5 * nu, 0.02, std::max(0.2, nu * std::sqrt(nu)));
}
double DecayForClasses(double nu, Index batch_size) {
  return std::min(7e-4 * static_cast<double>(batch_size) * nu * nu * nu, 0.01);
}

}  // namespace

void SvenAdaptiveOptions::Validate() const {
  ValidateFields("SvenAdaptiveOptions", *this);
  const auto fail = [](std::string_view field, double value,
                       std::string_view law) {
    throw UsageError("SvenAdaptiveOptions::" + std::string(field) + " = " +
                     FormatValue(value) + ": must satisfy " + std::string(law));
  };
  if (lambda_min.value_or(0) > lambda_max) {
    fail("lambda_min", *lambda_min,
         "lambda_min <= lambda_max, which is " + FormatValue(lambda_max));
  }
  if (poor < accept) {
    fail("poor", poor,
         "accept <= poor, where accept is " + FormatValue(accept));
  }
  if (good < poor) {
    fail("good", good, "poor <= good, where poor is " + FormatValue(poor));
  }
}

void SvenAdaptiveState::Visit(StateArchive& archive) {
  archive.Number("lambda", lambda);
  archive.Number("floor", floor);
  archive.Number("rate", rate);
  archive.Number("largest_batch", largest_batch);
  progress.Visit(archive);
}

template <class T>
SvenAdaptive<T>::SvenAdaptive(const SvenAdaptiveOptions& options,
                              const ChainOptions& chain)
    : Optimizer<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<SvenAdaptiveOptions>(chain);
  state_.lambda = options_.lambda_start;
  state_.floor = kFirstFloor;
}

template <class T>
typename SvenAdaptive<T>::Profile SvenAdaptive<T>::ChooseProfile(
    BatchProblem<T>& problem) const {
  const bool classes = problem.LossFunction().kind == nn::Loss::kCrossEntropy;
  const Index B = problem.BatchSize();
  const Index C = problem.Net().NumOutputs();
  const bool few = C == 1 || LargestBatch(B) * C <= kMostRows;
  const bool outputs =
      options_.conditions == AdaptiveConditions::kOutputs ||
      (options_.conditions == AdaptiveConditions::kAuto && !classes && few);
  const Index inputs = problem.Net().NumInputs();
  const std::optional<Index> samples = this->TrainingSize();
  const double nu = samples ? Scarcity(inputs, *samples) : kUsualScarcity;
  const double least =
      options_.lambda_min.value_or(classes ? LambdaForClasses(nu) : 1e-12);
  return {
      .learning_rate = options_.learning_rate.value_or(classes ? 1 : 0.5),
      .lambda_min = std::min(least, options_.lambda_max),
      .conditions = {.kind =
                         outputs ? Conditions::kOutputs : Conditions::kLosses,
                     .kappa = options_.kappa.value_or(classes ? 1.25 : 1)},
      .steer = options_.steer.value_or(!classes),
      .guard = samples ? GuardFor(inputs, *samples) : 0,
      .average = options_.average.value_or(classes ? 1.0 / 10 : 1.0 / 60),
      .decay = options_.decay.value_or(classes ? DecayForClasses(nu, B) : 0)};
}

template <class T>
std::optional<double> SvenAdaptive<T>::KeptInAverage(double n) const {
  if (options_.average && *options_.average == 0) return std::nullopt;
  return 1 - 1 / (1 + profile_.average * n);
}

template <class T>
core::Weighting SvenAdaptive<T>::Damping(const SvenAdaptiveState& state) const {
  const double lambda = state.lambda;
  if (options_.filter == DampingFilter::kSmooth) {
    return core::SmoothCutoff{std::min(lambda, kMostCut)};
  }
  if (options_.filter == DampingFilter::kHard) {
    return core::PseudoInverse{.rtol = std::min(std::sqrt(lambda), kMostCut)};
  }
  return core::Tikhonov{
      .lambda = lambda, .unit = options_.unit, .least_of_mean = Guard(state)};
}

template <class T>
SvenAdaptiveState SvenAdaptive<T>::Steered(double loss, Index samples) const {
  SvenAdaptiveState next = state_;
  next.largest_batch = static_cast<double>(LargestBatch(samples));
  next.progress.Add(loss);
  if (profile_.steer) {
    const double move = std::exp(static_cast<double>(samples) / kFloorSamples);
    const double change =
        std::exp(kRateChange / (kRateDelay + next.progress.Count()));
    const bool stalled = next.progress.Stalled();
    const double most = MostFloor(next.progress.Left());
    const bool rises = stalled && next.floor <= most;
    next.floor =
        rises ? std::min(std::max(next.floor, kFloorRisesFrom) * move, most)
              : next.floor / move;
    next.rate = stalled ? std::max(next.rate / change, kLeastRate)
                        : std::min(next.rate * change, 1.0);
  } else {
    next.floor = 0;
  }
  SetLambda(next.lambda, next);
  return next;
}

template <class T>
double SvenAdaptive<T>::Guard(const SvenAdaptiveState& state) const {
  return profile_.steer ? profile_.guard * state.progress.Left() : 0;
}

template <class T>
void SvenAdaptive<T>::SetLambda(double lambda, SvenAdaptiveState& state) const {
  const double least =
      std::min(std::max(state.floor, profile_.lambda_min), options_.lambda_max);
  state.lambda = std::clamp(lambda, least, options_.lambda_max);
}

template <class T>
double SvenAdaptive<T>::NextLambda(double lambda, double used,
                                   double gain) const {
  // Filters that cut do not say what they used.
  const double least = std::max(lambda, used);
  if (!(gain > options_.accept)) return least * options_.reject;
  if (gain < options_.poor) return least * options_.increase;
  return gain > options_.good ? lambda * options_.decrease : lambda;
}

template <class T>
double SvenAdaptive<T>::Gain(BatchProblem<T>& problem,
                             std::span<const T> update,
                             const StepReport& report) {
  const double loss = trial_.Loss(problem, update);
  if (!(loss < report.loss)) return 0;  // also for NaN
  if (profile_.conditions.kind == Conditions::kOutputs) {
    // A loss is the sum of its R^2, but half of it under cross-entropy.
    const bool half = problem.LossFunction().kind == nn::Loss::kCrossEntropy;
    const auto B = static_cast<double>(problem.BatchSize());
    return (report.loss - loss) * B * (half ? 2 : 1) /
           report.predicted_decrease;
  }
  // R^2 = l^kappa
  const double kappa = profile_.conditions.kappa;
  const std::span<const double> before = problem.Losses();
  const std::span<const double> after = problem.TrialLosses();
  double decrease = 0;
  for (std::size_t a = 0; a < before.size(); ++a) {
    decrease += std::pow(before[a], kappa) - std::pow(after[a], kappa);
  }
  return decrease / report.predicted_decrease;
}

template <class T>
StepReport SvenAdaptive<T>::Propose(BatchProblem<T>& problem,
                                    const ScheduleFactors& factors,
                                    std::span<T> update) {
  profile_ = ChooseProfile(problem);
  core::Linearization<T>& conditions =
      source_.Linearize(problem, profile_.conditions);
  SvenAdaptiveState next = Steered(conditions.Loss(), problem.BatchSize());
  const double rate =
      profile_.learning_rate * factors.learning_rate * next.rate;
  const double longest =
      RelativeLimit<T>(options_.norm_limit, problem.Net().Parameters());
  StepReport report;
  for (Index attempt = 0; attempt < options_.attempts; ++attempt) {
    const core::StepOptions step{.learning_rate = rate,
                                 .weighting = Damping(next),
                                 .road = core::Road::kGram};
    report = attempt == 0 ? solver_.Compute(conditions, step, update)
                          : solver_.Recompute(conditions, step, update);
    problem.seconds += report.seconds;
    // A batch that is met already teaches nothing.
    if (!report.Applied() || report.update_norm == 0) return report;
    Shorten<T>(longest, update, report);
    const double gain = Gain(problem, update, report);
    const bool accepted = gain > options_.accept;
    SetLambda(NextLambda(next.lambda, report.damping, gain), next);
    if (accepted) {
      state_ = next;
      DecayWeights<T>(problem.Net(), profile_.decay, update, report);
      return report;
    }
  }
  state_ = next;
  report.status = StepStatus::kRejected;
  report.predicted_decrease = 0;
  return report;
}

template class SvenAdaptive<float>;
template class SvenAdaptive<double>;

}  // namespace sven::optim
