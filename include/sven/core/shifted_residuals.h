// SPDX-License-Identifier: MIT
#ifndef SVEN_CORE_SHIFTED_RESIDUALS_H_
#define SVEN_CORE_SHIFTED_RESIDUALS_H_

#include "sven/base/error.h"
#include "sven/core/linearization.h"

namespace sven::core {

// The conditions of another linearization with other residuals: the right-hand
// side of a method that remembers something.
template <class T>
class ShiftedResiduals : public Linearization<T> {
 public:
  // Both must outlive the use.
  ShiftedResiduals(Linearization<T>& conditions,
                   std::span<const double> residuals)
      : conditions_(conditions), residuals_(residuals) {
    Check(std::ssize(residuals) == conditions.NumConditions(),
          "one residual per condition");
  }

  [[nodiscard]] Index NumConditions() const override {
    return conditions_.NumConditions();
  }
  [[nodiscard]] Index NumParameters() const override {
    return conditions_.NumParameters();
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  // That of the conditions as they are.
  [[nodiscard]] double Loss() const override { return conditions_.Loss(); }
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override {
    conditions_.Gram(accumulation, K);
  }
  void PullBack(std::span<const double> w, std::span<T> out) override {
    conditions_.PullBack(w, out);
  }
  void PushForward(std::span<const T> v, std::span<double> out) override {
    conditions_.PushForward(v, out);
  }
  void Jacobian(MatrixRef<double> M) override { conditions_.Jacobian(M); }

 private:
  Linearization<T>& conditions_;
  std::span<const double> residuals_;
};

}  // namespace sven::core

#endif  // SVEN_CORE_SHIFTED_RESIDUALS_H_
