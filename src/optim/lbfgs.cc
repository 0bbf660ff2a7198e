// SPDX-License-Identifier: MIT
#include "sven/optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lbfgs_memory.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/norm.h"
#include "vector_ops.h"
#include "wolfe_search.h"

namespace sven::optim {

template <class T>
void LbfgsState<T>::Visit(StateArchive& archive, Index history_size) {
  LbfgsCounters& c = counters;
  Count(archive, "iterations", c.iterations);
  Count(archive, "evaluations", c.evaluations);
  archive.Integer("pairs", 0, history_size, c.pairs);
  const bool full = c.pairs == history_size;
  archive.Integer("oldest", 0, full ? history_size - 1 : 0, c.oldest);
  archive.Number("step_length", c.step_length);
  archive.Number("scale", c.scale);
  archive.Number("previous_loss", c.previous_loss);
  const Index N = std::ssize(direction);
  archive.Array("steps", c.pairs * N, steps);
  archive.Array("gradient_changes", c.pairs * N, gradient_changes);
  archive.Array("inverses", c.pairs, inverses);
  archive.Array("direction", direction);
  archive.Array("previous_gradient", previous_gradient);
}

// The iterations of one step. They move the network's parameters; Propose puts
// them back.
template <class T>
struct Lbfgs<T>::Work {
  Work(const LbfgsOptions& options_in, LbfgsState<T>& state_in)
      : options(options_in),
        state(state_in),
        memory(state_in, options_in.history_size) {}

  // Loss and gradient at the network's parameters.
  StepStatus Evaluate(LinePoint<T>& point);
  StepStatus Minimise(double rate);
  void SetDirection(double rate);
  // p += t d, and what there is then.
  StepStatus MoveFixed(bool last);
  void MoveSearching();
  [[nodiscard]] bool Finished(Index iteration) const;
  [[nodiscard]] bool Optimal() const {
    return LargestSize<T>(here.gradient) <= options.tolerance_grad;
  }

