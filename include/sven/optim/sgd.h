// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent, as PyTorch defines it.
#ifndef SVEN_OPTIM_SGD_H_
#define SVEN_OPTIM_SGD_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// With the gradient g of the mean loss:
//   g += weight_decay * p
//   m  = momentum * m + (1 - dampening) * g     (m = g in the first step)
//   p -= lr * (g + momentum * m   if nesterov,   m otherwise)
struct SgdOptions {
  static constexpr ChainFit kChainFit = {.clip = true};

  double learning_rate = 0.01;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"momentum",
                "share of the last step kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.momentum);
    visit(Field{"dampening",
                "share of the gradient left out of the momentum",
                {.low = 0, .high = 1}},
          self.dampening);
    visit(Field{"weight_decay",
                "L2 penalty added to the gradient",
                {.low = 0, .high = 1000}},
          self.weight_decay);
    visit(Field{"nesterov", "Nesterov's form of momentum"}, self.nesterov);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

template <class T>
struct SgdState {
  std::int64_t steps = 0;
  AlignedVector<T> momentum;  // empty if there is none
  bool operator==(const SgdState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Sgd : public GradientMethod<T> {
 public:
  explicit Sgd(const SgdOptions& options = {}, const ChainOptions& chain = {});

  [[nodiscard]] const SgdOptions& Options() const { return options_; }
  [[nodiscard]] const SgdState<T>& State() const { return state_; }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  SgdOptions options_;
  SgdState<T> state_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SGD_H_
