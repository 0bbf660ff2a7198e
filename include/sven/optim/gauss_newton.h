// SPDX-License-Identifier: MIT
//
// Exact Gauss-Newton: with the Jacobian J of the outputs (B C x N), Q the
// blocks of the loss's Hessian in the outputs and the gradient g,
//
//     p -= lr (J^T Q J / B + lambda)^-1 g,
//
// solved in the space of the outputs, where it is
//
//     p -= lr M^T (M M^T + B lambda)^-1 R
//
// with the conditions M, R of nn/output_conditions.h. For squared errors the
// loss is counted as |f - y|^2 / 2 here, so Q = 1 and g = J^T (f - y) / B.
#ifndef SVEN_OPTIM_GAUSS_NEWTON_H_
#define SVEN_OPTIM_GAUSS_NEWTON_H_

#include "sven/base/fields.h"
#include "sven/optim/gram_method.h"

namespace sven::optim {

struct GaussNewtonOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 1;
  // Added to the eigenvalues of J^T Q J / B.
  double lambda = 1;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda",
                "damping, added to the mean Gauss-Newton matrix",
                {.low = 0, .low_open = true}},
          self.lambda);
  }
  void Validate() const { ValidateFields("GaussNewtonOptions", *this); }
};

template <class T>
class GaussNewton : public GramMethod<T> {
 public:
  explicit GaussNewton(const GaussNewtonOptions& options = {},
                       const ChainOptions& chain = {});
  [[nodiscard]] const GaussNewtonOptions& Options() const { return options_; }

 private:
  typename GramMethod<T>::Plan MakePlan(
      Index B, const ScheduleFactors& factors) const override;

  GaussNewtonOptions options_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_GAUSS_NEWTON_H_
