// SPDX-License-Identifier: MIT
#include "sven/optim/min_sr.h"

namespace sven::optim {

template <class T>
MinSr<T>::MinSr(const MinSrOptions& options, const ChainOptions& chain)
    : GramMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<MinSrOptions>(chain);
}

template <class T>
typename GramMethod<T>::Plan MinSr<T>::MakePlan(
    Index /*B*/, const ScheduleFactors& factors) const {
  return {
      .conditions = {.kind = options_.conditions, .kappa = options_.kappa},
      .weighting = core::Tikhonov{ScheduledLambda(options_.lambda, factors)},
      .rate = options_.learning_rate * factors.learning_rate};
}

template class MinSr<float>;
template class MinSr<double>;

}  // namespace sven::optim
