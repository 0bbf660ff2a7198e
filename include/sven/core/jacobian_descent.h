// SPDX-License-Identifier: MIT
//
// Jacobian descent: the gradients of B conditions, the rows of M, are combined
// into one direction d = M^T w along which, to first order, no condition gets
// worse: M d = K w >= 0, where the mean gradient may serve most of them at the
// cost of some. The weights come from the Gram matrix K = M M^T alone. For an
// example take the gradients
//
//     M = (  1  0 )      K = (  1 -2 )
//         ( -2  1 )          ( -2  5 )
//
//                w             d              K w
//     mean       (0.5, 0.5)    (-0.5, 0.5)    (-0.5, 1.5)   the first suffers
//     UPGrad     (1.5, 0.7)    ( 0.1, 0.7)    ( 0.1, 0.5)
//     DualProj   (1.0, 0.5)    ( 0.0, 0.5)    ( 0.0, 0.5)
//
// With G = K / trace(K) + regularisation I and inequalities for each entry:
//
//     UPGrad     w = (1/B) sum_i v_i,   v_i = argmin v^T G v  for  v >= e_i:
//                every gradient is projected onto the cone of directions that
//                no condition objects to, and the mean of these is taken;
//     DualProj   w = (1/B) argmin v^T G v  for  v >= 1:
//                the mean gradient itself is projected.
//
// At the solutions G w >= 0 and w >= 1/B. Without conflict, all entries of K at
// least 0, both have w = 1/B, the mean gradient. See Quinton and Rey, Jacobian
// Descent for Multi-Objective Optimization (2024).
#ifndef SVEN_CORE_JACOBIAN_DESCENT_H_
#define SVEN_CORE_JACOBIAN_DESCENT_H_

#include <memory>
#include <span>

#include "sven/base/enum_names.h"
#include "sven/core/step.h"
#include "sven/linalg/types.h"

namespace sven::core {

enum class Aggregation { kUpGrad, kDualProj };

// The customary regularisation.
inline constexpr double kRegularisation = 1e-4;

// The work areas. Nothing is allocated once an aggregation has seen its largest
// B.
class ConflictFreeWeights {
 public:
  ConflictFreeWeights();
  ~ConflictFreeWeights();
  ConflictFreeWeights(ConflictFreeWeights&&) noexcept;
  ConflictFreeWeights& operator=(ConflictFreeWeights&&) noexcept;

  // Fills w (B entries), with zeros unless the status is kOk. Reads the lower
  // triangle of K (B x B). The regularisation, larger than 0, bounds the
  // weights where gradients cancel; of K w >= 0 it leaves
  // K w >= -regularisation trace(K) w. It must be well above the rounding of
  // K, relative to its trace.
  //   kRankZero           the diagonal of K is zero
  //   kNonFiniteJacobian  K has a NaN or infinite entry
  //   kNonFiniteStep      no solution: G is not positive definite to working
  //                       precision
  [[nodiscard]] StepStatus Compute(const ConstMatrixView<double>& K,
                                   Aggregation aggregation,
                                   double regularisation, std::span<double> w);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sven::core

template <>
struct sven::EnumNames<sven::core::Aggregation> {
  static constexpr std::pair<std::string_view, core::Aggregation> kTable[] = {
      {"upgrad", core::Aggregation::kUpGrad},
      {"dualproj", core::Aggregation::kDualProj},
  };
};

#endif  // SVEN_CORE_JACOBIAN_DESCENT_H_
