// SPDX-License-Identifier: MIT
#include "loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sven/linalg/norm.h"

namespace sven::solve {
namespace {

// Steps tried from one place; damping has grown beyond any use before that.
constexpr int kAttempts = 60;

// Costs whose rounding would not be a number any more.
constexpr double kNothing = 1e-280;

// Steps in a row that are taken back for the derivatives where they end.
constexpr int kRetreats = 20;

constexpr const char* kNoStep = "no step lowers the cost";
constexpr const char* kCutOff =
    "what is left to gain lies in directions that the truncation leaves out; "
    "lower rtol, raise k, or use another method";

}  // namespace

template <class T>
Summary Loop<T>::Run() {
  summary_.parameters = system_.NumParameters();
  summary_.conditions = system_.NumSummed();
  summary_.initial_cost = system_.FullCost(theta_);
  summary_.final_cost = summary_.initial_cost;
  ++summary_.evaluations;
  if (!std::isfinite(summary_.initial_cost)) {
    End(Ending::kNonFinite, "at the start, " + Fault());
  }
  CheckLimits();
  while (!done_ && Arrive() && Advance()) CheckLimits();

  if (!sampled_ && best_cost_ < cost_) {
    theta_ = best_;
    const double slight = 10 * std::max(options_.tolerances.cost, kRounding);
    if (summary_.Converged() && cost_ - best_cost_ > slight * best_cost_) {
      End(Ending::kStalled, "a better place was left behind, and is returned");
    }
  }
  if (summary_.accepted > 0) {
    summary_.final_cost =
        sampled_ ? system_.FullCost(theta_) : std::min(cost_, best_cost_);
  }
  if (sampled_ && !std::isfinite(summary_.final_cost)) ReturnToStart();
  summary_.seconds = stopwatch_.Seconds();
  return summary_;
}

// Of all places only the start is known to be good for all conditions.
template <class T>
void Loop<T>::ReturnToStart() {
  if (!std::isfinite(summary_.initial_cost)) return;
  if (summary_.ending != Ending::kNonFinite) {
    End(Ending::kNonFinite, "in the end, " + Fault());
  }
  theta_ = start_;
  summary_.final_cost = summary_.initial_cost;
}

template <class T>
std::string Loop<T>::Fault() const {
  const std::string fault = system_.Fault();
  return fault.empty()
             ? "the parameters or the sum of all squares are not finite"
             : fault;
}

template <class T>
bool Loop<T>::Arrive() {
  if (sampled_) system_.Draw(random_);
  system_.MoveTo(theta_);
  ++summary_.linearisations;
  cost_ = system_.CostHere();
  summary_.conditions = system_.NumSummed();
  if (!std::isfinite(cost_)) {
    End(Ending::kNonFinite, Fault());
    if (sampled_ && stepped_) theta_.swap(trial_);  // where it came from
    return false;
  }
  KeepBest();
  survey_.Look(system_, theta_, options_.bounds);
  if (!sampled_ && !std::isfinite(survey_.Gradient()) && Retreat()) {
    return Arrive();
  }
  if (stepped_) {
    retreats_ = 0;
    half_way_ = false;
  }
  stepped_ = false;
  summary_.gradient = survey_.Gradient();
  if (sampled_) return true;
  const double target = options_.tolerances.target;
  if (target > 0 && cost_ <= target) {
    End(Ending::kTarget);
  } else if (cost_ == 0 || survey_.Met()) {
    End(Ending::kMet);
  } else if (survey_.Gradient() <= Floor(options_.tolerances.gradient)) {
    End(Ending::kGradient);
  }
  return !done_;
}

// A good place to end at, but none to go on from: the derivatives there are not
// finite. A shorter step will hardly end at such a place again; one that a bound
// has cut off is tried again half of the way to it.
template <class T>
bool Loop<T>::Retreat() {
  if (!stepped_ || cost_ == 0 || !stepper_->TriesAgain()) return false;
  if (cost_ < best_cost_) {
    best_cost_ = cost_;
    best_ = theta_;
  }
  if (++retreats_ > kRetreats) return false;
  if (cut_off_ && !half_way_) {
    half_way_ = true;
  } else {
    stepper_->Judge({.cost = last_trial_.cost,
                     .trial_cost = std::numeric_limits<double>::infinity(),
                     .predicted = last_trial_.predicted});
  }
  theta_.swap(trial_);
  stepped_ = false;
  return true;
}

// Methods that do not look at the cost may have been at a better place before.
template <class T>
void Loop<T>::KeepBest() {
  if (sampled_ || stepper_->TriesAgain() || !(cost_ < best_cost_)) return;
  best_cost_ = cost_;
  best_ = theta_;
}

template <class T>
bool Loop<T>::Advance() {
  ++summary_.iterations;
  if (sampled_ && (survey_.Met() || cost_ < kNothing)) {
    // These conditions have nothing to say.
    Observe(/*gain=*/0, /*accepted=*/false);
    return !done_;
  }
  own_step_ = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    StepReport report = Propose(attempt > 0);
    if (!report.Applied()) {
      EndWith(report.status);
      Observe(/*gain=*/0, /*accepted=*/false);
      return !done_;
    }
    cut_off_ = !StayWithinBounds();
    if (cut_off_) MeasureAgain(report);
    summary_.step = report.update_norm;
    relative_step_ = RelativeStep();
    if (stepper_->Undamped()) own_step_ = std::min(own_step_, relative_step_);
    const bool nowhere_to_go = NowhereToGo();
    const Trial trial{.cost = cost_,
                      .trial_cost = Cost(trial_),
                      .predicted = report.predicted_decrease};
    const bool accepted = stepper_->Judge(trial);
    if (accepted) Take(trial);
    if (!sampled_) TestConvergence(trial, accepted, nowhere_to_go);
    if (accepted || done_) {
      Observe(trial.Gain(), accepted);
      return !done_;
    }
    if (!MayTryAgain()) {
      Observe(trial.Gain(), accepted);
      return false;
    }
  }
  if (!sampled_) End(Ending::kStalled, kNoStep);
  stepper_->GiveUp();
  Observe(/*gain=*/0, /*accepted=*/false);
  return !done_;
}

