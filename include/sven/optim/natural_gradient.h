// SPDX-License-Identifier: MIT
//
// Natural gradient with the Fisher matrix of outputs with unit Gaussian noise:
// with the Jacobian J of the outputs (B C x N) and the gradient g of the mean
// loss,
//
//     p -= lr (J^T J / B + lambda)^-1 g = lr J^T (J J^T + B lambda)^-1 dl/df,
//
// computed in whichever of the two spaces is smaller.
#ifndef SVEN_OPTIM_NATURAL_GRADIENT_H_
#define SVEN_OPTIM_NATURAL_GRADIENT_H_

#include "sven/base/fields.h"
#include "sven/optim/gram_method.h"

namespace sven::optim {

struct NaturalGradientOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 0.1;
  // Added to the eigenvalues of J^T J / B.
  double lambda = 1e-3;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda",
                "damping, added to the mean Fisher matrix",
                {.low = 0, .low_open = true}},
          self.lambda);
  }
  void Validate() const { ValidateFields("NaturalGradientOptions", *this); }
};

template <class T>
class NaturalGradient : public GramMethod<T> {
 public:
  explicit NaturalGradient(const NaturalGradientOptions& options = {},
                           const ChainOptions& chain = {});
  [[nodiscard]] const NaturalGradientOptions& Options() const {
    return options_;
  }

 private:
  typename GramMethod<T>::Plan MakePlan(
      Index B, const ScheduleFactors& factors) const override;

  NaturalGradientOptions options_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_NATURAL_GRADIENT_H_
