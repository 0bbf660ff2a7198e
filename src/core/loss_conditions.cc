// SPDX-License-Identifier: MIT
#include "sven/core/loss_conditions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sven/base/error.h"

namespace sven::core {

template <class T>
void LossConditions<T>::Bind(Linearization<T>& losses, ResidualMap map,
                             Index micro_batch) {
  Check(micro_batch >= 1, "a micro-batch has at least one loss");
  losses_ = &losses;
  const std::span<const double> l = losses.Residuals();
  micro_batch_ = std::min(micro_batch, std::ssize(l));
  const auto groups =
      static_cast<std::size_t>((std::ssize(l) - 1) / micro_batch_ + 1);
  single_.resize(l.size());
  group_losses_.assign(groups, 0.0);
  for (Index a = 0; a < std::ssize(l); ++a) group_losses_[Group(a)] += l[a];
  residuals_.resize(groups);
  slopes_.resize(groups);
  for (std::size_t A = 0; A < groups; ++A) {
    residuals_[A] = map.Value(group_losses_[A]);
    slopes_[A] = map.Slope(group_losses_[A]);
  }
}

template <class T>
double LossConditions<T>::Loss() const {
  const double total =
      std::accumulate(group_losses_.begin(), group_losses_.end(), 0.0);
  return total / static_cast<double>(single_.size());
}

// Pairs within a group are met once each in the lower triangle; both orders
// count.
template <class T>
void LossConditions<T>::SumGroups(const ConstMatrixView<double>& J,
                                  MatrixRef<double> K) const {
  K.setZero();
  for (Index a = 0; a < J.rows(); ++a) {
    const Index row = Group(a);
    for (Index b = 0; b < a; ++b) {
      K(row, Group(b)) += Group(b) == row ? 2 * J(a, b) : J(a, b);
    }
    K(row, row) += J(a, a);
  }
}

template <class T>
void LossConditions<T>::Gram(linalg::Accumulation accumulation,
                             MatrixRef<double> K) {
  if (micro_batch_ == 1) {
    losses_->Gram(accumulation, K);
  } else {
    single_matrix_.Resize(losses_->NumConditions(), losses_->NumConditions());
    losses_->Gram(accumulation, single_matrix_.View());
    SumGroups(std::as_const(single_matrix_).View(), K);
  }
  for (Index A = 0; A < K.rows(); ++A) {
    for (Index b = 0; b <= A; ++b) K(A, b) = slopes_[A] * K(A, b) * slopes_[b];
  }
}

template <class T>
void LossConditions<T>::PullBack(std::span<const double> w, std::span<T> out) {
  for (Index a = 0; a < std::ssize(single_); ++a) {
    single_[a] = slopes_[Group(a)] * w[Group(a)];
  }
  losses_->PullBack(single_, out);
}

template <class T>
void LossConditions<T>::PushForward(std::span<const T> v,
                                    std::span<double> out) {
  losses_->PushForward(v, single_);
  std::fill(out.begin(), out.end(), 0.0);
  for (Index a = 0; a < std::ssize(single_); ++a) {
    out[Group(a)] += slopes_[Group(a)] * single_[a];
  }
}

template <class T>
void LossConditions<T>::Jacobian(MatrixRef<double> M) {
  single_matrix_.Resize(losses_->NumConditions(), NumParameters());
  MatrixView<double> J = single_matrix_.View();
  losses_->Jacobian(J);
  M.setZero();
  for (Index a = 0; a < J.rows(); ++a) {
    M.row(Group(a)) += slopes_[Group(a)] * J.row(a);
  }
}

template class LossConditions<float>;
template class LossConditions<double>;

}  // namespace sven::core
