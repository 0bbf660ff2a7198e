// SPDX-License-Identifier: MIT
//
// What every optimizer can be combined with, around the method itself:
//
//   settings of this step (schedules) -> gradient -> clip -> the method's update
//   -> limit on its norm -> decoupled weight decay -> parameters -> average
#ifndef SVEN_OPTIM_CHAIN_H_
#define SVEN_OPTIM_CHAIN_H_

#include <optional>
#include <string_view>

#include "sven/base/fields.h"
#include "sven/optim/schedule.h"

namespace sven::optim {

struct ChainOptions {
  // Of the learning rate, and of other settings for the methods that have them.
  Schedule schedule = {};
  Schedule lambda_schedule = {};
  Schedule k_schedule = {};
  Schedule rtol_schedule = {};
  // g <- g min(1, clip / (|g| + 1e-6)), as PyTorch's clip_grad_norm_.
  std::optional<double> clip = std::nullopt;
  // The update is shortened to this norm if it is longer.
  std::optional<double> max_update = std::nullopt;
  // p <- p - lr decoupled_decay p, beside the update.
  double decoupled_decay = 0;
  // The average for evaluation. After step n, counted from 1:
  //   a <- b a + (1 - b) p,   b = min(ema, n / (n + 9)),  b = 0 for n = 1,
  // so that the first steps are soon forgotten.
  std::optional<double> ema = std::nullopt;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"schedule",
                "of the learning rate: constant, step, exponential, cosine or "
                "one_cycle, such as cosine:warmup=100,end=0.01"},
          self.schedule);
    visit(Field{"lambda_schedule", "of the damping lambda"},
          self.lambda_schedule);
    visit(Field{"k_schedule", "of the number k of singular values"},
          self.k_schedule);
    visit(Field{"rtol_schedule", "of the cut-off rtol"}, self.rtol_schedule);
    visit(Field{"clip",
                "shorten the gradient to this norm",
                {.low = 0, .low_open = true}},
          self.clip);
    visit(Field{"max_update",
                "shorten the update to this norm",
                {.low = 0, .low_open = true}},
          self.max_update);
    visit(Field{"decoupled_decay",
                "weight decay beside the update, times lr",
                {.low = 0}},
          self.decoupled_decay);
    visit(Field{"ema",
                "evaluate with the running average of the weights: share kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.ema);
  }

  // Schedules that need a length and have none get this one.
  void SetHorizon(Index steps);

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;

  bool operator==(const ChainOptions&) const = default;
};

// Which parts of the chain make sense for a method; the others are refused.
struct ChainFit {
  // The method uses the gradient of the mean loss, so it can be clipped.
  bool clip = false;
  // False if what the method remembers would no longer fit a shortened update.
  bool max_update = true;
  // False if the method decouples its own weight decay.
  bool decoupled_decay = true;
  // False if the method averages on its own.
  bool ema = true;
};

// Throws a UsageError for a part of the chain that does not go with the method,
// among them a schedule of a setting that is not in `Options`.
void CheckFit(const ChainOptions& chain, const ChainFit& fit, bool has_lambda,
              bool has_k, bool has_rtol);

template <class Options>
bool HasField(std::string_view name) {
  bool found = false;
  const Options options;
  Options::VisitFields(options, [&](const Field& field, const auto&) {
    found = found || field.name == name;
  });
  return found;
}

template <class Options>
void ValidateChain(const ChainOptions& chain) {
  chain.Validate();
  CheckFit(chain, Options::kChainFit, HasField<Options>("lambda"),
           HasField<Options>("k"), HasField<Options>("rtol"));
}

// The factors of one step.
struct ScheduleFactors {
  double learning_rate = 1;
  double lambda = 1;
  double k = 1;
  double rtol = 1;
};

ScheduleFactors FactorsAt(const ChainOptions& chain, Index step);

// The damping of this step: positive and finite whatever the schedule.
double ScheduledLambda(double lambda, const ScheduleFactors& factors);

}  // namespace sven::optim

#endif  // SVEN_OPTIM_CHAIN_H_
