// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_SUMMARY_H_
#define SVEN_SOLVE_SUMMARY_H_

#include <string>

#include "sven/base/enum_names.h"
#include "sven/base/types.h"

namespace sven::solve {

// Why Solve ended. Converged:
enum class Ending {
  kGradient,  // no direction to first order
  kStep,      // the step is small
  kCost,      // the cost hardly changes
  kTarget,    // the cost is as small as was asked for
  kMet,       // every condition holds to the rounding of its terms
  // Not converged:
  kIterations,
  kTime,
  kObserver,   // an observer said stop
  kStalled,    // no step, however short, lowers the cost
  kNonFinite,  // NaN or infinity; theta is the last good one
};

struct Summary {
  Ending ending = Ending::kIterations;
  // |R|^2, weighted, of all conditions.
  double initial_cost = 0;
  double final_cost = 0;
  // At the last linearisation: the largest |M_i . R| / (|M_i| |R|) of all
  // columns i of M that are free to move; the cosine of an angle.
  double gradient = 0;
  // |delta| of the last step.
  double step = 0;
  Index conditions = 0;  // of a step
  Index parameters = 0;
  Index iterations = 0;
  Index accepted = 0;
  // Of the residuals, and of their derivatives.
  Index evaluations = 0;
  Index linearisations = 0;
  double seconds = 0;
  // What else there is to say, such as the condition that is not finite.
  std::string message;

  [[nodiscard]] bool Converged() const { return ending <= Ending::kMet; }
  // One line: "converged (cost): |R|^2 24.2 -> 1.2e-28 in 16 iterations, ..."
  [[nodiscard]] std::string Brief() const;
  // Everything, one thing per line.
  [[nodiscard]] std::string Full() const;
};

}  // namespace sven::solve

template <>
struct sven::EnumNames<sven::solve::Ending> {
  using Ending = solve::Ending;
  static constexpr std::pair<std::string_view, Ending> kTable[] = {
      {"gradient", Ending::kGradient}, {"step", Ending::kStep},
      {"cost", Ending::kCost},         {"target", Ending::kTarget},
      {"met", Ending::kMet},           {"iterations", Ending::kIterations},
      {"time", Ending::kTime},         {"observer", Ending::kObserver},
      {"stalled", Ending::kStalled},   {"non_finite", Ending::kNonFinite},
  };
};

#endif  // SVEN_SOLVE_SUMMARY_H_