  const LbfgsOptions& options;
  LbfgsState<T>& state;
  LbfgsMemory<T> memory;
  WolfeSearch<T> search;
  BatchProblem<T>* problem = nullptr;
  AlignedVector<T> start;   // the parameters before the step
  AlignedVector<T> anchor;  // and before the iteration
  LinePoint<T> here;        // where the iteration stands; t = 0
  Index evaluations = 0;    // in this step
};

template <class T>
StepStatus Lbfgs<T>::Work::Evaluate(LinePoint<T>& point) {
  point.gradient.resize(state.direction.size());
  point.loss = problem->Gradient(point.gradient);
  ++evaluations;
  ++state.counters.evaluations;
  if (!std::isfinite(point.loss)) return StepStatus::kNonFiniteResidual;
  if (!std::isfinite(linalg::Norm<T>(point.gradient))) {
    return StepStatus::kNonFiniteJacobian;
  }
  return StepStatus::kOk;
}

template <class T>
void Lbfgs<T>::Work::SetDirection(double rate) {
  Stopwatch stopwatch;
  LbfgsCounters& c = state.counters;
  const bool first = c.iterations++ == 0;
  if (!first) memory.Learn(here.gradient);
  memory.SetDirection(here.gradient);
  state.previous_gradient = here.gradient;
  c.previous_loss = here.loss;
  c.step_length = rate;
  if (first) c.step_length *= std::min(1.0, 1 / SumOfSizes<T>(here.gradient));
  problem->seconds.weights += stopwatch.Lap();
}

template <class T>
StepStatus Lbfgs<T>::Work::MoveFixed(bool last) {
  const std::span<T> p = problem->Net().Parameters();
  AddScaled<T>(p, state.counters.step_length, state.direction, p);
  // The next step will evaluate it, on its own batch.
  return last ? StepStatus::kOk : Evaluate(here);
}

template <class T>
void Lbfgs<T>::Work::MoveSearching() {
  const std::span<T> p = problem->Net().Parameters();
  anchor.assign(p.begin(), p.end());
  const auto evaluate = [this](LinePoint<T>& point) {
    const std::span<T> parameters = problem->Net().Parameters();
    AddScaled<T>(anchor, point.t, state.direction, parameters);
    if (Evaluate(point) != StepStatus::kOk) {
      point.loss = std::numeric_limits<double>::infinity();
    }
    point.slope = Dot<T>(point.gradient, state.direction);
  };
  double& t = state.counters.step_length;
  const LinePoint<T>& found =
      search.Run(here, t, LargestSize<T>(state.direction), evaluate);
  t = found.t;
  here.loss = found.loss;
  here.gradient = found.gradient;
  AddScaled<T>(anchor, t, state.direction, p);
}

template <class T>
bool Lbfgs<T>::Work::Finished(Index iteration) const {
  const LbfgsCounters& c = state.counters;
  // max_iter may be any number: its product might not fit an integer.
  const double most =
      options.max_eval
          ? static_cast<double>(*options.max_eval)
          : std::floor(1.25 * static_cast<double>(options.max_iter));
  if (iteration == options.max_iter ||
      static_cast<double>(evaluations) >= most || Optimal()) {
    return true;
  }
  const double moved = LargestSize<T>(state.direction) * c.step_length;
  return moved <= options.tolerance_change ||
         std::abs(here.loss - c.previous_loss) < options.tolerance_change;
}

template <class T>
StepStatus Lbfgs<T>::Work::Minimise(double rate) {
  for (Index iteration = 1; true; ++iteration) {
    SetDirection(rate);
    here.slope = Dot<T>(here.gradient, state.direction);
    if (!std::isfinite(here.slope)) return StepStatus::kNonFiniteStep;
    if (here.slope > -options.tolerance_change) return StepStatus::kOk;
    if (options.line_search == LineSearch::kStrongWolfe) {
      MoveSearching();
    } else {
      const StepStatus status = MoveFixed(iteration == options.max_iter);
      if (status != StepStatus::kOk) return status;
    }
    if (Finished(iteration)) return StepStatus::kOk;
  }
}

template <class T>
Lbfgs<T>::Lbfgs(const LbfgsOptions& options, const ChainOptions& chain)
    : Optimizer<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<LbfgsOptions>(chain);
  work_ = std::make_unique<Work>(options_, state_);
}

template <class T>
Lbfgs<T>::~Lbfgs() = default;

template <class T>
void Lbfgs<T>::PrepareState(const nn::Mlp<T>& net) {
  const auto N = static_cast<std::size_t>(net.NumParameters());
  state_.direction.assign(N, T{0});
  state_.previous_gradient.assign(N, T{0});
}

template <class T>
StepReport Lbfgs<T>::Propose(BatchProblem<T>& problem,
                             const ScheduleFactors& factors,
                             std::span<T> update) {
  Work& work = *work_;
  const std::span<T> p = problem.Net().Parameters();
  work.problem = &problem;
  work.evaluations = 0;
  work.memory.Begin();
  work.start.assign(p.begin(), p.end());

  StepReport report;
  report.learning_rate = options_.learning_rate * factors.learning_rate;
  report.status = work.Evaluate(work.here);
  report.loss = work.here.loss;
  if (report.Applied() && !work.Optimal()) {
    report.status = work.Minimise(report.learning_rate);
  }
  AddScaled<T>(p, -1, work.start, update);
  std::ranges::copy(work.start, p.begin());
  report.update_norm = linalg::Norm<T>(update);
  if (report.Applied() && !std::isfinite(report.update_norm)) {
    report.status = StepStatus::kNonFiniteStep;
  }
  if (!report.Applied()) work.memory.RollBack();
  return report;
}

template struct LbfgsState<float>;
template struct LbfgsState<double>;
template class Lbfgs<float>;
template class Lbfgs<double>;

}  // namespace sven::optim
