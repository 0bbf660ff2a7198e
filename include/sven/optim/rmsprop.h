// SPDX-License-Identifier: MIT
//
// RMSprop, as PyTorch defines it.
#ifndef SVEN_OPTIM_RMSPROP_H_
#define SVEN_OPTIM_RMSPROP_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// With the gradient g of the mean loss:
//   g += weight_decay * p
//   v  = alpha * v + (1 - alpha) * g^2
//   a  = alpha * a + (1 - alpha) * g         if centered, else 0
//   u  = g / (sqrt(v - a^2) + eps)
//   b  = momentum * b + u
//   p -= lr * b
// v - a^2 is a variance: where rounding makes it negative it counts as zero.
struct RmspropOptions {
  static constexpr ChainFit kChainFit = {.clip = true};

  double learning_rate = 0.01;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"alpha",
                "share kept in the mean square of the gradient",
                {.low = 0, .high = 1, .high_open = true}},
          self.alpha);
    visit(Field{"eps",
                "added to the root of the mean square",
                {.low = 0, .low_open = true}},
          self.eps);
    visit(Field{"weight_decay",
                "L2 penalty added to the gradient",
                {.low = 0, .high = 1000}},
          self.weight_decay);
    visit(Field{"momentum",
                "share of the last step kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.momentum);
    visit(Field{"centered", "divide by the standard deviation instead"},
          self.centered);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("RmspropOptions", *this); }
};

template <class T>
struct RmspropState {
  AlignedVector<T> square;    // v
  AlignedVector<T> mean;      // a; empty unless centered
  AlignedVector<T> momentum;  // b; empty if there is none
  bool operator==(const RmspropState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Rmsprop : public GradientMethod<T> {
 public:
  explicit Rmsprop(const RmspropOptions& options = {},
                   const ChainOptions& chain = {});

  [[nodiscard]] const RmspropOptions& Options() const { return options_; }
  [[nodiscard]] const RmspropState<T>& State() const { return state_; }

 private:
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  RmspropOptions options_;
  RmspropState<T> state_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_RMSPROP_H_
