// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_SCALED_COLUMNS_H_
#define SVEN_SOLVE_SCALED_COLUMNS_H_

#include <algorithm>
#include <utility>

#include "sven/core/linearization.h"
#include "sven/linalg/matrix_buffer.h"

namespace sven::solve {

// The conditions of another linearization in other units of the parameters, M
// diag(c). A parameter with c_i = 0 is held.
template <class T>
class ScaledColumns : public core::Linearization<T> {
 public:
  // Both must outlive the use.
  void Bind(core::Linearization<T>& conditions, std::span<const double> scale) {
    conditions_ = &conditions;
    scale_ = scale;
    uniform_ = std::ranges::all_of(
        scale, [&](double c) { return c == scale.front(); });
  }

  [[nodiscard]] Index NumConditions() const override {
    return conditions_->NumConditions();
  }
  [[nodiscard]] Index NumParameters() const override {
    return conditions_->NumParameters();
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return conditions_->Residuals();
  }
  [[nodiscard]] double Loss() const override { return conditions_->Loss(); }

  // Unless all columns are scaled alike, M is formed.
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override {
    if (uniform_) {
      conditions_->Gram(accumulation, K);
      K *= scale_[0] * scale_[0];
      return;
    }
    M_.Resize(NumConditions(), NumParameters());
    Jacobian(M_.View());
    K.setZero();
    gram_.AddPlain(std::as_const(M_).View(), linalg::Accumulation::kDouble, K);
  }
  void PullBack(std::span<const double> w, std::span<T> out) override {
    conditions_->PullBack(w, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<T>(out[i] * scale_[i]);
    }
  }
  void PushForward(std::span<const T> v, std::span<double> out) override {
    scaled_.resize(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      scaled_[i] = static_cast<T>(v[i] * scale_[i]);
    }
    conditions_->PushForward(scaled_, out);
  }
  void Jacobian(MatrixRef<double> M) override {
    conditions_->Jacobian(M);
    M.array().rowwise() *=
        ConstVectorView<double>(scale_.data(), M.cols()).transpose().array();
  }

 private:
  core::Linearization<T>* conditions_ = nullptr;
  std::span<const double> scale_;
  bool uniform_ = true;
  AlignedVector<T> scaled_;
  MatrixBuffer<double> M_;
  linalg::GramProduct<double> gram_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_SCALED_COLUMNS_H_
