// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_CHECK_JACOBIAN_H_
#define SVEN_SOLVE_CHECK_JACOBIAN_H_

#include <span>
#include <string>
#include <vector>

#include "sven/base/fields.h"
#include "sven/solve/problem.h"

namespace sven::solve {

struct JacobianCheckOptions {
  // Relative difference from which on an entry counts as wrong, beyond what the
  // finite difference itself is uncertain by. 0: 1e-5 in double, 1e-2 in float.
  double tolerance = 0;
  // Conditions of a group, and parameters, that are looked at: all, or so many
  // at equal distances.
  Index rows = 1000;
  Index columns = 1000;
  // Leave out what is differentiated automatically.
  bool only_hand_written = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"tolerance", "relative difference", {.low = 0}},
          self.tolerance);
    visit(Field{"rows", "conditions of a group", {.low = 1}}, self.rows);
    visit(Field{"columns", "parameters", {.low = 1}}, self.columns);
    visit(Field{"only_hand_written", "not the automatic ones"},
          self.only_hand_written);
  }
};

enum class Finding {
  // An entry that finite differences do not agree with.
  kEntry,
  // PushForward and PullBack of a group: w.(M v) is not v.(M^T w).
  kProducts,
};

struct WrongEntry {
  Finding finding = Finding::kEntry;
  std::string group;
  Index row = 0;           // number of the condition in its group
  Index column = 0;        // number of the parameter
  double given = 0;        // of products: w.(M v) by PushForward
  double difference = 0;   // the finite difference; v.(M^T w) by PullBack
  double uncertainty = 0;  // of the latter

  // |given - difference| over the larger of the two.
  [[nodiscard]] double RelativeError() const;
  // "group 'data', condition 3, parameter 1: the Jacobian says -0.5, finite
  // differences 0.5; the sign is wrong"
  [[nodiscard]] std::string Describe() const;
};

// Compares the Jacobians of all groups with differences, extrapolated from two
// steps h and h/2, h about |theta_i| / 1000 (in float / 25); central ones, or
// what the bounds leave of them. Where they do not agree, a hundredth of the step
// is tried, and so on down to rounding: the function may change on a scale that
// has nothing to do with |theta_i|. Then compares the products of groups written
// by hand with each other, for random v and w. Unweighted residuals; the sampling
// plays no part. Conditions whose residual is not finite are passed over.
//
// What is wrong, the worst first; empty if all is well. Needs four evaluations of
// every group per parameter. Throws a UsageError for options or bounds out of
// range, or a theta of the wrong size or outside of its bounds.
template <class T>
std::vector<WrongEntry> CheckJacobian(
    const Problem<T>& problem, std::type_identity_t<std::span<const T>> theta,
    const JacobianCheckOptions& options = {},
    const std::type_identity_t<Bounds<T>>& bounds = {});

}  // namespace sven::solve

#endif  // SVEN_SOLVE_CHECK_JACOBIAN_H_
