// SPDX-License-Identifier: MIT
//
// The linearization of one condition per sample of a network, from the inputs A
// and output-gradients D that a Propagation kept. With sums over layers:
//
//     K     = (D D^T) o (A A^T + 1)
//     M^T w = (w o D)^T A                    an ordinary weight gradient
//     M v   = rowsum D o (A V^T + v_bias)
//
// Nowhere is there a B x N matrix, except in Jacobian.
#ifndef SVEN_NN_NETWORK_LINEARIZATION_H_
#define SVEN_NN_NETWORK_LINEARIZATION_H_

#include <span>
#include <vector>

#include "sven/core/linearization.h"
#include "sven/nn/propagation.h"
#include "sven/nn/selection.h"

namespace sven::nn {

template <class T>
class NetworkLinearization : public core::Linearization<T> {
 public:
  // All arguments must outlive the use. `losses` are for the report; residuals
  // are what the output-gradient was taken of: the losses themselves, or
  // signed residuals. Gradients must be there down to selection.LowestLayer().
  void Bind(const Mlp<T>& net, const Propagation<T>& propagation,
            const ParameterSelection& selection, std::span<const double> losses,
            std::span<const double> residuals);

  [[nodiscard]] Index NumConditions() const override {
    return std::ssize(residuals_);
  }
  [[nodiscard]] Index NumParameters() const override {
    return net_->NumParameters();
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  // Mean of the losses.
  [[nodiscard]] double Loss() const override;
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override;
  void PullBack(std::span<const double> w, std::span<T> out) override;
  void PushForward(std::span<const T> v, std::span<double> out) override;
  void Jacobian(MatrixRef<double> M) override;

 private:
  // D of the layer, or of its selected neurons (gathered into selected_).
  ConstMatrixView<T> SelectedGradients(Index layer);
  void GramOfEntries(Index layer, linalg::Accumulation accumulation,
                     MatrixRef<double> K);
  void PullBackDense(Index layer, std::span<T> out);
  void PullBackNeurons(Index layer, std::span<T> out);
  void JacobianRow(Index layer, Index a, std::span<double> row) const;

  const Mlp<T>* net_ = nullptr;
  const Propagation<T>* propagation_ = nullptr;
  const ParameterSelection* selection_ = nullptr;
  std::span<const double> losses_;
  std::span<const double> residuals_;
  linalg::GramProduct<T> gram_;
  MatrixBuffer<T> selected_;  // B x selected neurons
  MatrixBuffer<T> scaled_;    // w o D
  MatrixBuffer<T> columns_;   // a block of columns of M
  MatrixBuffer<T> result_;    // gradient of the selected neurons
  AlignedVector<T> masked_;   // the selected part of a vector
};

}  // namespace sven::nn

#endif  // SVEN_NN_NETWORK_LINEARIZATION_H_
