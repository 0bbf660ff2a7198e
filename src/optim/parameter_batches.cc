// SPDX-License-Identifier: MIT
#include "sven/optim/parameter_batches.h"

#include <algorithm>
#include <cmath>

#include "sven/optim/layer_factors.h"

namespace sven::optim {
namespace {

void AppendRange(Index first, Index count, std::vector<Index>& list) {
  for (Index i = 0; i < count; ++i) list.push_back(first + i);
}

// Numbers of everything of the kind that may move.
void ListCandidates(const std::vector<nn::DenseLayer>& layers,
                    ParameterBatch kind, std::vector<Index>& list) {
  list.clear();
  Index neuron = 0;
  for (Index l = 0; l < std::ssize(layers); ++l) {
    const nn::DenseLayer& layer = layers[l];
    if (kind == ParameterBatch::kLayers && AnyFree(layer)) list.push_back(l);
    if (kind == ParameterBatch::kNeurons && AnyFree(layer)) {
      AppendRange(neuron, layer.out, list);
    }
    if (kind == ParameterBatch::kParameters) {
      if (layer.WeightFree()) {
        AppendRange(layer.weight_offset, layer.WeightSize(), list);
      }
      if (layer.BiasFree()) {
        AppendRange(layer.bias_offset, layer.BiasSize(), list);
      }
    }
    neuron += layer.out;
  }
}

}  // namespace

void ParameterSampler::Draw(const std::vector<nn::DenseLayer>& layers,
                            ParameterBatch kind, double fraction,
                            RandomStream& random,
                            nn::ParameterSelection& selection) {
  if (kind == ParameterBatch::kAll) {
    selection.SelectAll(layers);
    return;
  }
  ListCandidates(layers, kind, candidates_);
  const Index total = std::ssize(candidates_);
  const auto wanted =
      static_cast<Index>(std::llround(fraction * static_cast<double>(total)));
  SampleWithoutReplacement(total,
                           std::clamp(wanted, std::min<Index>(1, total), total),
                           random, chosen_);
  for (Index& i : chosen_) i = candidates_[i];
  switch (kind) {
    case ParameterBatch::kAll:
      break;
    case ParameterBatch::kParameters:
      selection.SelectParameters(layers, chosen_);
      break;
    case ParameterBatch::kNeurons:
      selection.SelectNeurons(layers, chosen_);
      break;
    case ParameterBatch::kLayers:
      selection.SelectLayers(layers, chosen_);
      break;
  }
}

}  // namespace sven::optim
