// SPDX-License-Identifier: MIT
//
// Independent roads to what the library computes: plain, dense, slow.
#ifndef SVEN_TESTING_REFERENCES_H_
#define SVEN_TESTING_REFERENCES_H_

#include <functional>
#include <optional>

#include "testing/problems.h"

namespace sven::testing {

// dR/dtheta by central differences of step 1e-6 * (1 + |theta_i|): good to
// about 1e-9 for functions of order one.
Matrix<double> FiniteDifferenceJacobian(
    const std::function<Vector<double>(const Vector<double>&)>& residuals,
    const Vector<double>& theta);

// The losses of a problem at parameters theta, by loops over scalars that share
// no code with the library.
Vector<double> PlainLosses(const Problem<double>& problem,
                           const Vector<double>& theta);

// The outputs f (B x C) and their derivatives (row a C + c: df_ac/dtheta) at the
// network's parameters, by the same loops in complex numbers: the imaginary part
// of f(theta + i h) / h has no cancellation, so it is exact to rounding. For the
// activations tanh, silu, sigmoid and identity.
Matrix<double> PlainOutputs(const Problem<double>& problem);
Matrix<double> PlainOutputJacobian(const Problem<double>& problem);

// One-hot rows of the labels, B x C.
Matrix<double> OneHot(const Problem<double>& problem);
// The softmax of each row.
Matrix<double> Softmax(const Matrix<double>& f);

// - M^+ R with the k largest singular values above rtol * s_1, by Eigen's
// Jacobi SVD.
Vector<double> DenseStep(const Matrix<double>& M, const Vector<double>& R,
                         std::optional<Index> k, double rtol);

}  // namespace sven::testing

#endif  // SVEN_TESTING_REFERENCES_H_
