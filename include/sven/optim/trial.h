// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_TRIAL_H_
#define SVEN_OPTIM_TRIAL_H_

#include "sven/optim/batch_problem.h"

namespace sven::optim {

// The mean loss of the batch with `update` added to the parameters, which are
// put back afterwards, bit for bit.
template <class T>
class Trial {
 public:
  double Loss(BatchProblem<T>& problem, std::span<const T> update);

 private:
  AlignedVector<T> start_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_TRIAL_H_
