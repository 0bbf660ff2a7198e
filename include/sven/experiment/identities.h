// SPDX-License-Identifier: MIT
//
// What the paper derives rather than measures, put to numbers on small problems.
#ifndef SVEN_EXPERIMENT_IDENTITIES_H_
#define SVEN_EXPERIMENT_IDENTITIES_H_

#include <limits>

namespace sven::experiment {

// NaN: not measured.
struct Identities {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  // More conditions than parameters (a network with 22, 64 samples, residuals
  // f - y): relative difference between Sven's step without cuts and the
  // natural gradient (J^T J)^-1 J^T r, formed as it stands.
  double natural_gradient_difference = kNone;
  // There: the cosine between the steps with kappa = 1 and kappa = 2.
  double kappa_cosine = kNone;
  // A linear model with fewer samples than parameters, kappa = 1, eta = 0.1,
  // the full batch: largest deviation of the loss's decay per step from
  // (1 - eta)^2, relative.
  double linear_decay_error = kNone;
  // The polynomial task's network on 16 samples, the same way, 100 steps: the mean
  // decay of log(loss) per step over that of the linear model. 1: exponential
  // at the same rate.
  double network_decay_rate = kNone;
  // On the problem of the first: the cosine between Sven's step with the whole
  // batch as one condition and the gradient's.
  double one_condition_cosine = kNone;
};

Identities MeasureIdentities();

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_IDENTITIES_H_
