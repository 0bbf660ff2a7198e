// SPDX-License-Identifier: MIT
#include "sven/solve/summary.h"

#include <fmt/format.h>

namespace sven::solve {

std::string Summary::Brief() const {
  return fmt::format(
      "{} ({}): |R|^2 {:.6g} -> {:.6g} in {} iterations, {} evaluations, "
      "{:.3g} "
      "s{}{}",
      Converged() ? "converged" : "not converged", Name(ending), initial_cost,
      final_cost, iterations, evaluations, seconds, message.empty() ? "" : "; ",
      message);
}

std::string Summary::Full() const {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };
  line("ending", fmt::format("{}, {}", Name(ending),
                             Converged() ? "converged" : "not converged"));
  if (!message.empty()) line("", message);
  line("conditions", fmt::format("{}", conditions));
  line("parameters", fmt::format("{}", parameters));
  line("initial |R|^2", fmt::format("{:.10g}", initial_cost));
  line("final |R|^2", fmt::format("{:.10g}", final_cost));
  line("gradient", fmt::format("{:.3g}", gradient));
  line("last step", fmt::format("{:.3g}", step));
  line("iterations", fmt::format("{}, {} accepted", iterations, accepted));
  line("evaluations",
       fmt::format("{} of R, {} of M", evaluations, linearisations));
  line("seconds", fmt::format("{:.4g}", seconds));
  return text;
}

}  // namespace sven::solve
