// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_LOOP_H_
#define SVEN_SOLVE_LOOP_H_

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stepper.h"
#include "survey.h"
#include "sven/base/stopwatch.h"
#include "sven/solve/solve.h"

namespace sven::solve {

// The loop of Solve.
template <class T>
class Loop {
 public:
  Loop(System<T>& system, std::span<const T> theta,
       const SolveOptions<T>& options)
      : system_(system),
        options_(options),
        stepper_(MakeStepper<T>(options.method, options.seed)),
        random_(options.seed, RandomUse::kSubsampling),
        sampled_(system.Sampled()),
        start_(theta.begin(), theta.end()),
        theta_(start_),
        trial_(theta_),
        update_(theta_.size()) {}

  // Runs to the end. The parameters are in Theta().
  Summary Run();
  [[nodiscard]] std::span<const T> Theta() const { return theta_; }

 private:
  static constexpr double kRounding = std::numeric_limits<T>::epsilon();

  [[nodiscard]] double Floor(double tolerance) const {
    return tolerance == 0 ? 0 : std::max(tolerance, kRounding);
  }
  void End(Ending ending, std::string message = {}) {
    done_ = true;
    summary_.ending = ending;
    summary_.message = std::move(message);
  }
  // Draws and linearises. False if that was the end.
  bool Arrive();
  // Takes the last step back, unless that was done too often. (Theta() may still
  // be where it ended.)
  bool Retreat();
  void ReturnToStart();
  // Why a cost is not finite.
  [[nodiscard]] std::string Fault() const;
  // Steps are tried from here until one is taken. False if that was the end.
  bool Advance();
  StepReport Propose(bool again);
  // Without a step.
  void EndWith(StepStatus status);
  void TestConvergence(const Trial& trial, bool accepted, bool nowhere_to_go);
  // After a step that was not taken. False if that was the end.
  bool MayTryAgain();
  bool StayWithinBounds();
  void MeasureAgain(StepReport& report);
  [[nodiscard]] double Cost(std::span<const T> theta);
  // The larger one of |D delta| / |D theta| and |delta| / |theta|.
  [[nodiscard]] double RelativeStep() const;
  [[nodiscard]] bool NowhereToGo() const;
  [[nodiscard]] bool CostIsSettled(const Trial& trial) const;
  void Take(const Trial& trial);
  void Observe(double gain, bool accepted);
  [[nodiscard]] bool TimeIsUp() const {
    return stopwatch_.Seconds() >= options_.max_seconds;
  }
  void CheckLimits();
  void KeepBest();

  System<T>& system_;
  const SolveOptions<T>& options_;
  std::unique_ptr<Stepper<T>> stepper_;
  RandomStream random_;
  bool sampled_;
  Survey<T> survey_;
  AlignedVector<T> start_;
  AlignedVector<T> theta_;
  AlignedVector<T> trial_;  // after a step, where it came from
  AlignedVector<T> update_;
  AlignedVector<T> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::vector<double> change_;
  double cost_ = 0;
  double relative_step_ = 0;
  // The same of the model's own step from here, infinite if it was not tried.
  double own_step_ = 0;
  bool stepped_ = false;   // since the last linearisation
  Trial last_trial_ = {};  // of the last step
  int retreats_ = 0;       // to the place where it stands
  bool cut_off_ = false;   // the last proposal, by a bound
  bool half_way_ = false;  // bounds are only approached from here
  bool done_ = false;
  Summary summary_;
  Stopwatch stopwatch_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_LOOP_H_
