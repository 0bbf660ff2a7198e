// SPDX-License-Identifier: MIT
//
// Shapes: the rows of D and A are packed into panels of W rows, a panel holding
// its W values for one column side by side (converted to the accumulating type
// S on the way). A block of K is then kRows x W sums of products, kept in
// registers while both panels stream by.
#include "sven/linalg/gram_product.h"

#include <algorithm>
#include <type_traits>

namespace sven::linalg {
namespace {

constexpr Index kRows = 4;  // rows of K in a block

template <class S>
struct Simd {
  static constexpr Index kLanes = 32 / sizeof(S);
  static constexpr Index kWidth = 2 * kLanes;  // columns of K in a block
  using Type __attribute__((vector_size(32))) = S;
};

template <class S>
using Lanes = typename Simd<S>::Type;

template <class S>
struct Block {
  Lanes<S> sum[kRows][2];
};

Index PanelCount(Index rows, Index width) { return (rows + width - 1) / width; }

template <class T, class S>
void Pack(const ConstMatrixView<T>& X, std::vector<S>& packed) {
  constexpr Index kWidth = Simd<S>::kWidth;
  const Index rows = X.rows();
  const Index depth = X.cols();
  const Index panels = PanelCount(rows, kWidth);
  packed.resize(static_cast<std::size_t>(panels * depth * kWidth));
  for (Index p = 0; p < panels; ++p) {
    S* out = packed.data() + p * depth * kWidth;
    const Index used = std::min(kWidth, rows - p * kWidth);
    if (used < kWidth) std::fill(out, out + depth * kWidth, S{0});
    for (Index r = 0; r < used; ++r) {
      const T* row = X.data() + (p * kWidth + r) * depth;
      for (Index j = 0; j < depth; ++j) {
        out[j * kWidth + r] = static_cast<S>(row[j]);
      }
    }
  }
}

// sum_j left(:, j) right(:, j)^T over the columns j.
template <class S>
inline void Accumulate(const S* left, const S* right, Index depth,
                       Block<S>& block) {
  constexpr Index kWidth = Simd<S>::kWidth;
  constexpr Index kLanes = Simd<S>::kLanes;
  Lanes<S> sum[kRows][2] = {};
  for (Index j = 0; j < depth; ++j) {
    Lanes<S> low;
    Lanes<S> high;
    __builtin_memcpy(&low, right + j * kWidth, sizeof(low));
    __builtin_memcpy(&high, right + j * kWidth + kLanes, sizeof(high));
    for (Index r = 0; r < kRows; ++r) {
      const S value = left[j * kWidth + r];
      sum[r][0] += value * low;
      sum[r][1] += value * high;
    }
  }
  for (Index r = 0; r < kRows; ++r) {
    block.sum[r][0] = sum[r][0];
    block.sum[r][1] = sum[r][1];
  }
}

// Adds left o (right + bias), or left alone, to the block of K at (row, col).
template <class S>
void AddBlock(const Block<S>& left, const Block<S>* right, double bias,
              Index row, Index col, Matrix<double>& K) {
  constexpr Index kLanes = Simd<S>::kLanes;
  const Index rows = std::min(kRows, K.rows() - row);
  for (Index r = 0; r < rows; ++r) {
    const Index cols = std::min(Simd<S>::kWidth, row + r + 1 - col);
    double* out = K.data() + (row + r) * K.cols() + col;
    for (Index c = 0; c < cols; ++c) {
      const double x = left.sum[r][c / kLanes][c % kLanes];
      const double y =
          right == nullptr ? bias
                           : right->sum[r][c / kLanes][c % kLanes] + bias;
      out[c] += x * y;
    }
  }
}

}  // namespace

template <class T>
template <class S>
void GramProduct<T>::Run(const ConstMatrixView<T>* D,
                         const ConstMatrixView<T>* A, double bias,
                         Workspace<S>& workspace, Matrix<double>& K) {
  constexpr Index kWidth = Simd<S>::kWidth;
  Pack<T, S>(*D, workspace.left);
  if (A != nullptr) Pack<T, S>(*A, workspace.right);
  const Index d_depth = D->cols();
  const Index a_depth = A == nullptr ? 0 : A->cols();
  Block<S> d_block;
  Block<S> a_block;
  // Column panels outside: each stays in the cache for all rows below it.
  for (Index col = 0; col < K.rows(); col += kWidth) {
    for (Index row = col; row < K.rows(); row += kRows) {
      const Index panel = row / kWidth;
      const Index offset = row % kWidth;
      Accumulate<S>(workspace.left.data() + panel * d_depth * kWidth + offset,
                    workspace.left.data() + col * d_depth, d_depth, d_block);
      if (A != nullptr) {
        Accumulate<S>(
            workspace.right.data() + panel * a_depth * kWidth + offset,
            workspace.right.data() + col * a_depth, a_depth, a_block);
      }
      AddBlock<S>(d_block, A == nullptr ? nullptr : &a_block, bias, row, col,
                  K);
    }
  }
}

template <class T>
void GramProduct<T>::AddOuter(const ConstMatrixView<T>& D,
                              const ConstMatrixView<T>& A, OuterParts parts,
                              Accumulation accumulation, Matrix<double>& K) {
  if (!parts.weight && !parts.bias) return;
  const ConstMatrixView<T>* inputs = parts.weight ? &A : nullptr;
  const double bias = parts.bias ? 1.0 : 0.0;
  if (std::is_same_v<T, float> && accumulation == Accumulation::kWorking) {
    Run<float>(&D, inputs, bias, single_, K);
  } else {
    Run<double>(&D, inputs, bias, double_, K);
  }
}

template <class T>
void GramProduct<T>::AddPlain(const ConstMatrixView<T>& G,
                              Accumulation accumulation, Matrix<double>& K) {
  AddOuter(G, G, {.weight = false, .bias = true}, accumulation, K);
}

template class GramProduct<float>;
template class GramProduct<double>;

}  // namespace sven::linalg
