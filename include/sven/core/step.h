// SPDX-License-Identifier: MIT
//
// The Sven step as a function of a linearization and options:
//
//     delta = - eta M^T w,    w = U g(S) U^T R,    M = U S V^T.
//
// Three roads lead to w, or to delta:
//
//   gram        K = M M^T (B x B) and its eigenvalues s^2. M is never formed.
//               Resolves s / s_1 down to about 1e-6 (3e-4 if K was summed in
//               single precision); smaller ones count as zero. For Tikhonov
//               weights a Cholesky factorisation of K replaces the eigenvalues.
//   randomised  the k largest eigenvalues of K by random projections; for many
//               conditions and small k. Approximate where the spectrum is flat.
//   dense       thin QR and SVD of M, formed. Resolves s / s_1 to rounding. For
//               small problems, for more conditions than parameters, and for
//               cut-offs or damping below what K can resolve.
#ifndef SVEN_CORE_STEP_H_
#define SVEN_CORE_STEP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/random.h"
#include "sven/core/linearization.h"
#include "sven/core/weighting.h"
#include "sven/linalg/randomised_eigen.h"

namespace sven::core {

enum class Road { kAuto, kGram, kRandomised, kDense };

enum class StepStatus {
  kOk,
  // All rows of M are zero, or left out, or so small that their squares are (s
  // below 1e-154 on the Gram road): a zero step.
  kRankZero,
  // NaN or infinity in the residuals or the loss, in M or its squares, or in the
  // step: a zero step.
  kNonFiniteResidual,
  kNonFiniteJacobian,
  kNonFiniteStep,
  // Every step that a method tried raised the loss: a zero step.
  kRejected,
};

struct StepOptions {
  // eta; the whole step is scaled by it.
  double learning_rate = 1.0;
  Weighting weighting = PseudoInverse{};
  Road road = Road::kAuto;
  linalg::RandomisedEigenOptions randomised = {};
  // Seed of the random projections (randomised road only).
  std::uint64_t seed = 0;
  // Report the singular values (those that the road computes).
  bool spectrum = false;
};

// Wall time of the parts of a step. The optimizer adds the first two and the
// last.
struct PhaseSeconds {
  double forward = 0;
  double backward = 0;
  double gram = 0;  // K, or on the dense road M
  double weights = 0;
  double pull_back = 0;
  double apply = 0;
  PhaseSeconds& operator+=(const PhaseSeconds& other) {
    forward += other.forward;
    backward += other.backward;
    gram += other.gram;
    weights += other.weights;
    pull_back += other.pull_back;
    apply += other.apply;
    return *this;
  }
  [[nodiscard]] double Total() const {
    return forward + backward + gram + weights + pull_back + apply;
  }
};

struct StepReport {
  StepStatus status = StepStatus::kOk;
  // At the start of the step: mean loss, or mean of R^2 for conditions of
  // one's own.
  double loss = 0;
  // Of this step, after its schedule.
  double learning_rate = 0;
  // Singular values kept; for soft filters those that are not zero.
  Index kept = 0;
  // Largest and smallest kept singular value; 0 if none is kept or, for
  // Tikhonov weights by Cholesky, none was computed.
  double largest = 0;
  double smallest_kept = 0;
  // The lambda of Tikhonov weights, in its unit and with its least value; 0 for
  // others.
  double damping = 0;
  // Descending, before any cut; on request. The randomised road knows only the
  // k largest.
  std::vector<double> singular_values;
  // |delta|
  double update_norm = 0;
  // |R|^2 - |R + M delta|^2: what the step gains if R is linear.
  double predicted_decrease = 0;
  // The road taken; none for methods without singular values.
  std::optional<Road> road;
  PhaseSeconds seconds;

  [[nodiscard]] bool Applied() const { return status == StepStatus::kOk; }
};

// Throws a UsageError if an option is out of its range or the road does not go
// with the weighting (randomised projections need PseudoInverse with k).
void Validate(const StepOptions& options);

// The road that kAuto takes for B conditions and N parameters.
Road ChooseRoad(const StepOptions& options, Index conditions, Index parameters);

// The work areas of a step. On the Gram road nothing is allocated after the first
// step of the largest shape, on the others after the first of each shape.
template <class T>
class StepSolver {
 public:
  StepSolver();
  ~StepSolver();
  StepSolver(StepSolver&&) noexcept;
  StepSolver& operator=(StepSolver&&) noexcept;

  // Fills `update` (N entries) with delta, or with zeros unless the status is
  // kOk. Options must be valid.
  StepReport Compute(Linearization<T>& problem, const StepOptions& options,
                     std::span<T> update);

  // The same after a Compute of the same linearization with another learning
  // rate, or other numbers in the same kind of weighting (k, rtol, lambda, ...)
  // on the same road. K, or M, is not computed again, nor what of its
  // factorisation can be kept.
  StepReport Recompute(Linearization<T>& problem, const StepOptions& options,
                       std::span<T> update);

 private:
  StepReport Solve(Linearization<T>& problem, const StepOptions& options,
                   std::span<T> update);

  struct Work;
  std::unique_ptr<Work> work_;
};

template <class T>
struct Step {
  Vector<T> delta;
  StepReport report;
};

// The same in one call, for conditions of one's own.
template <class T>
Step<T> SvenStep(Linearization<T>& problem, const StepOptions& options = {});

}  // namespace sven::core

namespace sven {

using core::StepReport;
using core::StepStatus;

template <>
struct EnumNames<core::Road> {
  static constexpr std::pair<std::string_view, core::Road> kTable[] = {
      {"auto", core::Road::kAuto},
      {"gram", core::Road::kGram},
      {"randomised", core::Road::kRandomised},
      {"dense", core::Road::kDense},
  };
};

template <>
struct EnumNames<core::StepStatus> {
  static constexpr std::pair<std::string_view, core::StepStatus> kTable[] = {
      {"ok", core::StepStatus::kOk},
      {"rank_zero", core::StepStatus::kRankZero},
      {"non_finite_residual", core::StepStatus::kNonFiniteResidual},
      {"non_finite_jacobian", core::StepStatus::kNonFiniteJacobian},
      {"non_finite_step", core::StepStatus::kNonFiniteStep},
      {"rejected", core::StepStatus::kRejected},
  };
};

}  // namespace sven

#endif  // SVEN_CORE_STEP_H_
