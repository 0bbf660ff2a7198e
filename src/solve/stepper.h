// SPDX-License-Identifier: MIT
//
// What a method of Solve has to be able to do.
#ifndef SVEN_SOLVE_STEPPER_H_
#define SVEN_SOLVE_STEPPER_H_

#include <memory>
#include <span>

#include "sven/core/step.h"
#include "sven/solve/method.h"

namespace sven::solve {

// The place that a step starts from.
template <class T>
struct Situation {
  // Parameters that are at a bound have no column.
  core::Linearization<T>& conditions;
  std::span<const T> theta;
  // The norms of the columns of M. If M was too large to be looked at, all are
  // its largest singular value.
  std::span<const double> norms;
  double largest;  // singular value, within a few per cent
  bool dense;      // M is small enough for its singular values
  // The last step from here was not accepted.
  bool again;
  // The next step will be for other conditions.
  bool sampled;
};

// What a trial step has brought.
struct Trial {
  double cost;        // before
  double trial_cost;  // after; may be NaN or infinite
  double predicted;   // decrease

  [[nodiscard]] double Gain() const {  // rho
    return (cost - trial_cost) / predicted;
  }
};

template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Fills `update` with delta.
  virtual StepReport Propose(const Situation<T>& at, std::span<T> update) = 0;

  // Whether a step is to be taken; the damping of the next one follows from it.
  virtual bool Judge(const Trial& trial) = 0;

  // No step was taken from here, and the next one will be for other conditions:
  // what the tries have done to the damping is forgotten, or nearly so.
  virtual void GiveUp() {}

  // Whether another proposal from the same place will be a shorter one.
  [[nodiscard]] virtual bool TriesAgain() const { return true; }
  // Whether the last proposal was the model's own, and not held back by damping.
  [[nodiscard]] virtual bool Undamped() const { return true; }
  // For the report.
  [[nodiscard]] virtual double Damping() const { return 0; }
};

template <class T>
std::unique_ptr<Stepper<T>> MakeStepper(const Method& method,
                                        std::uint64_t seed);

// The road of a damped step.
inline core::Road DampedRoad(bool dense, Index conditions, Index parameters) {
  // K has one row per condition: with many more than parameters, M is smaller.
  return dense || conditions > 4 * parameters ? core::Road::kDense
                                              : core::Road::kGram;
}

// The least damping, relative to the largest eigenvalue, that K still resolves.
inline double LeastDamping(core::Road road, Index conditions) {
  if (road == core::Road::kDense) return 0;
  return 100 * static_cast<double>(conditions) *
         std::numeric_limits<double>::epsilon();
}

}  // namespace sven::solve

#endif  // SVEN_SOLVE_STEPPER_H_
