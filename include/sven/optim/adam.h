// SPDX-License-Identifier: MIT
//
// Adam, as PyTorch defines it: weight decay is added to the gradient.
#ifndef SVEN_OPTIM_ADAM_H_
#define SVEN_OPTIM_ADAM_H_

#include "sven/optim/adam_method.h"

namespace sven::optim {

// The rule is that of AdamRule in sven/optim/adam_method.h with
// l2 = weight_decay.
struct AdamOptions {
  static constexpr ChainFit kChainFit = {.clip = true};

  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    VisitAdamFields(self, visit, "L2 penalty added to the gradient");
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("AdamOptions", *this); }

  [[nodiscard]] AdamRule Rule() const;
};

template <class T>
using Adam = AdamMethod<T, AdamOptions>;

extern template class AdamMethod<float, AdamOptions>;
extern template class AdamMethod<double, AdamOptions>;

}  // namespace sven::optim

#endif  // SVEN_OPTIM_ADAM_H_
