// SPDX-License-Identifier: MIT
//
// Matrix products: OpenBLAS for large ones, inlined Eigen for small ones, where
// the call itself would cost more than the work. None of them allocates.
#ifndef SVEN_LINALG_PRODUCT_H_
#define SVEN_LINALG_PRODUCT_H_

#include "sven/linalg/types.h"

namespace sven::linalg {

// C = A B     (m x k, k x n)
template <class T>
void MultiplyAB(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C);
// C = A B^T   (m x k, n x k)
template <class T>
void MultiplyABt(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C);
// C = A^T B   (k x m, k x n)
template <class T>
void MultiplyAtB(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C);

// Adds G G^T to the lower triangle of K; the upper one is left alone.
void AddGram(const ConstMatrixView<double>& G, MatrixRef<double> K);

// How many threads the large products may use; 1 unless set. This is the setting
// of OpenBLAS for the whole process: Sven sets it to 1 at its first use.
void SetThreads(int count);

}  // namespace sven::linalg

#endif  // SVEN_LINALG_PRODUCT_H_
