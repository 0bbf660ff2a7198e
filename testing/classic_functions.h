// SPDX-License-Identifier: MIT
//
// Helpers of the lists in classic_problems_*.cc.
#ifndef SVEN_TESTING_CLASSIC_FUNCTIONS_H_
#define SVEN_TESTING_CLASSIC_FUNCTIONS_H_

#include <utility>

#include "testing/classic_problems.h"

namespace sven::testing {

template <class T>
using In = std::span<const T>;
template <class T>
using Out = std::span<T>;

// What the table says of a problem besides its function.
struct ClassicFacts {
  int number;
  std::string name;
  Index conditions;
  std::vector<double> start;
  std::vector<double> minima;
};

template <class F>
ClassicProblem Classic(ClassicFacts facts, F function) {
  const Index m = facts.conditions;
  return {.number = facts.number,
          .name = std::move(facts.name),
          .parameters = std::ssize(facts.start),
          .conditions = m,
          .start = std::move(facts.start),
          .minima = std::move(facts.minima),
          .add = [m, function](solve::Problem<double>& problem) {
            problem.Add("all", m, function);
          }};
}

// Numbers 1 to 12, 13 to 20 and 22, 21 and 23 to 35.
void AddSmallProblems(std::vector<ClassicProblem>& list);
void AddFittingProblems(std::vector<ClassicProblem>& list);
void AddProblemsOfAnySize(std::vector<ClassicProblem>& list);

}  // namespace sven::testing

#endif  // SVEN_TESTING_CLASSIC_FUNCTIONS_H_
