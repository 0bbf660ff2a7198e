// SPDX-License-Identifier: MIT
//
// What we take from OpenBLAS and LAPACKE.
#ifndef SVEN_LINALG_BLAS_H_
#define SVEN_LINALG_BLAS_H_

#include <cblas.h>
#include <lapacke.h>

#include <limits>

#include "sven/base/error.h"
#include "sven/base/types.h"

namespace sven::linalg {

// Call before the first use of OpenBLAS. It starts with one thread per core
// unless told otherwise, and for our sizes that costs more than it brings.
void InitialiseThreads();

// BLAS counts in 32 bits.
inline int ToBlas(Index size) {
  Check(size <= std::numeric_limits<int>::max(), "matrix too large for BLAS");
  return static_cast<int>(size);
}

}  // namespace sven::linalg

#endif  // SVEN_LINALG_BLAS_H_
