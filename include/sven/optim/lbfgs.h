// SPDX-License-Identifier: MIT
//
// Limited-memory BFGS, as PyTorch defines it. One step runs several iterations
// on its batch.
#ifndef SVEN_OPTIM_LBFGS_H_
#define SVEN_OPTIM_LBFGS_H_

#include <memory>
#include <optional>
#include <utility>

#include "sven/base/enum_names.h"
#include "sven/base/fields.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

enum class LineSearch {
  kNone,         // the step length is lr
  kStrongWolfe,  // l(t) <= l(0) + 1e-4 t l'(0) and |l'(t)| <= 0.9 |l'(0)|
};

// With the gradient g of the mean loss l, and pairs s (change of the
// parameters) and y (change of g) of the last iterations, an iteration is
//   d  = - H g      H the BFGS approximation of the inverse Hessian from the
//                   pairs, starting from (s.y / y.y) I of the newest one
//   t  = lr, in the very first iteration lr min(1, 1 / |g|_1); with a line
//        search, what it finds from there
//   p += t d
// A pair is kept if s.y > 1e-10. All of it carries over from step to step.
// The iterations of a step end after max_iter or when
//   evaluations of l and g     >= max_eval, those of line searches included
//   largest |g_i|              <= tolerance_grad
//   g.d                        >  - tolerance_change
//   largest |t d_i|            <= tolerance_change
//   change of l                <  tolerance_change
struct LbfgsOptions {
  static constexpr ChainFit kChainFit = {
      .clip = false, .max_update = false, .decoupled_decay = false};

  double learning_rate = 1;
  Index max_iter = 20;
  // None: 1.25 max_iter, rounded down.
  std::optional<Index> max_eval = std::nullopt;
  double tolerance_grad = 1e-7;
  double tolerance_change = 1e-9;
  Index history_size = 100;
  LineSearch line_search = LineSearch::kNone;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"max_iter", "most iterations per step", {.low = 1}},
          self.max_iter);
    visit(Field{"max_eval",
                "most evaluations per step; none: 1.25 max_iter",
                {.low = 1}},
          self.max_eval);
    visit(Field{"tolerance_grad",
                "ends a step: largest entry of the gradient",
                {.low = 0}},
          self.tolerance_grad);
    visit(Field{"tolerance_change",
                "ends a step: change of loss or parameters",
                {.low = 0}},
          self.tolerance_change);
    visit(Field{"history_size", "pairs kept", {.low = 1, .high = 1e6}},
          self.history_size);
    visit(Field{"line_search", "how long a step is"}, self.line_search);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("LbfgsOptions", *this); }
};

struct LbfgsCounters {
  std::int64_t iterations = 0;
  std::int64_t evaluations = 0;
  std::int64_t pairs = 0;   // kept
  std::int64_t oldest = 0;  // its place, once history_size are kept
  double step_length = 0;   // t
  double scale = 1;         // s.y / y.y of the newest pair
  double previous_loss = 0;
  bool operator==(const LbfgsCounters&) const = default;
};

// The pairs lie one after another and take the place of the oldest.
template <class T>
struct LbfgsState {
  LbfgsCounters counters;
  AlignedVector<T> steps;             // s, pairs x N
  AlignedVector<T> gradient_changes;  // y, pairs x N
  AlignedVector<double> inverses;     // 1 / s.y, one per pair
  AlignedVector<T> direction;         // d
  AlignedVector<T> previous_gradient;
  bool operator==(const LbfgsState&) const = default;

  void Visit(StateArchive& archive, Index history_size);
};

// A loss that is not finite ends the step: without a line search the status is
// kNonFiniteResidual (or kNonFiniteJacobian for the gradient), and parameters
// and state are as before; a line search takes it for infinite and goes back.
template <class T>
class Lbfgs : public Optimizer<T> {
 public:
  explicit Lbfgs(const LbfgsOptions& options = {},
                 const ChainOptions& chain = {});
  ~Lbfgs() override;
  // The work area refers to the state.
  Lbfgs(const Lbfgs&) = delete;
  Lbfgs& operator=(const Lbfgs&) = delete;

  [[nodiscard]] const LbfgsOptions& Options() const { return options_; }
  [[nodiscard]] const LbfgsState<T>& State() const { return state_; }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive, options_.history_size);
  }

  LbfgsOptions options_;
  LbfgsState<T> state_;
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::LineSearch> {
  static constexpr std::pair<std::string_view, optim::LineSearch> kTable[] = {
      {"none", optim::LineSearch::kNone},
      {"strong_wolfe", optim::LineSearch::kStrongWolfe},
  };
};

#endif  // SVEN_OPTIM_LBFGS_H_
