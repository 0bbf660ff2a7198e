// SPDX-License-Identifier: MIT
//
// Matrices are row-major, as in NumPy, PyTorch and safetensors: a batch has one
// sample per row, a weight matrix one neuron per row.
#ifndef SVEN_LINALG_TYPES_H_
#define SVEN_LINALG_TYPES_H_

#include <Eigen/Core>
#include <vector>

#include "sven/base/types.h"

namespace sven {

template <class T>
using Matrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// A vector whose memory is aligned for vector instructions. Where a sum starts
// to be taken in vectors depends on the alignment, so all memory of ours is
// aligned: the same input gives the same bits.
template <class T>
using AlignedVector = std::vector<T, Eigen::aligned_allocator<T>>;

// Views of contiguous memory that somebody else owns.
template <class T>
using MatrixView = Eigen::Map<Matrix<T>>;
template <class T>
using ConstMatrixView = Eigen::Map<const Matrix<T>>;
template <class T>
using VectorView = Eigen::Map<Vector<T>>;
template <class T>
using ConstVectorView = Eigen::Map<const Vector<T>>;

// A matrix or a view of one, as an argument to be filled.
template <class T>
using MatrixRef = Eigen::Ref<Matrix<T>>;

template <class T>
ConstMatrixView<T> View(const Matrix<T>& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}
template <class T>
ConstVectorView<T> View(const Vector<T>& vector) {
  return {vector.data(), vector.size()};
}
template <class T>
MatrixView<T> MutableView(Matrix<T>& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}
template <class T>
VectorView<T> MutableView(Vector<T>& vector) {
  return {vector.data(), vector.size()};
}

}  // namespace sven

#endif  // SVEN_LINALG_TYPES_H_
