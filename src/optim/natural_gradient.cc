// SPDX-License-Identifier: MIT
#include "sven/optim/natural_gradient.h"

namespace sven::optim {

template <class T>
NaturalGradient<T>::NaturalGradient(const NaturalGradientOptions& options,
                                    const ChainOptions& chain)
    : GramMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<NaturalGradientOptions>(chain);
}

template <class T>
typename GramMethod<T>::Plan NaturalGradient<T>::MakePlan(
    Index B, const ScheduleFactors& factors) const {
  const double lambda = ScheduledLambda(options_.lambda, factors);
  return {.conditions = {.kind = Conditions::kOutputGradients},
          .weighting = core::Tikhonov{static_cast<double>(B) * lambda},
          .rate = options_.learning_rate * factors.learning_rate};
}

template class NaturalGradient<float>;
template class NaturalGradient<double>;

}  // namespace sven::optim
