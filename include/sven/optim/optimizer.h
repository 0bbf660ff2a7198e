// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_OPTIMIZER_H_
#define SVEN_OPTIM_OPTIMIZER_H_

#include "sven/core/step.h"
#include "sven/nn/batch.h"
#include "sven/nn/loss.h"
#include "sven/nn/mlp.h"

namespace sven::optim {

template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One step of the network's parameters on one batch. Throws a DataError for
  // a batch that does not fit the network and the loss. A step that comes out
  // with NaN or infinity is not applied; the report's status says so.
  virtual StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                          const nn::Batch<T>& batch) = 0;

  // The change of the parameters in the last step; zero if it was not applied.
  [[nodiscard]] virtual std::span<const T> Update() const = 0;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_OPTIMIZER_H_
