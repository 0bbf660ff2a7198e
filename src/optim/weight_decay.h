// SPDX-License-Identifier: MIT
//
// Weight decay beside a step.
#ifndef SVEN_OPTIM_WEIGHT_DECAY_H_
#define SVEN_OPTIM_WEIGHT_DECAY_H_

#include <span>

#include "frozen.h"
#include "sven/core/step.h"
#include "sven/linalg/norm.h"
#include "sven/nn/mlp.h"

namespace sven::optim {

// Adds -lr decay p to the update, with the report's learning rate lr. What is
// frozen stays.
template <class T>
void DecayWeights(const nn::Mlp<T>& net, double decay, std::span<T> update,
                  StepReport& report) {
  if (decay == 0) return;
  const auto share = static_cast<T>(report.learning_rate * decay);
  const std::span<const T> p = net.Parameters();
  for (std::size_t i = 0; i < update.size(); ++i) update[i] -= share * p[i];
  ZeroFrozen<T>(net.Layers(), update);
  report.update_norm = linalg::Norm<T>(update);
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_WEIGHT_DECAY_H_
