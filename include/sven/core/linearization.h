// SPDX-License-Identifier: MIT
//
// What Sven needs to know of a problem: B conditions R(theta) = 0 of N
// parameters, linearised at the present theta,
//
//     R(theta + delta) = R + M delta,      M = dR/dtheta  (B x N),
//
// through products with M; M itself is not formed (only the dense road, for
// small problems, asks for it). Neural networks implement this interface in
// nn/; a problem of one's own does so directly, or hands its Jacobian to
// DenseLinearization.
//
// Quantities with B entries are double throughout; those with N entries have
// the type T of the parameters.
#ifndef SVEN_CORE_LINEARIZATION_H_
#define SVEN_CORE_LINEARIZATION_H_

#include <span>

#include "sven/linalg/gram_product.h"
#include "sven/linalg/types.h"

namespace sven::core {

template <class T>
class Linearization {
 public:
  virtual ~Linearization() = default;

  [[nodiscard]] virtual Index NumConditions() const = 0;  // B >= 1
  [[nodiscard]] virtual Index NumParameters() const = 0;  // N >= 1

  // R, B entries.
  [[nodiscard]] virtual std::span<const double> Residuals() const = 0;

  // The loss at theta, for the report. Unless overridden: mean of R^2.
  [[nodiscard]] virtual double Loss() const;

  // Sets the lower triangle of K (B x B) to that of M M^T; the upper one is
  // never read. `accumulation` says how exact the sums must be.
  virtual void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) = 0;

  // out (N) = M^T w
  virtual void PullBack(std::span<const double> w, std::span<T> out) = 0;

  // out (B) = M v
  virtual void PushForward(std::span<const T> v, std::span<double> out) = 0;

  // Fills M (B x N). Unless overridden: one pull-back per row.
  virtual void Jacobian(MatrixRef<double> M);
};

}  // namespace sven::core

#endif  // SVEN_CORE_LINEARIZATION_H_
