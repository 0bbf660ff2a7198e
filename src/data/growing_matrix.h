// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_GROWING_MATRIX_H_
#define SVEN_SRC_DATA_GROWING_MATRIX_H_

#include <algorithm>
#include <utility>

#include "sven/linalg/types.h"

namespace sven::data {

// A matrix of which the number of rows shows only at the end. Memory grows by a
// quarter; large blocks are moved by the operating system (realloc), not
// copied, and what is not used yet takes no physical memory.
template <class T>
class GrowingMatrix {
 public:
  explicit GrowingMatrix(Index cols) { matrix_.resize(0, cols); }

  // Where the values of a new row go, valid until the next call.
  T* AddRow() {
    if (matrix_.cols() == 0) return nullptr;
    if (rows_ == matrix_.rows()) {
      constexpr Index kFirstValues = 4096;
      const Index more = std::max(rows_ / 4, 1 + kFirstValues / matrix_.cols());
      matrix_.conservativeResize(rows_ + more, matrix_.cols());
    }
    return matrix_.data() + matrix_.cols() * rows_++;
  }

  // With the rows that were added and no others.
  Matrix<T> Take() {
    matrix_.conservativeResize(rows_, matrix_.cols());
    return std::move(matrix_);
  }

 private:
  Matrix<T> matrix_;
  Index rows_ = 0;
};

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_GROWING_MATRIX_H_
