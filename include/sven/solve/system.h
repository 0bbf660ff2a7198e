// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_SYSTEM_H_
#define SVEN_SOLVE_SYSTEM_H_

#include <span>
#include <string>

#include "sven/base/random.h"
#include "sven/core/linearization.h"
#include "sven/solve/bounds.h"

namespace sven::solve {

// What Solve works on: conditions R(theta) = 0 that can be evaluated anywhere and
// linearised where one stands. Its cost is |R|^2. Problem makes one from
// functions; a problem with a Gram matrix of its own implements it directly.
template <class T>
class System : public core::Linearization<T> {
 public:
  // |R(theta)|^2 of the conditions of this step. What MoveTo has left stays.
  [[nodiscard]] virtual double Cost(std::span<const T> theta) = 0;

  // From now on Residuals, Gram, PullBack, PushForward and Jacobian are those at
  // theta.
  virtual void MoveTo(std::span<const T> theta) = 0;

  // |R|^2 there. Unless overridden: that of Residuals(). A system whose
  // residuals are compressed has more.
  [[nodiscard]] virtual double CostHere() const;

  // How many conditions that is the sum of.
  [[nodiscard]] virtual Index NumSummed() const {
    return this->NumConditions();
  }

  // Systems that are sampled: draws the conditions of the next step.
  [[nodiscard]] virtual bool Sampled() const { return false; }
  virtual void Draw(RandomStream& /*random*/) {}
  // |R(theta)|^2 of all conditions, drawn or not.
  [[nodiscard]] virtual double FullCost(std::span<const T> theta) {
    return Cost(theta);
  }

  // After a cost that is not finite: which condition it was.
  [[nodiscard]] virtual std::string Fault() const {
    return "a residual is not finite";
  }

  // Condition a of this step, for messages.
  [[nodiscard]] virtual std::string Describe(Index a) const;

  // Compares derivatives that were written by hand with finite differences,
  // within the bounds. Empty, or a text that names the entry that is off most.
  [[nodiscard]] virtual std::string JacobianFault(std::span<const T> /*theta*/,
                                                  const Bounds<T>& /*bounds*/) {
    return {};
  }
};

namespace internal {

// Throws a UsageError if theta has the wrong size or there is no condition.
template <class T>
void CheckSizes(const System<T>& system,
                std::type_identity_t<std::span<const T>> theta);

}  // namespace internal
}  // namespace sven::solve

#endif  // SVEN_SOLVE_SYSTEM_H_
