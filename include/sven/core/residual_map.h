// SPDX-License-Identifier: MIT
//
// From a loss l >= 0 to a condition R = 0: R = l^(kappa/2).
//
//   kappa = 2   R = l, the paper's default
//   kappa = 1   R = sqrt(l): for a squared error this is its residual, and the
//               step is Gauss-Newton's
#ifndef SVEN_CORE_RESIDUAL_MAP_H_
#define SVEN_CORE_RESIDUAL_MAP_H_

#include <cmath>

namespace sven::core {

struct ResidualMap {
  double kappa = 2.0;

  // R(l). NaN for l < 0 and kappa != 2.
  [[nodiscard]] double Value(double loss) const {
    if (kappa == 2.0) return loss;
    if (kappa == 1.0) return std::sqrt(loss);
    return std::pow(loss, 0.5 * kappa);
  }

  // dR/dl = (kappa/2) l^(kappa/2 - 1). At l = 0 and kappa < 2 the derivative
  // does not exist; the condition holds already, and 0 leaves it out.
  [[nodiscard]] double Slope(double loss) const {
    if (kappa == 2.0) return 1.0;
    if (loss == 0.0) return 0.0;
    return 0.5 * kappa * std::pow(loss, 0.5 * kappa - 1.0);
  }
};

}  // namespace sven::core

#endif  // SVEN_CORE_RESIDUAL_MAP_H_
