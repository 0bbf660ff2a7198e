// SPDX-License-Identifier: MIT
//
// The table of docs/conditions.md: Solve on the problems of More, Garbow and
// Hillstrom from the standard starting point and 10 and 100 times as far away.
// Usage: classic_problems [adaptive]
#include "testing/classic_problems.h"

#include <fmt/format.h>

#include <exception>

#include "sven/solve/solve.h"

namespace {

using sven::solve::Summary;
using sven::testing::ClassicProblem;

struct Totals {
  int global = 0;
  int local = 0;
  int none = 0;
};

// "12 / 10", evaluations of R and of M, and a word where that did not lead to the
// global minimum.
std::string Cell(const ClassicProblem& classic, double factor,
                 const sven::solve::Method& method, Totals& totals) {
  sven::solve::Problem<double> problem(classic.parameters);
  classic.add(problem);
  std::vector<double> theta = classic.StartTimes(factor);
  const Summary summary = sven::Solve(problem, theta, {.method = method});
  const std::string counts =
      fmt::format("{} / {}", summary.evaluations, summary.linearisations);
  if (classic.IsGlobalMinimum(summary.final_cost)) {
    ++totals.global;
    return counts;
  }
  if (classic.IsMinimum(summary.final_cost)) {
    ++totals.local;
    return fmt::format("{}, local {:.4g}", counts, summary.final_cost);
  }
  ++totals.none;
  if (summary.linearisations == 0) return "overflow";
  return fmt::format("{}, **no**: {:.4g}", counts, summary.final_cost);
}

void PrintTable(const sven::solve::Method& method) {
  constexpr double kFactors[] = {1, 10, 100};
  Totals totals[3];
  fmt::print("| no. | problem | m | n | x0 | 10 x0 | 100 x0 |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const ClassicProblem& classic : sven::testing::ClassicProblems()) {
    fmt::print("| {} | {} | {} | {} |", classic.number, classic.name,
               classic.conditions, classic.parameters);
    for (int i = 0; i < 3; ++i) {
      fmt::print(" {} |", Cell(classic, kFactors[i], method, totals[i]));
    }
    fmt::print("\n");
  }
  fmt::print("| | **global / local / none** | | |");
  for (const Totals& t : totals) {
    fmt::print(" {} / {} / {} |", t.global, t.local, t.none);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::string_view(argv[1]) == "adaptive") {
      PrintTable(sven::solve::AdaptiveSven{});
    } else {
      PrintTable(sven::solve::LevenbergMarquardt{});
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "classic_problems: {}\n", error.what());
    return 1;
  }
  return 0;
}
