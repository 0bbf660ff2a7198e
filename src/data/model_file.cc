// SPDX-License-Identifier: MIT
#include "sven/data/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "sven/base/error.h"

namespace sven::data {
namespace {

// "2.weight" is the weight of module 2.
struct ParameterName {
  Index module;
  bool is_bias;
};

std::optional<ParameterName> ParseName(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view kind = name.substr(dot + 1);
  if (kind != "weight" && kind != "bias") return std::nullopt;
  Index module = 0;
  const auto [stop, status] =
      std::from_chars(name.data(), name.data() + dot, module);
  // Only as PyTorch writes it: "00.weight" would be a second "0.weight".
  if (status != std::errc{} || stop != name.data() + dot ||
      std::to_string(module) != name.substr(0, dot) || module < 0) {
    return std::nullopt;
  }
  return ParameterName{.module = module, .is_bias = kind == "bias"};
}

struct LayerTensors {
  const Tensor* weight = nullptr;
  const Tensor* bias = nullptr;
};

std::map<Index, LayerTensors> CollectLayers(const SafetensorsFile& file,
                                            std::string_view source) {
  std::map<Index, LayerTensors> layers;
  for (const auto& [name, tensor] : file.tensors) {
    const auto parsed = ParseName(name);
    if (!parsed) continue;
    LayerTensors& layer = layers[parsed->module];
    (parsed->is_bias ? layer.bias : layer.weight) = &tensor;
  }
  if (layers.empty()) {
    throw DataError(fmt::format(
        "{}: no parameters: expected tensors '0.weight', '0.bias', '2.weight', "
        "... as PyTorch names those of an nn.Sequential",
        source));
  }
  return layers;
}

nn::DenseSpec SpecOf(Index module, const LayerTensors& layer,
                     std::string_view source) {
  if (layer.weight == nullptr) {
    throw DataError(fmt::format("{}: '{}.bias' without '{}.weight'", source,
                                module, module));
  }
  const std::vector<Index>& shape = layer.weight->shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    throw DataError(fmt::format(
        "{}: tensor '{}.weight' has shape [{}]: expected outputs x inputs",
        source, module, fmt::join(shape, ", ")));
  }
  if (layer.bias != nullptr && layer.bias->shape != std::vector{shape[0]}) {
    throw DataError(fmt::format(
        "{}: tensor '{}.bias' has shape [{}]: expected [{}], the outputs of "
        "'{}.weight'",
        source, module, fmt::join(layer.bias->shape, ", "), shape[0], module));
  }
  return {.in = shape[1], .out = shape[0], .bias = layer.bias != nullptr};
}

std::vector<nn::DenseSpec> SpecsOf(const std::map<Index, LayerTensors>& layers,
                                   nn::Activation hidden,
                                   std::string_view source) {
  std::vector<nn::DenseSpec> specs;
  for (const auto& [module, layer] : layers) {
    nn::DenseSpec spec = SpecOf(module, layer, source);
    if (!specs.empty() && specs.back().out != spec.in) {
      throw DataError(fmt::format(
          "{}: tensor '{}.weight' has {} inputs, but the layer before it has "
          "{} outputs",
          source, module, spec.in, specs.back().out));
    }
    if (!specs.empty()) specs.back().activation = hidden;
    specs.push_back(spec);
  }
  return specs;
}

template <class T>
void CopyValues(const std::string& name, const Tensor& tensor,
                std::string_view source, std::span<T> target) {
  const std::vector<T> values = tensor.Values<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError(
          fmt::format("{}: tensor '{}' has the value {} at position {}: "
                      "expected finite parameters",
                      source, name, values[i], i));
    }
  }
  std::copy(values.begin(), values.end(), target.begin());
}

}  // namespace

template <class T>
std::vector<ParameterTensor> NameParameters(const nn::Mlp<T>& net) {
  std::vector<ParameterTensor> tensors;
  Index module = 0;
  for (const nn::DenseLayer& layer : net.Layers()) {
    tensors.push_back({.name = fmt::format("{}.weight", module),
                       .shape = {layer.out, layer.in},
                       .offset = layer.weight_offset,
                       .size = layer.WeightSize()});
    if (layer.bias) {
      tensors.push_back({.name = fmt::format("{}.bias", module),
                         .shape = {layer.out},
                         .offset = layer.bias_offset,
                         .size = layer.BiasSize()});
    }
    module += 2;
  }
  return tensors;
}

bool IsParameterName(std::string_view name) {
  return ParseName(name).has_value();
}

template <class T>
Model<T> ReadModel(const SafetensorsFile& file, nn::Activation hidden,
                   std::string_view source) {
  const std::map<Index, LayerTensors> layers = CollectLayers(file, source);
  Model<T> model{.net = nn::Mlp<T>(SpecsOf(layers, hidden, source)),
                 .tensors = {}};
  for (const auto& [name, tensor] : file.tensors) {
    const auto parsed = ParseName(name);
    if (!parsed) continue;
    const Index number =
        std::distance(layers.begin(), layers.find(parsed->module));
    const nn::DenseLayer& layer = model.net.Layers()[number];
    ParameterTensor entry{
        .name = name,
        .shape = tensor.shape,
        .offset = parsed->is_bias ? layer.bias_offset : layer.weight_offset,
        .size = tensor.Size()};
    CopyValues<T>(
        name, tensor, source,
        model.net.Parameters().subspan(static_cast<std::size_t>(entry.offset),
                                       static_cast<std::size_t>(entry.size)));
    model.tensors.push_back(std::move(entry));
  }
  return model;
}

template <class T>
void AppendModel(const Model<T>& model, SafetensorsFile& file) {
  for (const ParameterTensor& tensor : model.tensors) {
    const auto part =
        model.net.Parameters().subspan(static_cast<std::size_t>(tensor.offset),
                                       static_cast<std::size_t>(tensor.size));
    file.tensors.emplace_back(tensor.name, Tensor::From<T>(part, tensor.shape));
  }
}

template std::vector<ParameterTensor> NameParameters(const nn::Mlp<float>&);
template std::vector<ParameterTensor> NameParameters(const nn::Mlp<double>&);
template struct Model<float>;
template struct Model<double>;
template Model<float> ReadModel(const SafetensorsFile&, nn::Activation,
                                std::string_view);
template Model<double> ReadModel(const SafetensorsFile&, nn::Activation,
                                 std::string_view);
template void AppendModel(const Model<float>&, SafetensorsFile&);
template void AppendModel(const Model<double>&, SafetensorsFile&);

}  // namespace sven::data
