// SPDX-License-Identifier: MIT
//
// The methods of Solve. With R, M and K = M M^T at theta, every step is
//
//     LevenbergMarquardt   delta = - D^-1 (M D^-1)^T (M D^-2 M^T + lambda)^-1 R
//     AdaptiveSven         delta = - M^T (K + lambda s)^-1 R
//     Sven                 delta = - lr M^+ R, truncated
//     Spring               delta = - lr phi,
//                          phi <- M^T (K + lambda)^-1 (R - mu M phi) + mu phi
//
// The first two try a step, compare what it gains with what was predicted, rho =
// actual / predicted decrease of |R|^2, and control lambda by that; the other two
// take their steps as they are.
#ifndef SVEN_SOLVE_METHOD_H_
#define SVEN_SOLVE_METHOD_H_

#include <optional>
#include <variant>

#include "sven/base/fields.h"
#include "sven/core/step.h"

namespace sven::solve {

// The method of choice for few parameters. D_i is the largest norm that column i
// of M has had, so that the units of the parameters do not matter; lambda is such
// that |D delta| is within a tenth of a radius (0 if the undamped step is within
// it); the radius follows rho. More, The Levenberg-Marquardt algorithm:
// implementation and theory (1978). Where M is too large to be looked at column
// by column, D is its largest singular value for all.
struct LevenbergMarquardt {
  // The first radius, in units of |D theta|, or of |R| if that is more.
  double radius = 100;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"radius", "first radius", {.low = 0, .low_open = true}},
          self.radius);
  }
};

// Sven with a soft edge that finds its own place: s is the largest eigenvalue of
// K. Accepted if rho > 0.05; lambda * 0.7 if rho > 0.75, * 2 if rho < 0.25;
// rejected: lambda * 4, and again from the same K. Lengths are measured as they
// are: of many solutions it ends in one close to the start.
struct AdaptiveSven {
  double lambda = 1e-3;  // the first one

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lambda", "first damping", {.low = 0, .low_open = true}},
          self.lambda);
  }
};

// As the paper has it.
struct Sven {
  double learning_rate = 1;
  core::PseudoInverse truncation = {};
  core::Road road = core::Road::kAuto;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    core::PseudoInverse::VisitFields(self.truncation, visit);
    visit(Field{"road", "how the singular values are found"}, self.road);
  }
};

// With a memory of the directions that a batch does not see; for sampled
// conditions.
struct Spring {
  double learning_rate = 0.1;
  double lambda = 1e-3;
  double mu = 0.9;
  // C in |lr phi|^2 <= C.
  std::optional<double> norm_limit = std::nullopt;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda",
                "damping, added to the squared singular values",
                {.low = 0, .low_open = true}},
          self.lambda);
    visit(Field{"mu",
                "share of the last direction kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.mu);
    visit(Field{"norm_limit",
                "limit of the squared norm of the update",
                {.low = 0, .low_open = true}},
          self.norm_limit);
  }
};

using Method = std::variant<LevenbergMarquardt, AdaptiveSven, Sven, Spring>;

}  // namespace sven::solve

#endif  // SVEN_SOLVE_METHOD_H_
