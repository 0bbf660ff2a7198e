// SPDX-License-Identifier: MIT
//
// Parameter batches: only a random part of the parameters takes part in a step
// (paper, appendix "Decreasing Memory Requirements"), drawn anew each time.
#ifndef SVEN_OPTIM_PARAMETER_BATCHES_H_
#define SVEN_OPTIM_PARAMETER_BATCHES_H_

#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/random.h"
#include "sven/nn/selection.h"

namespace sven::optim {

enum class ParameterBatch {
  kAll,         // no parameter batches
  kParameters,  // single parameters: the paper's
  kNeurons,     // rows of the weight matrices with their biases
  kLayers,
};

class ParameterSampler {
 public:
  // Selects round(fraction * count), at least one, of the parameters, neurons
  // or layers that are not frozen.
  void Draw(const std::vector<nn::DenseLayer>& layers, ParameterBatch kind,
            double fraction, RandomStream& random,
            nn::ParameterSelection& selection);

 private:
  std::vector<Index> candidates_;
  std::vector<Index> chosen_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::ParameterBatch> {
  static constexpr std::pair<std::string_view, optim::ParameterBatch> kTable[] =
      {
          {"all", optim::ParameterBatch::kAll},
          {"parameters", optim::ParameterBatch::kParameters},
          {"neurons", optim::ParameterBatch::kNeurons},
          {"layers", optim::ParameterBatch::kLayers},
      };
};

#endif  // SVEN_OPTIM_PARAMETER_BATCHES_H_
