// SPDX-License-Identifier: MIT
//
// minSR, stochastic reconfiguration in the space of the samples:
//
//     p -= lr M^T (M M^T + lambda)^-1 R.
#ifndef SVEN_OPTIM_MIN_SR_H_
#define SVEN_OPTIM_MIN_SR_H_

#include "sven/base/fields.h"
#include "sven/optim/gram_method.h"

namespace sven::optim {

struct MinSrOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 0.1;
  // Added to the eigenvalues of M M^T, the squared singular values.
  double lambda = 1e-3;
  Conditions conditions = Conditions::kLosses;
  double kappa = 1;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr",
                "learning rate: the share of each residual removed",
                {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda",
                "damping, added to the squared singular values",
                {.low = 0, .low_open = true}},
          self.lambda);
    visit(Field{"conditions", "one per sample or one per output"},
          self.conditions);
    visit(Field{"kappa",
                "conditions that are losses: R = loss^(kappa/2)",
                {.low = 0, .low_open = true}},
          self.kappa);
  }
  void Validate() const { ValidateFields("MinSrOptions", *this); }
};

template <class T>
class MinSr : public GramMethod<T> {
 public:
  explicit MinSr(const MinSrOptions& options = {},
                 const ChainOptions& chain = {});
  [[nodiscard]] const MinSrOptions& Options() const { return options_; }

 private:
  typename GramMethod<T>::Plan MakePlan(
      Index B, const ScheduleFactors& factors) const override;

  MinSrOptions options_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_MIN_SR_H_
