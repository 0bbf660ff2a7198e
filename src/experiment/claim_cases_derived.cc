// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "claim_cases.h"

namespace sven::experiment {

Cases NaturalGradient(const Results& results) {
  const double difference = results.identities.natural_gradient_difference;
  if (std::isnan(difference)) return {};
  return {{fmt::format("relative difference {:.1e}", difference),
           difference < 1e-6}};
}

Cases KappaIsAPrefactor(const Results& results) {
  const double cosine = results.identities.kappa_cosine;
  if (std::isnan(cosine)) return {};
  return {{fmt::format("cosine {:.3f} between the two steps", cosine),
           cosine > 0.999}};
}

Cases ExponentialDecay(const Results& results) {
  const double error = results.identities.linear_decay_error;
  const double rate = results.identities.network_decay_rate;
  Cases cases;
  if (!std::isnan(error)) {
    cases.push_back(
        {fmt::format("linear model: largest deviation {:.1e}", error),
         error < 1e-6});
  }
  if (!std::isnan(rate)) {
    cases.push_back(
        {fmt::format("network, 16 samples: {:.2f} times the rate", rate),
         std::abs(rate - 1) < 0.2});
  }
  return cases;
}

Cases OneConditionIsSgd(const Results& results) {
  const double cosine = results.identities.one_condition_cosine;
  if (std::isnan(cosine)) return {};
  return {{fmt::format("cosine {:.9f} between the two steps", cosine),
           cosine > 1 - 1e-9}};
}

Cases KappaOneIsBetter(const Results& results) {
  Cases cases;
  const ExperimentResult* kappa = results.Find("kappa");
  if (kappa == nullptr) return cases;
  for (const PaperTask& task : kPaperTasks) {
    const auto loss = [&](double value) {
      return LossOf(*kappa, "sven", [&](const PointResult& point) {
        return point.Setting("task") == task.name &&
               point.Number("kappa") == value;
      });
    };
    if (std::isnan(loss(1)) || std::isnan(loss(2))) continue;
    cases.push_back(
        {fmt::format("{}: {} with 0.5, {} with 1, {} with 1.5, {} "
                     "with 2",
                     task.title, LossText(loss(0.5)), LossText(loss(1)),
                     LossText(loss(1.5)), LossText(loss(2))),
         loss(1) < loss(2)});
  }
  return cases;
}

}  // namespace sven::experiment
