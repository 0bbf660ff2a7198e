// SPDX-License-Identifier: MIT
#include "sven/optim/adam.h"

namespace sven::optim {

AdamRule AdamOptions::Rule() const {
  return {.learning_rate = learning_rate,
          .beta1 = beta1,
          .beta2 = beta2,
          .eps = eps,
          .l2 = weight_decay,
          .amsgrad = amsgrad};
}

template class AdamMethod<float, AdamOptions>;
template class AdamMethod<double, AdamOptions>;

}  // namespace sven::optim
