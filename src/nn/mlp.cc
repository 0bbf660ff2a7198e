// SPDX-License-Identifier: MIT
#include "sven/nn/mlp.h"

#include <fmt/format.h>

#include <cmath>

#include "sven/base/error.h"
#include "sven/base/random.h"
#include "sven/nn/propagation.h"

namespace sven::nn {
namespace {

// Far beyond any memory, and far below overflow of in * out.
constexpr Index kMaxWidth = Index{1} << 28;
constexpr Index kMaxParameters = Index{1} << 40;

std::vector<DenseSpec> LayersFromWidths(const std::vector<Index>& widths,
                                        Activation hidden) {
  if (widths.size() < 2) {
    throw UsageError(
        fmt::format("widths: {} given; expected at least inputs and outputs",
                    widths.size()));
  }
  std::vector<DenseSpec> layers;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const bool last = i + 2 == widths.size();
    layers.push_back({.in = widths[i],
                      .out = widths[i + 1],
                      .activation = last ? Activation::kIdentity : hidden});
  }
  return layers;
}

void CheckLayer(Index number, const DenseSpec& layer, Index previous_out) {
  for (const Index width : {layer.in, layer.out}) {
    if (width < 1 || width > kMaxWidth) {
      throw UsageError(fmt::format("layer {}: width {}: must be from 1 to {}",
                                   number, width, kMaxWidth));
    }
  }
  if (layer.in != previous_out) {
    throw UsageError(
        fmt::format("layer {} has {} inputs, but the layer before it has {} "
                    "outputs",
                    number, layer.in, previous_out));
  }
}

}  // namespace

template <class T>
Mlp<T>::Mlp(const std::vector<Index>& widths, Activation hidden,
            std::uint64_t seed)
    : Mlp(LayersFromWidths(widths, hidden)) {
  Initialise(seed);
}

template <class T>
Mlp<T>::Mlp(const std::vector<DenseSpec>& layers) {
  if (layers.empty()) throw UsageError("a network needs at least one layer");
  Index offset = 0;
  Index previous_out = layers.front().in;
  for (const DenseSpec& spec : layers) {
    CheckLayer(std::ssize(layers_), spec, previous_out);
    previous_out = spec.out;
    DenseLayer layer{spec};
    layer.weight_offset = offset;
    layer.bias_offset = offset + layer.WeightSize();
    offset += layer.Size();
    if (offset > kMaxParameters) {
      throw UsageError(fmt::format(
          "the network has more than {} parameters: no machine holds it",
          kMaxParameters));
    }
    layers_.push_back(layer);
  }
  parameters_.assign(static_cast<std::size_t>(offset), T{0});
}

template <class T>
void Mlp<T>::Initialise(std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kInitialisation);
  for (const DenseLayer& layer : layers_) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.in));
    for (Index i = 0; i < layer.Size(); ++i) {
      parameters_[layer.weight_offset + i] =
          static_cast<T>(random.Uniform(-bound, bound));
    }
  }
}

template <class T>
ConstMatrixView<T> Mlp<T>::Weight(Index layer) const {
  const DenseLayer& l = layers_[layer];
  return {parameters_.data() + l.weight_offset, l.out, l.in};
}

template <class T>
ConstVectorView<T> Mlp<T>::Bias(Index layer) const {
  const DenseLayer& l = layers_[layer];
  return {parameters_.data() + l.bias_offset, l.BiasSize()};
}

template <class T>
void Mlp<T>::Freeze(Index layer, bool weight, bool bias) {
  Check(0 <= layer && layer < NumLayers(), "no such layer");
  layers_[layer].weight_frozen = weight;
  layers_[layer].bias_frozen = bias;
}

template <class T>
Matrix<T> Mlp<T>::Predict(const ConstMatrixView<T>& x) const {
  Propagation<T> propagation;
  propagation.Forward(*this, x);
  return propagation.Outputs();
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace sven::nn
