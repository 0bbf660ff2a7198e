// SPDX-License-Identifier: MIT
#include "sven/optim/chain.h"

#include <algorithm>
#include <limits>
#include <string>

namespace sven::optim {
namespace {

void Refuse(std::string_view field, const std::string& value,
            std::string_view why) {
  throw UsageError("ChainOptions::" + std::string(field) + " = " + value +
                   ": " + std::string(why));
}

void CheckSchedule(std::string_view field, const Schedule& schedule,
                   bool has_setting, std::string_view setting) {
  if (has_setting || schedule == Schedule{}) return;
  Refuse(field, schedule.ToText(),
         "this method has no setting " + std::string(setting));
}

}  // namespace

void ChainOptions::SetHorizon(Index steps) {
  for (Schedule* s :
       {&schedule, &lambda_schedule, &k_schedule, &rtol_schedule}) {
    if (s->NeedsLength() && !s->steps) s->steps = steps;
  }
}

void ChainOptions::Validate() const {
  ValidateFields("ChainOptions", *this);
  schedule.Validate("ChainOptions::schedule");
  lambda_schedule.Validate("ChainOptions::lambda_schedule");
  const bool cycle = lambda_schedule.kind == ScheduleKind::kOneCycle;
  if (lambda_schedule.NeedsLength() &&
      (lambda_schedule.end == 0 || (cycle && lambda_schedule.start == 0))) {
    Refuse("lambda_schedule", lambda_schedule.ToText(),
           "the damping must stay positive; set start > 0 and end > 0");
  }
  k_schedule.Validate("ChainOptions::k_schedule");
  rtol_schedule.Validate("ChainOptions::rtol_schedule");
}

void CheckFit(const ChainOptions& chain, const ChainFit& fit, bool has_lambda,
              bool has_k, bool has_rtol) {
  CheckSchedule("lambda_schedule", chain.lambda_schedule, has_lambda, "lambda");
  CheckSchedule("k_schedule", chain.k_schedule, has_k, "k");
  CheckSchedule("rtol_schedule", chain.rtol_schedule, has_rtol, "rtol");
  if (chain.clip && !fit.clip) {
    Refuse("clip", FormatValue(chain.clip),
           std::string("this method does not follow the gradient of the mean "
                       "loss; ") +
               (fit.max_update ? "max_update limits its step" : "lower lr"));
  }
  if (chain.max_update && !fit.max_update) {
    Refuse("max_update", FormatValue(chain.max_update),
           "what this method remembers belongs to its whole update; lower lr");
  }
  if (chain.decoupled_decay != 0 && !fit.decoupled_decay) {
    Refuse("decoupled_decay", FormatValue(chain.decoupled_decay),
           "this method has a weight decay of its own, or none that it could "
           "take; see its settings");
  }
  if (chain.ema && !fit.ema) {
    Refuse("ema", FormatValue(chain.ema),
           "this method is evaluated at its own average already");
  }
}

ScheduleFactors FactorsAt(const ChainOptions& chain, Index step) {
  return {.learning_rate = chain.schedule.At(step),
          .lambda = chain.lambda_schedule.At(step),
          .k = chain.k_schedule.At(step),
          .rtol = chain.rtol_schedule.At(step)};
}

double ScheduledLambda(double lambda, const ScheduleFactors& factors) {
  using Limits = std::numeric_limits<double>;
  return std::clamp(lambda * factors.lambda, Limits::min(), Limits::max());
}

}  // namespace sven::optim
