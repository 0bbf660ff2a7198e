// SPDX-License-Identifier: MIT
//
// The linearization of conditions on the outputs of a network, one or several
// per sample, from the inputs A and output-gradients D that a Propagation kept.
// With sums over layers:
//
//     K     = (D D^T) o (A A^T + 1)
//     M^T w = (w o D)^T A                    an ordinary weight gradient
//     M v   = rowsum D o (A V^T + v_bias)
//
// where a row of A stands for all the rows of D that belong to its sample.
// Nowhere is there a matrix with N columns, except in Jacobian.
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

  // From here to the next Bind, parameter i is measured in units of
  // 1 / scale[i]: M stands for M diag(scale). N entries, which must outlive the
  // use, or none for no scaling. Gram then forms the rows in blocks of columns.
  void ScaleColumns(std::span<const T> scale);

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
  // Neighbouring parameters of a layer: weights of one neuron, or biases.
  struct Run {
    Index column = 0;  // of the first one in the block
    Index count = 0;
    Index position = 0;  // of the first one in the layer's part
    bool weight = true;
    Index neuron = 0;
    Index input = 0;
  };

  [[nodiscard]] auto ScaleArray() const {
    return ConstVectorView<T>(scale_.data(), std::ssize(scale_)).array();
  }
  // D of the layer, or of its selected neurons (gathered into selected_).
  ConstMatrixView<T> SelectedGradients(Index layer);
  // The samples' rows, weighted and added up: B x out.
  void SumWeightedRows(const ConstMatrixView<T>& D, std::span<const double> w);
  void GramOfRows(Index layer, linalg::Accumulation accumulation,
                  MatrixRef<double> K);
  void GramOfColumns(Index layer, linalg::Accumulation accumulation,
                     MatrixRef<double> K);
  void ListPositions(Index layer);
  void ListRuns(Index layer, Index first, Index count);
  void FillRow(Index layer, Index row);
  void PullBackDense(Index layer, std::span<T> out);
  void PullBackNeurons(Index layer, std::span<T> out);
  void JacobianRow(Index layer, Index a, std::span<double> row) const;

  const Mlp<T>* net_ = nullptr;
  const Propagation<T>* propagation_ = nullptr;
  const ParameterSelection* selection_ = nullptr;
  std::span<const double> losses_;
  std::span<const double> residuals_;
  std::span<const T> scale_;  // empty: no scaling
  linalg::GramProduct<T> gram_;
  MatrixBuffer<double> left_;     // D D^T where a sample has several rows
  MatrixBuffer<double> right_;    // A A^T
  std::vector<Index> positions_;  // of the selected parameters in a layer
  std::vector<Run> runs_;         // of the columns formed at present
  MatrixBuffer<T> selected_;      // D of the selected neurons
  MatrixBuffer<T> scaled_;        // w o D, summed per sample
  MatrixBuffer<T> columns_;       // a block of columns of M
  MatrixBuffer<T> result_;        // gradient of the selected neurons
  AlignedVector<T> masked_;       // the selected part of a vector
};

}  // namespace sven::nn

#endif  // SVEN_NN_NETWORK_LINEARIZATION_H_
