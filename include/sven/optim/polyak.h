// SPDX-License-Identifier: MIT
//
// Gradient descent with Polyak's learning rate.
#ifndef SVEN_OPTIM_POLYAK_H_
#define SVEN_OPTIM_POLYAK_H_

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// With the mean loss l of the batch and its gradient g:
//   lr = min((l - f_star) / (|g|^2 + eps), max_lr), never below 0
//   p -= lr * g
// The rate is read off |g|, so clipping g would lengthen the step; max_update
// shortens it.
struct PolyakOptions {
  static constexpr ChainFit kChainFit = {};

  double max_learning_rate = 1;
  double f_star = 0;
  double eps = 1e-8;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(
        Field{"max_lr", "largest learning rate", {.low = 0, .low_open = true}},
        self.max_learning_rate);
    visit(Field{"f_star", "the loss to be reached"}, self.f_star);
    visit(Field{"eps",
                "added to the squared norm of the gradient",
                {.low = 0, .low_open = true}},
          self.eps);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("PolyakOptions", *this); }
};

// There is nothing to remember from step to step.
template <class T>
class Polyak : public GradientMethod<T> {
 public:
  explicit Polyak(const PolyakOptions& options = {},
                  const ChainOptions& chain = {});

  [[nodiscard]] const PolyakOptions& Options() const { return options_; }

 private:
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& /*net*/) override {}
  void VisitMethodState(StateArchive& /*archive*/) override {}

  PolyakOptions options_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_POLYAK_H_
