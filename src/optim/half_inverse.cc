// SPDX-License-Identifier: MIT
#include "sven/optim/half_inverse.h"

namespace sven::optim {

template <class T>
HalfInverse<T>::HalfInverse(const HalfInverseOptions& options,
                            const ChainOptions& chain)
    : GramMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<HalfInverseOptions>(chain);
}

template <class T>
typename GramMethod<T>::Plan HalfInverse<T>::MakePlan(
    Index B, const ScheduleFactors& factors) const {
  return {.conditions = {.kind = Conditions::kOutputGradients},
          .weighting = options_.power,
          .rate = options_.learning_rate * factors.learning_rate,
          .residual_factor = 1 / static_cast<double>(B)};
}

template class HalfInverse<float>;
template class HalfInverse<double>;

}  // namespace sven::optim