template <class T>
void Loop<T>::EndWith(StepStatus status) {
  if (status != StepStatus::kRankZero) {
    const std::string entry = survey_.NonFiniteEntry(system_);
    End(Ending::kNonFinite,
        !entry.empty() ? entry
                       : fmt::format("the step ended with {}", Name(status)));
  } else if (!sampled_) {
    // Mostly, nothing depends on the parameters any more. (A batch of such
    // conditions is passed over.)
    const bool flat = survey_.Gradient() <= Floor(options_.tolerances.gradient);
    End(flat ? Ending::kGradient : Ending::kStalled, flat ? "" : kNoStep);
  }
}

template <class T>
void Loop<T>::TestConvergence(const Trial& trial, bool accepted,
                              bool nowhere_to_go) {
  const bool small = relative_step_ <= Floor(options_.tolerances.step);
  if (nowhere_to_go && CostIsSettled(trial)) {
    End(Ending::kCost);
  } else if (nowhere_to_go && small) {
    End(Ending::kStep);
  } else if (small && !accepted) {
    End(Ending::kStalled, kNoStep);
  } else if (small && !stepper_->TriesAgain()) {
    const bool left = cost_ > kRounding * summary_.initial_cost;
    End(left ? Ending::kStalled : Ending::kStep, left ? kCutOff : "");
  }
}

template <class T>
bool Loop<T>::MayTryAgain() {
  if (!stepper_->TriesAgain()) {
    End(Ending::kNonFinite, "after the step, " + Fault());
  } else if (TimeIsUp()) {
    End(Ending::kTime);
  }
  return !done_;
}

template <class T>
StepReport Loop<T>::Propose(bool again) {
  const Situation<T> at{.conditions = survey_.Conditions(),
                        .theta = theta_,
                        .norms = survey_.Norms(),
                        .largest = survey_.Largest(),
                        .dense = survey_.Dense(),
                        .again = again,
                        .sampled = sampled_};
  StepReport report = stepper_->Propose(at, update_);
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    if (survey_.Holds(i)) update_[i] = T(0);
    trial_[i] = theta_[i] + update_[i];
  }
  return report;
}

