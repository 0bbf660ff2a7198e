// SPDX-License-Identifier: MIT
#ifndef SVEN_TESTING_SOLVE_DENSE_H_
#define SVEN_TESTING_SOLVE_DENSE_H_

#include "sven/core/dense_linearization.h"
#include "sven/core/step.h"

namespace sven::testing {

// The step for conditions R with the gradients in the rows of M.
inline core::Step<double> Solve(const Matrix<double>& M,
                                const Vector<double>& R,
                                const core::StepOptions& options) {
  core::DenseLinearization<double> problem(R, M);
  return core::SvenStep<double>(problem, options);
}

struct Shape {
  Index B;
  Index N;
};

}  // namespace sven::testing

#endif  // SVEN_TESTING_SOLVE_DENSE_H_
