// SPDX-License-Identifier: MIT
//
// Solve makes |R(theta)|^2 small, from where theta stands.
//
//   const solve::Summary summary = sven::Solve(problem, theta);
//   fmt::print("{}\n", summary.Brief());
//
// docs/conditions.md is the introduction.
#ifndef SVEN_SOLVE_SOLVE_H_
#define SVEN_SOLVE_SOLVE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "sven/solve/bounds.h"
#include "sven/solve/method.h"
#include "sven/solve/problem.h"
#include "sven/solve/summary.h"
#include "sven/solve/system.h"

namespace sven::solve {

// All are relative, and none is taken below the rounding of T. A test that is not
// wanted is switched off by 0. They are not looked at where conditions are drawn
// anew for each step.
struct Tolerances {
  // |M_i . R| <= gradient |M_i| |R| for every column i of M that is free to move.
  // (Above 4 million entries of M its columns' norms are estimates.)
  double gradient = 1e-10;
  // |D delta| <= step |D theta|, with D_i = |M_i|, and |delta| <= step |theta|.
  double step = 1e-10;
  // Decrease of |R|^2, actual and predicted, <= cost |R|^2.
  double cost = 1e-14;
  // |R|^2 <= target. This one is absolute.
  double target = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"gradient", "angle to the columns", {.low = 0}}, self.gradient);
    visit(Field{"step", "relative step", {.low = 0}}, self.step);
    visit(Field{"cost", "relative decrease", {.low = 0}}, self.cost);
    visit(Field{"target", "cost that is enough", {.low = 0}}, self.target);
  }
};

// What an observer is told after each iteration, also one without a step. Where
// conditions are drawn, costs are those of the drawn ones.
template <class T>
struct Iteration {
  Index number = 0;  // from 1 on
  bool accepted = false;
  double cost = 0;  // after it
  double gradient = 0;
  double step = 0;
  double gain = 0;  // rho
  double damping = 0;
  double seconds = 0;  // since the start
  std::span<const T> theta;
};

enum class Next { kContinue, kStop };

template <class T>
using Observer = std::function<Next(const Iteration<T>&)>;

// Writes a line per iteration to stderr.
template <class T>
Observer<T> PrintIterations();

// When Jacobians that were written by hand are compared with finite differences
// (CheckJacobian): never; where a run that failed began and ended; where it begins.
// A wrong entry is a DataError that names it.
enum class JacobianCheck { kNever, kOnFailure, kAtStart };

template <class T>
struct SolveOptions {
  Method method = LevenbergMarquardt{};
  Tolerances tolerances = {};
  Index max_iterations = 1000;
  double max_seconds = std::numeric_limits<double>::infinity();
  Bounds<T> bounds = {};
  std::vector<Observer<T>> observers = {};
  JacobianCheck check = JacobianCheck::kOnFailure;
  // Of the conditions that are drawn and of random projections.
  std::uint64_t seed = 0;

  // Throws a UsageError naming the first field that is wrong.
  void Validate(Index parameters) const;
};

}  // namespace sven::solve

namespace sven {

// Moves theta to where |R|^2 is least, as far as it gets; the summary says how
// far. Bounds are never left. Without drawing, theta is the best point seen.
//
// Throws a UsageError for wrong options or a theta outside of its bounds, and a
// DataError for a function that throws, writes too much or too little, or has a
// wrong Jacobian; theta is then as it was.
template <class T>
solve::Summary Solve(
    solve::System<T>& system, std::type_identity_t<std::span<T>> theta,
    const std::type_identity_t<solve::SolveOptions<T>>& options = {});

}  // namespace sven

#endif  // SVEN_SOLVE_SOLVE_H_
