// SPDX-License-Identifier: MIT
//
// How the singular values of M enter the step. Every method here has
//
//     delta = - eta V phi(S) U^T R = - eta M^T w,    w = U g(S) U^T R,
//
// with phi(s) = s g(s). For an example take R = (1, 1) and
//
//     M = diag(1, 1e-4):  the Jacobian of two conditions, one of which hardly
//                         depends on the parameters
//
//     PseudoInverse, rtol = 1e-5    phi = (1, 1e4)      both conditions met
//     PseudoInverse, rtol = 1e-3    phi = (1, 0)        the weak one left out
//     Tikhonov, lambda = 1e-8       phi = (1, 5e3)      half of it
//     PowerInverse, p = 1/2         phi = (1, 100)
//
// All cut-offs act on s, not on s^2.
#ifndef SVEN_CORE_WEIGHTING_H_
#define SVEN_CORE_WEIGHTING_H_

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "sven/base/enum_names.h"
#include "sven/base/fields.h"
#include "sven/base/types.h"

namespace sven::core {

// Sven: phi(s) = 1/s for the kept singular values, else 0. Of the k largest,
// those with s > rtol * s_1 are kept, as far as they are worth it.
struct PseudoInverse {
  // At most this many; none: no limit. About half the number of conditions is
  // a good start (the paper finds little gain beyond).
  std::optional<Index> k = std::nullopt;
  double rtol = 1e-3;
  // Of these, the weakest are left out as long as what they add to the decrease
  // that the step predicts is at most this share of it. 0: all are kept.
  double min_gain = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"k", "keep at most this many singular values", {.low = 1}},
          self.k);
    visit(Field{"rtol",
                "keep singular values above rtol times the largest",
                {.low = 0, .high = 1, .high_open = true}},
          self.rtol);
    visit(Field{"min_gain",
                "leave out the weakest that predict at most this share",
                {.low = 0, .high = 1, .high_open = true}},
          self.min_gain);
  }
  bool operator==(const PseudoInverse&) const = default;
};

// What the damping lambda is measured in.
enum class DampingUnit {
  kOne,      // as it is
  kLargest,  // s_1^2, the largest eigenvalue of K
  kMean,     // the mean eigenvalue of K: its trace over B
};

// Levenberg-Marquardt, minSR: phi(s) = s / (s^2 + lambda), which is
// w = (K + lambda)^-1 R, with lambda in units that may follow K.
struct Tikhonov {
  double lambda = 1e-3;
  DampingUnit unit = DampingUnit::kOne;
  // lambda is at least this times the mean eigenvalue of K.
  double least_of_mean = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lambda",
                "damping, added to the squared singular values",
                {.low = 0, .low_open = true}},
          self.lambda);
  }
  bool operator==(const Tikhonov&) const = default;
};

// phi(s) = (1/s) / (1 + (eps s_1^2 / s^2)^6): the pseudo-inverse with a soft
// edge at s = sqrt(eps) s_1. The default puts it where rtol = 1e-3 cuts.
struct SmoothCutoff {
  double eps = 1e-6;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"eps",
                "soft cut-off, relative to the largest squared singular value",
                {.low = 0, .high = 1, .high_open = true}},
          self.eps);
  }
  bool operator==(const SmoothCutoff&) const = default;
};

// Half-inverse gradients and relatives: phi(s) = s^-p above rcond * s_1, else
// 0. p = 1 is the pseudo-inverse, p = 0 rotates only.
struct PowerInverse {
  double p = 0.5;
  double rcond = 1e-6;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"p", "power of the inverse", {.low = 0, .high = 1}}, self.p);
    visit(Field{"rcond",
                "keep singular values above rcond times the largest",
                {.low = 0, .high = 1, .high_open = true}},
          self.rcond);
  }
  bool operator==(const PowerInverse&) const = default;
};

using Weighting =
    std::variant<PseudoInverse, Tikhonov, SmoothCutoff, PowerInverse>;

// Throws a UsageError naming the field that is out of range.
void Validate(const Weighting& weighting);

// phi[i] = phi(s[i]) for s descending and not negative; zero where s is zero.
// Damping must be in units of one. Returns how many singular values are kept
// (phi not zero; a prefix). min_gain is not applied: it needs R.
Index Filter(const Weighting& weighting, std::span<const double> s,
             std::span<double> phi);

// Drops the last of `kept` directions that are not worth it: of the sum of
// their b_i^2, where b = U^T R, they have at most the share min_gain. Returns
// how many are left, at least one of those with b_i not zero.
Index WorthKeeping(double min_gain, std::span<const double> b, Index kept);

// s / s_1 down to which the weighting needs the singular values resolved.
double NeededResolution(const Weighting& weighting);

}  // namespace sven::core

template <>
struct sven::EnumNames<sven::core::DampingUnit> {
  static constexpr std::pair<std::string_view, core::DampingUnit> kTable[] = {
      {"one", core::DampingUnit::kOne},
      {"largest", core::DampingUnit::kLargest},
      {"mean", core::DampingUnit::kMean},
  };
};

#endif  // SVEN_CORE_WEIGHTING_H_
