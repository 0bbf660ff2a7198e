// SPDX-License-Identifier: MIT
//
// The linearization of conditions on jets of a network, from the inputs a_t and
// output-gradients d_t that JetPropagations have kept. The weights of a layer are
// used once per component t of a jet, so that, with sums over layers,
//
//     K_ab  = sum_ts (d_at . d_bs)(a_at . a_bs) + d_a0 . d_b0     (weights + bias)
//     M^T w = sum_at w_a d_at (x) a_at
//     M v   = sum_t d_at . (V a_at) + d_a0 . v_bias
//
// For K there are two roads, of which each layer takes the cheaper one:
//
//   pairs     products of blocks of points, (T p) x (T q), multiplied elementwise
//             and summed over t and s; work B^2 T^2 (in + out)
//   columns   rows sum_t d_at (x) a_at of some neurons at a time, formed, added to
//             K, and thrown away; work B^2 in out
//
// Conditions may come in several parts with jets of different shapes (interior,
// boundary), and depend on further parameters behind those of the network.
#ifndef SVEN_NN_JET_LINEARIZATION_H_
#define SVEN_NN_JET_LINEARIZATION_H_

#include <span>
#include <vector>

#include "sven/core/linearization.h"
#include "sven/nn/jet_propagation.h"

namespace sven::nn {

// One condition per point of a batch.
template <class T>
struct JetPart {
  const JetPropagation<T>* jets = nullptr;
  // Derivatives of the conditions in the further parameters, B x m.
  const T* further = nullptr;
};

enum class JetRoad { kAuto, kPairs, kColumns };

template <class T>
class JetLinearization : public core::Linearization<T> {
 public:
  // All arguments must outlive the use. The conditions are those of the parts,
  // one after another; Backward has been called for each. `further` is m.
  void Bind(const Mlp<T>& net, std::span<const JetPart<T>> parts, Index further,
            std::span<const double> residuals);
  // For all layers but the first, which always takes columns.
  void SetRoad(JetRoad road) { road_ = road; }

  [[nodiscard]] Index NumConditions() const override {
    return std::ssize(residuals_);
  }
  [[nodiscard]] Index NumParameters() const override {
    return net_->NumParameters() + further_;
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override;
  void PullBack(std::span<const double> w, std::span<T> out) override;
  void PushForward(std::span<const T> v, std::span<double> out) override;
  void Jacobian(MatrixRef<double> M) override;

 private:
  [[nodiscard]] bool TakesPairs(Index layer) const;
  // The derivatives of condition a of a part in the weights of some neurons.
  void WeightRow(const JetPart<T>& part, Index layer, Index a, Index first,
                 Index count, double* out) const;
  void GramOfColumns(Index layer, const MatrixRef<double>& K);
  void GramOfPairs(Index layer, MatrixRef<double> K);
  void AddBlock(Index layer, bool diagonal, MatrixRef<double> K);
  void GramOfFurther(const MatrixRef<double>& K);
  void PullBackLayer(const JetPart<T>& part, Index layer,
                     std::span<const double> w, std::span<T> out);
  void PushLayer(const JetPart<T>& part, Index layer, std::span<const T> v,
                 std::span<double> out);

  // Some points of a part, in double: (points T) rows of A and D.
  struct Block {
    Index first = 0;  // its place among all conditions
    Index points = 0;
    Index components = 0;
    MatrixBuffer<double> A;
    MatrixBuffer<double> D;
  };
  // Calls visit(part, a, count, place) for blocks of points.
  template <class Visit>
  void ForBlocks(Visit&& visit) const;
  void Load(const JetPart<T>& part, Index layer, Index a, Index count,
            Index place, Block& block) const;

  const Mlp<T>* net_ = nullptr;
  std::vector<JetPart<T>> parts_;
  Index further_ = 0;
  std::span<const double> residuals_;
  JetRoad road_ = JetRoad::kAuto;
  MatrixBuffer<double> columns_;
  Block left_;
  Block right_;
  MatrixBuffer<double> inputs_product_;
  MatrixBuffer<double> gradients_product_;
  MatrixBuffer<T> scaled_;   // w o D
  MatrixBuffer<T> product_;  // a layer's part of M^T w, or A V^T
  MatrixBuffer<T> values_;   // the value rows of D in the first layer
};

}  // namespace sven::nn

#endif  // SVEN_NN_JET_LINEARIZATION_H_
