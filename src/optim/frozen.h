// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_FROZEN_H_
#define SVEN_OPTIM_FROZEN_H_

#include <algorithm>
#include <span>
#include <vector>

#include "sven/nn/mlp.h"

namespace sven::optim {

// visit(offset, count) for every tensor that is frozen.
template <class Visitor>
void VisitFrozen(const std::vector<nn::DenseLayer>& layers,
                 const Visitor& visit) {
  for (const nn::DenseLayer& layer : layers) {
    if (!layer.WeightFree()) visit(layer.weight_offset, layer.WeightSize());
    if (!layer.BiasFree()) visit(layer.bias_offset, layer.BiasSize());
  }
}

// Zero where a tensor is frozen.
template <class T>
void ZeroFrozen(const std::vector<nn::DenseLayer>& layers,
                std::span<T> values) {
  VisitFrozen(layers, [&](Index offset, Index count) {
    std::fill_n(values.begin() + offset, count, T{0});
  });
}

// g += decay p, but for what is frozen.
template <class T>
void AddDecay(const std::vector<nn::DenseLayer>& layers, double decay,
              std::span<const T> p, std::span<T> g) {
  if (decay == 0) return;
  const auto factor = static_cast<T>(decay);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] += factor * p[i];
  ZeroFrozen<T>(layers, g);
}

// from -> to where a tensor is frozen.
template <class T>
void CopyFrozen(const std::vector<nn::DenseLayer>& layers,
                std::span<const T> from, std::span<T> to) {
  VisitFrozen(layers, [&](Index offset, Index count) {
    std::copy_n(from.begin() + offset, count, to.begin() + offset);
  });
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_FROZEN_H_
