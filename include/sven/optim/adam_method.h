// SPDX-License-Identifier: MIT
//
// What Adam and AdamW share: everything but where the weight decay goes.
#ifndef SVEN_OPTIM_ADAM_METHOD_H_
#define SVEN_OPTIM_ADAM_METHOD_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// With the gradient g of the mean loss in step number t = 1, 2, ...:
//   g += l2 * p
//   m  = beta1 * m + (1 - beta1) * g
//   v  = beta2 * v + (1 - beta2) * g^2
//   V  = max(V, v) if amsgrad, else v
//   p -= lr * (m / (1 - beta1^t) / (sqrt(V / (1 - beta2^t)) + eps)
//              + decoupled * p)
struct AdamRule {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double l2 = 0;
  double decoupled = 0;
  bool amsgrad = false;
};

template <class T>
struct AdamState {
  std::int64_t steps = 0;
  AlignedVector<T> mean;            // m
  AlignedVector<T> square;          // v
  AlignedVector<T> largest_square;  // V; empty without amsgrad
  bool operator==(const AdamState&) const = default;

  void Resize(Index parameters, bool amsgrad);
  void Visit(StateArchive& archive);
};

// One step of the rule for any part of the parameters: on entry `update` is g,
// on exit the change. All spans and the state have the same length.
template <class T>
void AdamUpdate(const AdamRule& rule, std::span<const T> parameters,
                AdamState<T>& state, std::span<T> update);

// The fields of an options struct with the members of AdamOptions.
template <class Self, class Visitor>
void VisitAdamFields(Self& self, Visitor&& visit, std::string_view decay) {
  visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
        self.learning_rate);
  visit(Field{"beta1",
              "share kept in the mean of the gradient",
              {.low = 0, .high = 1, .high_open = true}},
        self.beta1);
  visit(Field{"beta2",
              "share kept in the mean of its square",
              {.low = 0, .high = 1, .high_open = true}},
        self.beta2);
  visit(Field{"eps",
              "added to the root of the mean square",
              {.low = 0, .low_open = true}},
        self.eps);
  visit(Field{"weight_decay", decay, {.low = 0, .high = 1000}},
        self.weight_decay);
  visit(Field{"amsgrad", "divide by the largest mean square so far"},
        self.amsgrad);
}

// `Settings` has VisitFields, Validate, kChainFit, and Rule() which says what
// its fields mean.
template <class T, class Settings>
class AdamMethod : public GradientMethod<T> {
 public:
  explicit AdamMethod(const Settings& options = {},
                      const ChainOptions& chain = {})
      : GradientMethod<T>(chain), options_(options) {
    options_.Validate();
    ValidateChain<Settings>(chain);
  }

  [[nodiscard]] const Settings& Options() const { return options_; }
  [[nodiscard]] const AdamState<T>& State() const { return state_; }

 private:
  double Transform(const GradientPoint<T>& point,
                   std::span<T> update) override {
    AdamRule rule = options_.Rule();
    rule.learning_rate *= point.rate_factor;
    AdamUpdate<T>(rule, point.parameters, state_, update);
    return rule.learning_rate;
  }
  void PrepareState(const nn::Mlp<T>& net) override {
    state_.Resize(net.NumParameters(), options_.amsgrad);
  }
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  Settings options_;
  AdamState<T> state_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_ADAM_METHOD_H_
