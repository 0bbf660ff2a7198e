// SPDX-License-Identifier: MIT
//
// Conditions made from losses: groups of `micro_batch` consecutive losses are
// summed (the last group may be smaller) and mapped by kappa,
//
//     L_A = sum_{a in A} l_a,    R_A = L_A^(kappa/2),
//     M_A = c_A sum_{a in A} dl_a/dtheta,    c_A = (kappa/2) L_A^(kappa/2 - 1).
//
// With the group matrix S (0 and 1) and C = diag(c), everything follows from
// the products of the losses' own linearization (Jacobian J):
//
//     K = C S (J J^T) S^T C,    M^T w = J^T S^T C w,    M v = C S J v.
#ifndef SVEN_CORE_LOSS_CONDITIONS_H_
#define SVEN_CORE_LOSS_CONDITIONS_H_

#include <vector>

#include "sven/core/linearization.h"
#include "sven/core/residual_map.h"
#include "sven/linalg/matrix_buffer.h"

namespace sven::core {

template <class T>
class LossConditions : public Linearization<T> {
 public:
  // Wraps `losses`, whose residuals are the losses l_a themselves and which
  // must outlive this object's use. May be called again for the next batch.
  void Bind(Linearization<T>& losses, ResidualMap map, Index micro_batch);

  [[nodiscard]] Index NumConditions() const override {
    return std::ssize(residuals_);
  }
  [[nodiscard]] Index NumParameters() const override {
    return losses_->NumParameters();
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  // Mean of the single losses.
  [[nodiscard]] double Loss() const override;
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override;
  void PullBack(std::span<const double> w, std::span<T> out) override;
  void PushForward(std::span<const T> v, std::span<double> out) override;
  void Jacobian(MatrixRef<double> M) override;

  // L_A
  [[nodiscard]] std::span<const double> GroupLosses() const {
    return group_losses_;
  }

 private:
  [[nodiscard]] Index Group(Index a) const { return a / micro_batch_; }
  void SumGroups(const ConstMatrixView<double>& J, MatrixRef<double> K) const;

  Linearization<T>* losses_ = nullptr;
  Index micro_batch_ = 1;
  std::vector<double> group_losses_;
  std::vector<double> residuals_;
  std::vector<double> slopes_;  // c_A
  std::vector<double> single_;  // one entry per loss
  MatrixBuffer<double> single_matrix_;
};

}  // namespace sven::core

#endif  // SVEN_CORE_LOSS_CONDITIONS_H_
