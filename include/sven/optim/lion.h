// SPDX-License-Identifier: MIT
//
// Lion: every parameter moves by the learning rate, in the direction of the
// sign of an averaged gradient.
#ifndef SVEN_OPTIM_LION_H_
#define SVEN_OPTIM_LION_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// With the gradient g of the mean loss, and sign(0) = 0:
//   p -= lr * (sign(beta1 * m + (1 - beta1) * g) + weight_decay * p)
//   m  = beta2 * m + (1 - beta2) * g
struct LionOptions {
  static constexpr ChainFit kChainFit = {.clip = true,
                                         .decoupled_decay = false};

  double learning_rate = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"beta1",
                "share of the mean gradient in the direction",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta1);
    visit(Field{"beta2",
                "share kept in the mean of the gradient",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta2);
    visit(Field{"weight_decay",
                "share of the weights, times lr, taken off",
                {.low = 0}},
          self.weight_decay);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("LionOptions", *this); }
};

template <class T>
struct LionState {
  AlignedVector<T> mean;  // m
  bool operator==(const LionState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Lion : public GradientMethod<T> {
 public:
  explicit Lion(const LionOptions& options = {},
                const ChainOptions& chain = {});

  [[nodiscard]] const LionOptions& Options() const { return options_; }
  [[nodiscard]] const LionState<T>& State() const { return state_; }

 private:
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  LionOptions options_;
  LionState<T> state_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_LION_H_
