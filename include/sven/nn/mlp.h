// SPDX-License-Identifier: MIT
//
// A multi-layer perceptron on one flat parameter vector. Layer by layer, the
// vector holds the weight matrix (out x in, row-major) and then the bias: the
// order of PyTorch's parameters() for an nn.Sequential of linear layers.
#ifndef SVEN_NN_MLP_H_
#define SVEN_NN_MLP_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sven/linalg/types.h"
#include "sven/nn/activation.h"

namespace sven::nn {

// f(W a + b) with W out x in.
struct DenseSpec {
  Index in = 1;
  Index out = 1;
  Activation activation = Activation::kIdentity;
  bool bias = true;

  bool operator==(const DenseSpec&) const = default;
};

// A layer with its place in the flat vector.
struct DenseLayer : DenseSpec {
  Index weight_offset = 0;
  Index bias_offset = 0;
  // Frozen tensors are not part of any Jacobian or gradient and never move.
  bool weight_frozen = false;
  bool bias_frozen = false;

  bool operator==(const DenseLayer&) const = default;

  [[nodiscard]] Index WeightSize() const { return in * out; }
  [[nodiscard]] Index BiasSize() const { return bias ? out : 0; }
  [[nodiscard]] Index Size() const { return WeightSize() + BiasSize(); }
  [[nodiscard]] bool WeightFree() const { return !weight_frozen; }
  [[nodiscard]] bool BiasFree() const { return bias && !bias_frozen; }
};

template <class T>
class Mlp {
 public:
  // widths = {inputs, hidden..., outputs}; `hidden` between the layers, none
  // after the last. Initialised as PyTorch's nn.Linear: weights and biases
  // uniform in +-1/sqrt(in). Throws a UsageError for impossible widths.
  Mlp(const std::vector<Index>& widths, Activation hidden, std::uint64_t seed);

  // Any chain of layers; parameters are zero until Initialise or until they
  // are written.
  explicit Mlp(const std::vector<DenseSpec>& layers);

  void Initialise(std::uint64_t seed);

  [[nodiscard]] Index NumInputs() const { return layers_.front().in; }
  [[nodiscard]] Index NumOutputs() const { return layers_.back().out; }
  [[nodiscard]] Index NumLayers() const { return std::ssize(layers_); }
  [[nodiscard]] Index NumParameters() const { return std::ssize(parameters_); }
  [[nodiscard]] const std::vector<DenseLayer>& Layers() const {
    return layers_;
  }

  [[nodiscard]] std::span<T> Parameters() { return parameters_; }
  [[nodiscard]] std::span<const T> Parameters() const { return parameters_; }
  [[nodiscard]] ConstMatrixView<T> Weight(Index layer) const;
  [[nodiscard]] ConstVectorView<T> Bias(Index layer) const;

  void Freeze(Index layer, bool weight = true, bool bias = true);

  // The outputs (B x outputs) for inputs x (B x inputs). For a single use:
  // allocates its work area.
  [[nodiscard]] Matrix<T> Predict(const ConstMatrixView<T>& x) const;

 private:
  std::vector<DenseLayer> layers_;
  AlignedVector<T> parameters_;
};

}  // namespace sven::nn

#endif  // SVEN_NN_MLP_H_
