// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent, as PyTorch defines it.
#ifndef SVEN_OPTIM_SGD_H_
#define SVEN_OPTIM_SGD_H_

#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/linearizer.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

// With the gradient g of the mean loss:
//   g += weight_decay * p
//   m  = momentum * m + (1 - dampening) * g     (m = g in the first step)
//   p -= lr * (g + momentum * m   if nesterov,   m otherwise)
struct SgdOptions {
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
    visit(Field{"weight_decay", "L2 penalty added to the gradient", {.low = 0}},
          self.weight_decay);
    visit(Field{"nesterov", "Nesterov's form of momentum"}, self.nesterov);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

template <class T>
struct SgdState {
  AlignedVector<T> momentum;  // empty before the first step
  bool operator==(const SgdState&) const = default;
};

template <class T>
class Sgd : public Optimizer<T> {
 public:
  explicit Sgd(const SgdOptions& options = {});

  StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                  const nn::Batch<T>& batch) override;

  [[nodiscard]] std::span<const T> Update() const override { return update_; }
  [[nodiscard]] const SgdOptions& Options() const { return options_; }
  [[nodiscard]] const SgdState<T>& State() const { return state_; }
  void SetState(SgdState<T> state) { state_ = std::move(state); }

 private:
  void PullBack(nn::NetworkLinearization<T>& losses, double weight,
                std::span<T> out);
  // The update with weight decay and momentum. The momentum itself is left as
  // it is until the update is known to be finite.
  void UpdateWithMomentum(const nn::Mlp<T>& net);
  void CommitMomentum();

  SgdOptions options_;
  SgdState<T> state_;
  nn::ParameterSelection selection_;
  Linearizer<T> linearizer_;
  std::vector<double> weights_;
  AlignedVector<T> gradient_;  // with weight decay; only if there is momentum
  AlignedVector<T> update_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SGD_H_
