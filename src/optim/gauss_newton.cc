// SPDX-License-Identifier: MIT
#include "sven/optim/gauss_newton.h"

namespace sven::optim {

template <class T>
GaussNewton<T>::GaussNewton(const GaussNewtonOptions& options,
                            const ChainOptions& chain)
    : GramMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<GaussNewtonOptions>(chain);
}

template <class T>
typename GramMethod<T>::Plan GaussNewton<T>::MakePlan(
    Index B, const ScheduleFactors& factors) const {
  const double lambda = ScheduledLambda(options_.lambda, factors);
  return {.conditions = {.kind = Conditions::kOutputs},
          .weighting = core::Tikhonov{static_cast<double>(B) * lambda},
          .rate = options_.learning_rate * factors.learning_rate};
}

template class GaussNewton<float>;
template class GaussNewton<double>;

}  // namespace sven::optim
