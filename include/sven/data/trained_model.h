// SPDX-License-Identifier: MIT
//
// A network with all that is needed to use it: what was done to inputs and
// targets before training, what the columns and classes are called, and the
// loss it was trained for. In a safetensors file the parameters stand under
// PyTorch's names (model_file.h) and are the only tensors, so that the file
// loads into an nn.Sequential as it is; the rest is in the metadata.
#ifndef SVEN_DATA_TRAINED_MODEL_H_
#define SVEN_DATA_TRAINED_MODEL_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sven/base/number_type.h"
#include "sven/data/model_file.h"
#include "sven/data/normalisation.h"
#include "sven/nn/loss.h"

namespace sven::data {

// What the metadata of a model say.
struct ModelCard {
  nn::Activation activation = nn::Activation::kGelu;
  nn::Loss loss = nn::Loss::kSquaredError;
  Normalisation normalisation = {};
  // Empty where they are not known, class_names also for regression.
  std::vector<std::string> input_names = {};
  std::vector<std::string> target_names = {};
  std::vector<std::string> class_names = {};
};

template <class T>
struct TrainedModel {
  nn::Mlp<T> net;
  ModelCard card;
};

// A model of `net` with this card, as a file. Bit for bit the same for the
// same model.
template <class T>
SafetensorsFile FormatModel(const nn::Mlp<T>& net, const ModelCard& card);

// Reads a model of ours or of PyTorch. Metadata that are missing have their
// defaults, which `activation`, if given, replaces too. Throws a DataError that
// names `source` for metadata that do not fit the network.
template <class T>
TrainedModel<T> ParseModel(const SafetensorsFile& file,
                           const std::string& source,
                           std::optional<nn::Activation> activation = {});

// f64 if one of the weights is, else f32.
NumberType NumberTypeOf(const SafetensorsFile& file);

}  // namespace sven::data

#endif  // SVEN_DATA_TRAINED_MODEL_H_
