// SPDX-License-Identifier: MIT
#include "sven/nn/selection.h"

#include <algorithm>

#include "sven/base/error.h"

namespace sven::nn {
namespace {

void SelectWhole(const DenseLayer& layer, LayerSelection& selection) {
  selection.weight = layer.WeightFree();
  selection.bias = layer.BiasFree();
  const bool any = selection.weight || selection.bias;
  selection.kind =
      any ? LayerSelection::Kind::kAll : LayerSelection::Kind::kNone;
  selection.indices.clear();
}

bool IsFree(const DenseLayer& layer, Index position) {
  return position < layer.WeightSize() ? layer.WeightFree() : layer.BiasFree();
}

Index FreeSize(const DenseLayer& layer) {
  return (layer.WeightFree() ? layer.WeightSize() : 0) +
         (layer.BiasFree() ? layer.BiasSize() : 0);
}

}  // namespace

void ParameterSelection::Clear(const std::vector<DenseLayer>& layers) {
  made_for_ = layers;
  layers_.resize(layers.size());
  for (LayerSelection& selection : layers_) {
    selection.kind = LayerSelection::Kind::kNone;
    selection.weight = false;
    selection.bias = false;
    selection.indices.clear();
  }
}

void ParameterSelection::SelectAll(const std::vector<DenseLayer>& layers) {
  Clear(layers);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    SelectWhole(layers[l], layers_[l]);
  }
}

void ParameterSelection::SelectLayers(const std::vector<DenseLayer>& layers,
                                      std::span<const Index> chosen) {
  Clear(layers);
  for (const Index l : chosen) {
    Check(0 <= l && l < std::ssize(layers), "no such layer");
    SelectWhole(layers[l], layers_[l]);
  }
}

void ParameterSelection::SelectNeurons(const std::vector<DenseLayer>& layers,
                                       std::span<const Index> chosen) {
  Clear(layers);
  Index first = 0;  // number of the layer's first neuron
  std::size_t next = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerSelection& selection = layers_[l];
    const DenseLayer& layer = layers[l];
    for (; next < chosen.size() && chosen[next] < first + layer.out; ++next) {
      selection.indices.push_back(chosen[next] - first);
    }
    first += layer.out;
    if (selection.indices.empty()) continue;
    if (std::ssize(selection.indices) == layer.out) {
      SelectWhole(layer, selection);
      continue;
    }
    selection.weight = layer.WeightFree();
    selection.bias = layer.BiasFree();
    if (selection.weight || selection.bias) {
      selection.kind = LayerSelection::Kind::kNeurons;
    }
  }
  Check(next == chosen.size(), "no such neuron, or not ascending");
}

void ParameterSelection::SelectParameters(const std::vector<DenseLayer>& layers,
                                          std::span<const Index> chosen) {
  Clear(layers);
  std::size_t next = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerSelection& selection = layers_[l];
    const DenseLayer& layer = layers[l];
    const Index end = layer.weight_offset + layer.Size();
    for (; next < chosen.size() && chosen[next] < end; ++next) {
      const Index position = chosen[next] - layer.weight_offset;
      if (IsFree(layer, position)) selection.indices.push_back(position);
    }
    if (selection.indices.empty()) continue;
    selection.kind = LayerSelection::Kind::kEntries;
    if (std::ssize(selection.indices) == FreeSize(layer)) {
      SelectWhole(layer, selection);
    }
  }
  Check(next == chosen.size(), "no such parameter, or not ascending");
}

void ParameterSelection::SelectMask(const std::vector<DenseLayer>& layers,
                                    std::span<const std::uint8_t> mask) {
  const DenseLayer& last = layers.back();
  Check(std::ssize(mask) == last.weight_offset + last.Size(),
        "a mask has one entry per parameter");
  scratch_.clear();
  for (Index i = 0; i < std::ssize(mask); ++i) {
    if (mask[i] != 0) scratch_.push_back(i);
  }
  SelectParameters(layers, scratch_);
}

void ParameterSelection::FillMask(std::span<std::uint8_t> mask) const {
  using Kind = LayerSelection::Kind;
  std::fill(mask.begin(), mask.end(), std::uint8_t{0});
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LayerSelection& selection = layers_[l];
    const DenseLayer& layer = made_for_[l];
    const auto set = [&](Index first, Index count) {
      std::fill_n(mask.begin() + first, count, std::uint8_t{1});
    };
    if (selection.kind == Kind::kAll) {
      if (selection.weight) set(layer.weight_offset, layer.WeightSize());
      if (selection.bias) set(layer.bias_offset, layer.BiasSize());
      continue;
    }
    for (const Index i : selection.indices) {
      if (selection.kind == Kind::kEntries) {
        set(layer.weight_offset + i, 1);
        continue;
      }
      if (selection.weight) set(layer.weight_offset + i * layer.in, layer.in);
      if (selection.bias) set(layer.bias_offset + i, 1);
    }
  }
}

Index ParameterSelection::LowestLayer() const {
  Index l = 0;
  while (l < std::ssize(layers_) &&
         layers_[l].kind == LayerSelection::Kind::kNone) {
    ++l;
  }
  return l;
}

}  // namespace sven::nn
