// SPDX-License-Identifier: MIT
#include "testing/classic_problems.h"

#include <algorithm>
#include <cmath>

#include "testing/classic_functions.h"

namespace sven::testing {
namespace {

bool Reaches(double cost, double minimum) {
  // The published values have six digits.
  if (minimum == 0) return cost <= 1e-15;
  return cost >= 0 && std::abs(cost - minimum) <= 1e-4 * minimum;
}

}  // namespace

std::vector<double> ClassicProblem::StartTimes(double factor) const {
  std::vector<double> theta = start;
  if (factor == 1) return theta;
  const bool zero = std::ranges::all_of(start, [](double x) { return x == 0; });
  for (double& x : theta) x = zero ? factor : factor * x;
  return theta;
}

bool ClassicProblem::IsMinimum(double cost) const {
  return std::ranges::any_of(
      minima, [&](double minimum) { return Reaches(cost, minimum); });
}

bool ClassicProblem::IsGlobalMinimum(double cost) const {
  return Reaches(cost, minima.front());
}

const std::vector<ClassicProblem>& ClassicProblems() {
  static const std::vector<ClassicProblem> list = [] {
    std::vector<ClassicProblem> problems;
    AddSmallProblems(problems);
    AddFittingProblems(problems);
    AddProblemsOfAnySize(problems);
    std::ranges::stable_sort(problems, {}, &ClassicProblem::number);
    return problems;
  }();
  return list;
}

}  // namespace sven::testing
