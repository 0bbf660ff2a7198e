// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_MATRIX_BUFFER_H_
#define SVEN_LINALG_MATRIX_BUFFER_H_

#include "sven/linalg/types.h"

namespace sven {

// A matrix that keeps its memory when it shrinks: a smaller last batch and the
// full one after it cost no allocation.
template <class T>
class MatrixBuffer {
 public:
  // Contents are unspecified afterwards.
  void Resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    const auto size = static_cast<std::size_t>(rows * cols);
    if (data_.size() < size) data_.resize(size);
  }

  [[nodiscard]] MatrixView<T> View() { return {data_.data(), rows_, cols_}; }
  [[nodiscard]] ConstMatrixView<T> View() const {
    return {data_.data(), rows_, cols_};
  }

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  AlignedVector<T> data_;
};

}  // namespace sven

#endif  // SVEN_LINALG_MATRIX_BUFFER_H_
