// SPDX-License-Identifier: MIT
//
// Small parts that the methods on the Gram matrix share.
#ifndef SVEN_OPTIM_GRAM_STEP_H_
#define SVEN_OPTIM_GRAM_STEP_H_

#include <span>
#include <vector>

#include "sven/core/step.h"

namespace sven::optim {

// |R|^2 - |R + M delta|^2, for an update that is not the solver's own.
template <class T>
double PredictedDecrease(core::Linearization<T>& problem,
                         std::span<const T> update,
                         std::vector<double>& scratch) {
  const std::span<const double> R = problem.Residuals();
  scratch.resize(R.size());
  problem.PushForward(update, scratch);
  double decrease = 0;
  for (std::size_t a = 0; a < R.size(); ++a) {
    decrease -= scratch[a] * (2 * R[a] + scratch[a]);
  }
  return decrease;
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_GRAM_STEP_H_
