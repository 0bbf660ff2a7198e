// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_FROZEN_H_
#define SVEN_OPTIM_FROZEN_H_

#include <algorithm>
#include <span>
#include <vector>

#include "sven/nn/mlp.h"

namespace sven::optim {

// Zero where a tensor is frozen.
template <class T>
void ZeroFrozen(const std::vector<nn::DenseLayer>& layers,
                std::span<T> values) {
  for (const nn::DenseLayer& layer : layers) {
    const auto zero = [&](Index offset, Index count) {
      std::fill_n(values.begin() + offset, count, T{0});
    };
    if (!layer.WeightFree()) zero(layer.weight_offset, layer.WeightSize());
    if (!layer.BiasFree()) zero(layer.bias_offset, layer.BiasSize());
  }
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_FROZEN_H_
