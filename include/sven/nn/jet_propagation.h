// SPDX-License-Identifier: MIT
//
// A network's outputs and their derivatives in its inputs, forward; and backward
// from there to the layers. A layer z = W a + b is linear in its input, so all
// components of a jet go through the same W, and the activation mixes them: with
// indices for derivatives,
//
//     y = f(z),   y_i = f' z_i,   y_ij = f'' z_i z_j + f' z_ij,
//     and for the sum over the diagonal   y_L = f'' sum_i z_i^2 + f' z_L.
//
// (The last is the forward Laplacian: one component instead of d.) What stays of
// a point in a layer are T rows of inputs a_t and output-gradients d_t; the
// condition's part of the Jacobian is sum_t d_t (x) a_t, the bias's d_0.
#ifndef SVEN_NN_JET_PROPAGATION_H_
#define SVEN_NN_JET_PROPAGATION_H_

#include <vector>

#include "sven/linalg/matrix_buffer.h"
#include "sven/nn/jet.h"
#include "sven/nn/mlp.h"

namespace sven::nn {

template <class T>
class JetPropagation {
 public:
  enum class Keep {
    kEverything,  // what Backward and the products with the Jacobian need
    kOutputs,
  };

  // x (B x inputs) is not copied: it must stay until the last use. Throws a
  // UsageError if second derivatives are asked for that the activations do not
  // have.
  void Forward(const Mlp<T>& net, const ConstMatrixView<T>& x,
               Derivatives derivatives, Keep keep = Keep::kEverything);

  // The jets, (B T) x outputs: the components of a point are rows together.
  [[nodiscard]] ConstMatrixView<T> Outputs() const {
    return outputs_[Slot(layers_ - 1)].View();
  }

  // To be filled with the derivatives of each point's condition in its jet, the
  // shape of Outputs(), between Forward and Backward, which overwrites it.
  [[nodiscard]] MatrixView<T> OutputGradient() {
    return gradients_.back().View();
  }
  void Backward(const Mlp<T>& net);

  [[nodiscard]] const JetShape& Shape() const { return shape_; }
  [[nodiscard]] Index BatchSize() const { return batch_size_; }
  // x. The jets that go into the first layer are x, unit vectors and zeros, and
  // are not stored.
  [[nodiscard]] ConstMatrixView<T> Points() const {
    return {x_, batch_size_, shape_.inputs};
  }
  // Inputs of the other layers, and output-gradients: (B T) rows.
  [[nodiscard]] ConstMatrixView<T> Inputs(Index layer) const {
    return outputs_[layer - 1].View();
  }
  [[nodiscard]] ConstMatrixView<T> Gradients(Index layer) const {
    return gradients_[layer].View();
  }

 private:
  // Where a layer's outputs are kept.
  [[nodiscard]] std::size_t Slot(Index layer) const {
    return static_cast<std::size_t>(keep_ == Keep::kEverything ? layer
                                                               : layer % 2);
  }
  void CheckActivations(const Mlp<T>& net) const;
  void Resize(const Mlp<T>& net);
  void EnterFirstLayer(const Mlp<T>& net, MatrixView<T> z);
  void Activate(const DenseLayer& layer, Index number, MatrixView<T> z);
  void BackThroughActivation(const DenseLayer& layer, Index number);

  const T* x_ = nullptr;
  JetShape shape_;
  Keep keep_ = Keep::kEverything;
  Index batch_size_ = 0;
  Index layers_ = 0;
  // Per layer: y; z, unless f is the identity; f', f'', f''' (3 B rows, those of
  // a point together); D.
  std::vector<MatrixBuffer<T>> outputs_;
  std::vector<MatrixBuffer<T>> sums_;
  std::vector<MatrixBuffer<T>> slopes_;
  std::vector<MatrixBuffer<T>> gradients_;
  MatrixBuffer<T> values_;      // B x out of the first layer
  MatrixBuffer<T> transposed_;  // its W^T
};

}  // namespace sven::nn

#endif  // SVEN_NN_JET_PROPAGATION_H_
