// SPDX-License-Identifier: MIT
//
// Householder reduction of a symmetric matrix to tridiagonal form,
//     T = H_1 ... H_{n-1} K H_{n-1} ... H_1,   H_i = 1 - tau_i v_i v_i^T,
// with v_i zero from entry i on. Reflection i clears row i left of the
// subdiagonal; the rows are done from the last one upwards, which leaves small
// entries at the top, where QL looks first.
#ifndef SVEN_LINALG_TRIDIAGONAL_H_
#define SVEN_LINALG_TRIDIAGONAL_H_

#include <vector>

#include "sven/linalg/types.h"

namespace sven::linalg {

// On entry the lower triangle of A is K; on return row i of A holds v_i.
// diagonal has n entries, off_diagonal n - 1 (entry i couples i and i + 1).
void ReduceSmall(MatrixView<double> A, std::vector<double>& tau,
                 std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal,
                 std::vector<double>& scratch);

// The same by LAPACK's blocked dsytrd, for matrices that outgrow the cache; v_i
// then has an implicit 1 at entry i - 1.
void ReduceLarge(MatrixView<double> A, std::vector<double>& tau,
                 std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal,
                 std::vector<double>& scratch);

}  // namespace sven::linalg

#endif  // SVEN_LINALG_TRIDIAGONAL_H_
