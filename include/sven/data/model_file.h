// SPDX-License-Identifier: MIT
//
// Networks in safetensors files, with the names that PyTorch gives to an
// nn.Sequential of linear layers with activations between them: `0.weight` (out
// x in), `0.bias`, `2.weight`, ... A bias may be missing.
#ifndef SVEN_DATA_MODEL_FILE_H_
#define SVEN_DATA_MODEL_FILE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sven/data/safetensors.h"
#include "sven/nn/mlp.h"

namespace sven::data {

// A parameter tensor and its place in the network's flat vector.
struct ParameterTensor {
  std::string name;
  std::vector<Index> shape;
  Index offset = 0;
  Index size = 0;
};

template <class T>
struct Model {
  nn::Mlp<T> net;
  std::vector<ParameterTensor> tensors;  // in the order of the file
};

// The parameters of a network under PyTorch's names: modules 0, 2, 4, ..., with
// the activations between them.
template <class T>
std::vector<ParameterTensor> NameParameters(const nn::Mlp<T>& net);

// Whether a tensor of this name is a parameter: "2.weight", "10.bias".
bool IsParameterName(std::string_view name);

// Reads the network. Throws a DataError that names `source` and the tensor if
// there is none, a shape does not fit, or a value is NaN or infinite.
template <class T>
Model<T> ReadModel(const SafetensorsFile& file, nn::Activation hidden,
                   std::string_view source);

// Appends the parameters under their names, in the type T.
template <class T>
void AppendModel(const Model<T>& model, SafetensorsFile& file);

// A flat vector rearranged between the network's order (layer by layer, weight
// before bias) and that of the file's tensors.
template <class T, class V>
std::vector<V> ToFileOrder(const Model<T>& model, std::span<const V> flat) {
  std::vector<V> result;
  result.reserve(flat.size());
  for (const ParameterTensor& tensor : model.tensors) {
    const auto part = flat.subspan(static_cast<std::size_t>(tensor.offset),
                                   static_cast<std::size_t>(tensor.size));
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

template <class T, class V>
std::vector<V> FromFileOrder(const Model<T>& model, std::span<const V> values) {
  std::vector<V> flat(values.size());
  Index next = 0;
  for (const ParameterTensor& tensor : model.tensors) {
    for (Index i = 0; i < tensor.size; ++i, ++next) {
      flat[static_cast<std::size_t>(tensor.offset + i)] =
          values[static_cast<std::size_t>(next)];
    }
  }
  return flat;
}

}  // namespace sven::data

#endif  // SVEN_DATA_MODEL_FILE_H_
