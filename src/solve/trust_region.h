// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_TRUST_REGION_H_
#define SVEN_SOLVE_TRUST_REGION_H_

#include <vector>

#include "scaled_columns.h"
#include "stepper.h"

namespace sven::solve {

// Levenberg-Marquardt in the form of More: the least of |R + M delta| for
// |D delta| <= radius, with y = D delta.
template <class T>
class TrustRegion : public Stepper<T> {
 public:
  explicit TrustRegion(const LevenbergMarquardt& options) : options_(options) {}

  StepReport Propose(const Situation<T>& at, std::span<T> update) override;
  bool Judge(const Trial& trial) override;
  void GiveUp() override { radius_ = start_; }
  [[nodiscard]] bool Undamped() const override { return norm_ == undamped_; }
  [[nodiscard]] double Damping() const override { return lambda_; }

 private:
  void Rescale(const Situation<T>& at);
  // |D theta|
  [[nodiscard]] double ScaledNorm(std::span<const T> theta) const;
  // The step y for a lambda, and its norm.
  double Solve(double lambda, std::span<T> y);
  // The largest lambda that could be needed.
  [[nodiscard]] double LambdaLimit(std::span<T> scratch);
  void FindLambda(std::span<T> y);

  LevenbergMarquardt options_;
  std::vector<double> D_;        // N
  std::vector<double> inverse_;  // 1 / D
  ScaledColumns<T> scaled_;
  core::StepSolver<T> solver_;
  StepReport report_;
  core::Road road_ = core::Road::kDense;
  bool known_ = false;  // the solver has the factors of this place
  bool first_ = true;   // no step has been judged
  bool sampled_ = false;
  // (norm / D)^2 at most: below the largest eigenvalue of M D^-2 M^T, and no more
  // than that is needed of it.
  double scale_ = 1;
  double radius_ = 0;
  double start_ = 0;  // the radius of the first try from this place
  double lambda_ = 0;
  double norm_ = 0;      // |y|
  double undamped_ = 0;  // |y| for the least lambda
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_TRUST_REGION_H_
