// SPDX-License-Identifier: MIT
#ifndef SVEN_CORE_DENSE_LINEARIZATION_H_
#define SVEN_CORE_DENSE_LINEARIZATION_H_

#include "sven/core/linearization.h"

namespace sven::core {

// Conditions whose Jacobian is at hand.
//
//   Vector<double> R = ...;            // B residuals
//   Matrix<double> M = ...;            // B x N, dR_a / dtheta_i
//   DenseLinearization<double> problem(R, M);
//   auto [delta, report] = core::SvenStep<double>(problem);
template <class T>
class DenseLinearization : public Linearization<T> {
 public:
  // Throws a DataError if the sizes do not fit or there is no condition.
  DenseLinearization(Vector<double> R, Matrix<T> M);

  [[nodiscard]] Index NumConditions() const override { return M_.rows(); }
  [[nodiscard]] Index NumParameters() const override { return M_.cols(); }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return {R_.data(), static_cast<std::size_t>(R_.size())};
  }
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override;
  void PullBack(std::span<const double> w, std::span<T> out) override;
  void PushForward(std::span<const T> v, std::span<double> out) override;
  void Jacobian(MatrixRef<double> M) override;

 private:
  Vector<double> R_;
  Matrix<T> M_;
  linalg::GramProduct<T> gram_;
};

}  // namespace sven::core

#endif  // SVEN_CORE_DENSE_LINEARIZATION_H_
