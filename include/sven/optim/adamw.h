// SPDX-License-Identifier: MIT
//
// AdamW, as PyTorch defines it: Adam with the weight decay beside the step.
#ifndef SVEN_OPTIM_ADAMW_H_
#define SVEN_OPTIM_ADAMW_H_

#include "sven/optim/adam_method.h"

namespace sven::optim {

// The rule is that of AdamRule in sven/optim/adam_method.h with
// decoupled = weight_decay.
struct AdamWOptions {
  static constexpr ChainFit kChainFit = {.clip = true,
                                         .decoupled_decay = false};

  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
  bool amsgrad = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    VisitAdamFields(self, visit, "share of the weights, times lr, taken off");
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const { ValidateFields("AdamWOptions", *this); }

  [[nodiscard]] AdamRule Rule() const;
};

template <class T>
using AdamW = AdamMethod<T, AdamWOptions>;

extern template class AdamMethod<float, AdamWOptions>;
extern template class AdamMethod<double, AdamWOptions>;

}  // namespace sven::optim

#endif  // SVEN_OPTIM_ADAMW_H_
