// SPDX-License-Identifier: MIT
//
// Half-inverse gradients: with the Jacobian of the outputs J = U S V^T, stacked
// over batch and outputs (B C x N), and the gradient dL/df of the mean loss L in
// the outputs,
//
//     p -= lr V S^-1/2 U^T dL/df,
//
// half way between the gradient (S) and the pseudo-inverse (S^-1). Singular
// values up to rcond times the largest are left out.
#ifndef SVEN_OPTIM_HALF_INVERSE_H_
#define SVEN_OPTIM_HALF_INVERSE_H_

#include "sven/base/fields.h"
#include "sven/optim/gram_method.h"

namespace sven::optim {

struct HalfInverseOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 1;
  // With 1e-6 more than 45 outputs in a batch need the dense road.
  core::PowerInverse power = {.p = 0.5, .rcond = 1e-5};

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    core::PowerInverse::VisitFields(self.power, visit);
  }
  void Validate() const { ValidateFields("HalfInverseOptions", *this); }
};

template <class T>
class HalfInverse : public GramMethod<T> {
 public:
  explicit HalfInverse(const HalfInverseOptions& options = {},
                       const ChainOptions& chain = {});
  [[nodiscard]] const HalfInverseOptions& Options() const { return options_; }

 private:
  typename GramMethod<T>::Plan MakePlan(
      Index B, const ScheduleFactors& factors) const override;

  HalfInverseOptions options_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_HALF_INVERSE_H_
