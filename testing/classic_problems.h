// SPDX-License-Identifier: MIT
//
// The least-squares problems of More, Garbow and Hillstrom, Testing Unconstrained
// Optimization Software, ACM TOMS 7 (1981), with their numbers there, standard
// starting points and known minima.
#ifndef SVEN_TESTING_CLASSIC_PROBLEMS_H_
#define SVEN_TESTING_CLASSIC_PROBLEMS_H_

#include <functional>
#include <string>
#include <vector>

#include "sven/solve/problem.h"

namespace sven::testing {

struct ClassicProblem {
  int number = 0;
  std::string name;
  Index parameters = 0;
  Index conditions = 0;
  std::vector<double> start;
  // |R|^2 at the known minima, the global one first, then local ones. Some of
  // these are approached only as parameters go to infinity, and one (Gulf, 32.835)
  // is a plateau where every exponential has underflowed. Those that the paper
  // does not list were found by Solve and are where its gradient vanishes.
  std::vector<double> minima;
  // Adds the conditions, differentiated automatically, as the group "all".
  std::function<void(solve::Problem<double>&)> add;

  // factor * start; where the start is zero, factor in every entry, as is the
  // custom. A factor of 1 is the start itself.
  [[nodiscard]] std::vector<double> StartTimes(double factor) const;

  // Whether a cost is within 1e-4 of a known minimum, or below 1e-15 if that is
  // zero.
  [[nodiscard]] bool IsMinimum(double cost) const;
  [[nodiscard]] bool IsGlobalMinimum(double cost) const;
};

// All 35.
const std::vector<ClassicProblem>& ClassicProblems();

}  // namespace sven::testing

#endif  // SVEN_TESTING_CLASSIC_PROBLEMS_H_
