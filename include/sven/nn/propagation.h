// SPDX-License-Identifier: MIT
//
// One pass forward and one backward, keeping what the Jacobian is made of: row
// a of a layer's part of it is D.row(a) (x) (A.row(a), 1), with the layer's
// inputs A (B x in) and output-gradients D (B x out).
//
// A sample may have several rows, r of them: say one for each of its outputs.
// D is then (B r) x out, the rows of a sample together, and A has one row for
// all of them.
#ifndef SVEN_NN_PROPAGATION_H_
#define SVEN_NN_PROPAGATION_H_

#include <vector>

#include "sven/linalg/matrix_buffer.h"
#include "sven/nn/mlp.h"

namespace sven::nn {

template <class T>
class Propagation {
 public:
  // x (B x inputs) is not copied: it must stay until the last use of Inputs(0).
  void Forward(const Mlp<T>& net, const ConstMatrixView<T>& x);

  [[nodiscard]] ConstMatrixView<T> Outputs() const {
    return outputs_.back().View();
  }

  // Between Forward and Backward; Forward sets it to 1.
  void SetRowsPerSample(Index rows);

  // To be filled with dR/df (B r x outputs) between Forward and Backward, which
  // overwrites it.
  [[nodiscard]] MatrixView<T> OutputGradient() {
    return gradients_.back().View();
  }

  // Output-gradients of the layers from the last down to `lowest`.
  void Backward(const Mlp<T>& net, Index lowest = 0);

  // A and D of a layer.
  [[nodiscard]] ConstMatrixView<T> Inputs(Index layer) const {
    return layer == 0 ? ConstMatrixView<T>(x_, batch_size_, inputs_)
                      : outputs_[layer - 1].View();
  }
  [[nodiscard]] ConstMatrixView<T> Gradients(Index layer) const {
    return gradients_[layer].View();
  }
  [[nodiscard]] Index BatchSize() const { return batch_size_; }
  [[nodiscard]] Index RowsPerSample() const { return rows_per_sample_; }

 private:
  void MultiplyBySlopes(Index layer);

  const T* x_ = nullptr;
  Index batch_size_ = 0;
  Index inputs_ = 0;
  Index rows_per_sample_ = 1;
  // Per layer: f(z) and f'(z), B x out, and D.
  std::vector<MatrixBuffer<T>> outputs_;
  std::vector<MatrixBuffer<T>> slopes_;
  std::vector<MatrixBuffer<T>> gradients_;
};

}  // namespace sven::nn

#endif  // SVEN_NN_PROPAGATION_H_
