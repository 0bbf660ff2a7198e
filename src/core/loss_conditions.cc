// SPDX-License-Identifier: MIT
#include "sven/core/loss_conditions.h"

#include <algorithm>
#include <numeric>

#include "sven/base/error.h"

namespace sven::core {

template <class T>
void LossConditions<T>::Bind(Linearization<T>& losses, ResidualMap map,
                             Index micro_batch) {
  Check(micro_batch >= 1, "a micro-batch has at least one loss");
  losses_ = &losses;
  micro_batch_ = micro_batch;
  const std::span<const double> l = losses.Residuals();
  const auto groups =
      static_cast<std::size_t>((std::ssize(l) + micro_batch - 1) / micro_batch);
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

template <class T>
void LossConditions<T>::Gram(linalg::Accumulation accumulation,
                             Matrix<double>& K) {
  const Index B = losses_->NumConditions();
  const Index groups = NumConditions();
  Matrix<double>& J = micro_batch_ == 1 ? K : single_matrix_;
  losses_->Gram(accumulation, J);
  if (micro_batch_ > 1) {
    K.setZero(groups, groups);
    for (Index a = 0; a < B; ++a) {
      const Index row = Group(a);
      // Pairs within a group are found once; both orders count.
      for (Index b = 0; b < a; ++b) {
        K(row, Group(b)) += Group(b) == row ? 2 * J(a, b) : J(a, b);
      }
      K(row, row) += J(a, a);
    }
  }
  for (Index A = 0; A < groups; ++A) {
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
void LossConditions<T>::Jacobian(Matrix<double>& M) {
  losses_->Jacobian(single_matrix_);
  M.setZero(NumConditions(), NumParameters());
  for (Index a = 0; a < single_matrix_.rows(); ++a) {
    M.row(Group(a)) += slopes_[Group(a)] * single_matrix_.row(a);
  }
}

template class LossConditions<float>;
template class LossConditions<double>;

}  // namespace sven::core
