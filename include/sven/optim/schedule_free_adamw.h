// SPDX-License-Identifier: MIT
//
// Schedule-free AdamW, as its authors' package defines it (Defazio et al., The
// Road Less Scheduled, 2024).
#ifndef SVEN_OPTIM_SCHEDULE_FREE_ADAMW_H_
#define SVEN_OPTIM_SCHEDULE_FREE_ADAMW_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// Three points: z moves, x is its average, and the network stands at y between
// them, where the gradient g of the mean loss is taken. All start at the
// network's parameters. In step number t = 1, 2, ...:
//   v  = beta2 * v + (1 - beta2) * g^2
//   z -= lr * (g / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * y)
//   w  = t^r * (largest lr so far)^weight_lr_power
//   x += w / (sum of all w) * (z - x)
//   y  = (1 - beta1) * z + beta1 * x
// lr is what the schedule makes of it: constant:warmup=... is the warm-up of
// the authors' package. To be evaluated at x: EvaluationParameters().
struct ScheduleFreeAdamWOptions {
  static constexpr ChainFit kChainFit = {.clip = true,
                                         .max_update = false,
                                         .decoupled_decay = false,
                                         .ema = false};

  double learning_rate = 0.0025;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double r = 0;
  double weight_lr_power = 2;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"beta1",
                "share of the average in the point of the gradient",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta1);
    visit(Field{"beta2",
                "share kept in the mean square of the gradient",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta2);
    visit(Field{"eps",
                "added to the root of the mean square",
                {.low = 0, .low_open = true}},
          self.eps);
    visit(Field{"weight_decay",
                "share of the weights, times lr, taken off",
                {.low = 0}},
          self.weight_decay);
    visit(Field{"r", "power of the step number in the average", {.low = 0}},
          self.r);
    visit(Field{"weight_lr_power",
                "power of the largest lr so far in the average",
                {.low = 0}},
          self.weight_lr_power);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("ScheduleFreeAdamWOptions", *this); }
};

template <class T>
struct ScheduleFreeAdamWState {
  std::int64_t steps = 0;
  double largest_rate = 0;
  double weight_sum = 0;
  AlignedVector<T> point;    // z
  AlignedVector<T> average;  // x
  AlignedVector<T> square;   // v
  bool operator==(const ScheduleFreeAdamWState&) const = default;

  // As before the first step.
  void Reset(Index parameters);
  void Visit(StateArchive& archive);
};

template <class T>
class ScheduleFreeAdamW : public GradientMethod<T> {
 public:
  explicit ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options = {},
                             const ChainOptions& chain = {});

  // x
  [[nodiscard]] std::span<const T> EvaluationParameters(
      const nn::Mlp<T>& net) const override;

  [[nodiscard]] const ScheduleFreeAdamWOptions& Options() const {
    return options_;
  }
  [[nodiscard]] const ScheduleFreeAdamWState<T>& State() const {
    return state_;
  }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override {
    state_.Reset(net.NumParameters());
  }
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }
  // The share of z in the new average.
  double NextShare(double rate);

  ScheduleFreeAdamWOptions options_;
  ScheduleFreeAdamWState<T> state_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SCHEDULE_FREE_ADAMW_H_