// False if the step had to be shortened in some parameter.
template <class T>
bool Loop<T>::StayWithinBounds() {
  bool inside = true;
  const auto move = [&](std::size_t i, T bound) {
    trial_[i] = half_way_ ? theta_[i] + (bound - theta_[i]) / 2 : bound;
    update_[i] = trial_[i] - theta_[i];
    inside = false;
  };
  const auto& [lower, upper] = options_.bounds;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (trial_[i] < lower[i]) move(i, lower[i]);
  }
  for (std::size_t i = 0; i < upper.size(); ++i) {
    if (trial_[i] > upper[i]) move(i, upper[i]);
  }
  return inside;
}

// |delta| and |R|^2 - |R + M delta|^2 for a step that is not the method's own.
template <class T>
void Loop<T>::MeasureAgain(StepReport& report) {
  report.update_norm = linalg::Norm<T>(update_);
  const std::span<const double> R = system_.Residuals();
  change_.resize(R.size());
  system_.PushForward(update_, change_);
  report.predicted_decrease = 0;
  for (std::size_t a = 0; a < R.size(); ++a) {
    report.predicted_decrease -= change_[a] * (2 * R[a] + change_[a]);
  }
}

template <class T>
double Loop<T>::Cost(std::span<const T> theta) {
  ++summary_.evaluations;
  if (!ConstVectorView<T>(theta.data(), std::ssize(theta)).allFinite()) {
    return std::numeric_limits<double>::infinity();
  }
  return system_.Cost(theta);
}

// Small steps and small gains mean that there is nowhere to go, unless they are
// small because damping holds them back.
template <class T>
bool Loop<T>::NowhereToGo() const {
  constexpr double kSmallGradient = 1e-4;
  const double small = std::sqrt(double{std::numeric_limits<T>::epsilon()});
  return stepper_->Undamped() || own_step_ <= small ||
         survey_.Gradient() <= kSmallGradient;
}

template <class T>
double Loop<T>::RelativeStep() const {
  const std::span<const double> D = survey_.Sizes();
  double step = 0;
  double size = 0;
  double scaled_step = 0;
  double scaled_size = 0;
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    const double d = update_[i];
    const double x = trial_[i];
    step += d * d;
    size += x * x;
    scaled_step += D[i] * D[i] * d * d;
    scaled_size += D[i] * D[i] * x * x;
  }
  if (!(size > 0 && scaled_size > 0)) {
    return std::numeric_limits<double>::infinity();
  }
  return std::sqrt(std::max(step / size, scaled_step / scaled_size));
}

template <class T>
bool Loop<T>::CostIsSettled(const Trial& trial) const {
  const double limit = Floor(options_.tolerances.cost) * trial.cost;
  return std::abs(trial.cost - trial.trial_cost) <= limit &&
         trial.predicted <= limit && trial.Gain() <= 2;
}

template <class T>
void Loop<T>::Take(const Trial& trial) {
  theta_.swap(trial_);
  stepped_ = true;
  last_trial_ = trial;
  cost_ = trial.trial_cost;
  ++summary_.accepted;
  KeepBest();
}

template <class T>
void Loop<T>::Observe(double gain, bool accepted) {
  const Iteration<T> iteration{.number = summary_.iterations,
                               .accepted = accepted,
                               .cost = cost_,
                               .gradient = survey_.Gradient(),
                               .step = summary_.step,
                               .gain = gain,
                               .damping = stepper_->Damping(),
                               .seconds = stopwatch_.Seconds(),
                               .theta = theta_};
  for (const Observer<T>& observer : options_.observers) {
    if (observer(iteration) == Next::kStop && !done_) End(Ending::kObserver);
  }
}

template <class T>
void Loop<T>::CheckLimits() {
  if (done_) return;
  if (summary_.iterations >= options_.max_iterations) End(Ending::kIterations);
  if (TimeIsUp()) End(Ending::kTime);
}

template class Loop<float>;
template class Loop<double>;

}  // namespace sven::solve
