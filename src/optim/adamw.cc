// SPDX-License-Identifier: MIT
#include "sven/optim/adamw.h"

namespace sven::optim {

AdamRule AdamWOptions::Rule() const {
  return {.learning_rate = learning_rate,
          .beta1 = beta1,
          .beta2 = beta2,
          .eps = eps,
          .decoupled = weight_decay,
          .amsgrad = amsgrad};
}

template class AdamMethod<float, AdamWOptions>;
template class AdamMethod<double, AdamWOptions>;

}  // namespace sven::optim
