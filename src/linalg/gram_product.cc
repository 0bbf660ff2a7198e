// SPDX-License-Identifier: MIT
//
// X X^T for X (B x depth) in the type S: the rows of X are packed into panels
// of as many rows as a vector has lanes, a panel holding its values for one
// column side by side. A block of the product is then kRows rows times three
// panels: twelve vectors of sums that stay in registers while the panels stream
// by. The depth is cut into chunks for which they stay in the first-level
// cache.
#include "sven/linalg/gram_product.h"

#include <algorithm>
#include <type_traits>

#include "sven/base/error.h"

namespace sven::linalg {
namespace {

constexpr int kRows = 4;      // rows of a block
constexpr Index kPanels = 3;  // panels of columns of a block
constexpr Index kChunk = 192;

template <class S>
inline constexpr Index kLanes = 32 / sizeof(S);

template <class S>
struct LanesOf {
  using Type __attribute__((vector_size(32))) = S;
  // The same anywhere in memory.
  using Stored __attribute__((vector_size(32), aligned(sizeof(S)), may_alias)) =
      S;
};
template <class S>
using Lanes = typename LanesOf<S>::Type;

template <class S>
inline Lanes<S> Load(const S* from) {
  return *reinterpret_cast<const typename LanesOf<S>::Stored*>(from);
}
template <class S>
inline void Store(const Lanes<S>& lanes, S* to) {
  *reinterpret_cast<typename LanesOf<S>::Stored*>(to) = lanes;
}

// Without this GCC loads the same column anew for each of the four rows, and
// loads become the bottleneck.
template <class S>
inline void KeepInRegister([[maybe_unused]] Lanes<S>& lanes) {
#if defined(__AVX__)
  __asm__("" : "+x"(lanes));
#endif
}

// Grows only, so that batches of changing size do not allocate again.
template <class S>
void Reserve(Index size, Vector<S>& buffer) {
  if (buffer.size() < size) buffer.resize(size);
}

Index RoundUp(Index value, Index unit) {
  return (value + unit - 1) / unit * unit;
}

// One panel: columns first ... first + depth of `rows` rows. Four rows at a
// time, which the compiler turns into vector shuffles.
template <class T, class S>
void PackPanel(const T* X, Index stride, Index rows, Index first, Index depth,
               S* out) {
  constexpr Index L = kLanes<S>;
  Index r = 0;
  for (; r + 4 <= rows; r += 4) {
    const T* row = X + r * stride + first;
    for (Index j = 0; j < depth; ++j) {
      out[j * L + r] = static_cast<S>(row[j]);
      out[j * L + r + 1] = static_cast<S>(row[stride + j]);
      out[j * L + r + 2] = static_cast<S>(row[2 * stride + j]);
      out[j * L + r + 3] = static_cast<S>(row[3 * stride + j]);
    }
  }
  for (; r < rows; ++r) {
    const T* row = X + r * stride + first;
    for (Index j = 0; j < depth; ++j) out[j * L + r] = static_cast<S>(row[j]);
  }
  for (; r < L; ++r) {
    for (Index j = 0; j < depth; ++j) out[j * L + r] = S{0};
  }
}

template <class T, class S>
void PackChunk(const ConstMatrixView<T>& X, Index first, Index depth,
               S* packed) {
  constexpr Index L = kLanes<S>;
  for (Index row = 0; row < X.rows(); row += L) {
    PackPanel<T, S>(X.data() + row * X.cols(), X.cols(),
                    std::min(L, X.rows() - row), first, depth,
                    packed + row * depth);
  }
}

// out (kRows x panels * L, row stride `stride`) += left right^T. The loops over
// rows and panels must be unrolled for the sums to stay in registers.
template <class S, int panels>
void AddBlock(const S* left, const S* right, Index depth, Index stride,
              S* out) {
  constexpr Index L = kLanes<S>;
  Lanes<S> sum[kRows][panels];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (int p = 0; p < panels; ++p) {
      sum[r][p] = Load<S>(out + r * stride + p * L);
    }
  }
  for (Index j = 0; j < depth; ++j) {
    Lanes<S> column[panels];
#pragma GCC unroll 3
    for (int p = 0; p < panels; ++p) {
      column[p] = Load<S>(right + (p * depth + j) * L);
      KeepInRegister<S>(column[p]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const S value = left[j * L + r];
#pragma GCC unroll 3
      for (int p = 0; p < panels; ++p) sum[r][p] += value * column[p];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (int p = 0; p < panels; ++p) {
      Store<S>(sum[r][p], out + r * stride + p * L);
    }
  }
}

// The blocks of the lower triangle for one chunk.
template <class S>
void AddChunk(const S* packed, Index rows, Index depth, Index stride, S* P) {
  constexpr Index L = kLanes<S>;
  for (Index col = 0; col < rows; col += kPanels * L) {
    const S* right = packed + col * depth;
    for (Index row = col; row < rows; row += kRows) {
      const S* left = packed + row / L * L * depth + row % L;
      S* out = P + row * stride + col;
      // Panels that reach the diagonal.
      const Index needed = (row + kRows - 1 - col) / L + 1;
      if (needed >= 3) {
        AddBlock<S, 3>(left, right, depth, stride, out);
      } else if (needed == 2) {
        AddBlock<S, 2>(left, right, depth, stride, out);
      } else {
        AddBlock<S, 1>(left, right, depth, stride, out);
      }
    }
  }
}

}  // namespace

// Sets the lower triangle of `product` to that of X X^T.
template <class T>
template <class S>
void GramProduct<T>::Multiply(const ConstMatrixView<T>& X, Packing<S>& packing,
                              Vector<S>& product) {
  // Blocks may reach beyond the matrix, into padding.
  const Index rows = RoundUp(X.rows(), kLanes<S>);
  stride_ = RoundUp(rows, kPanels * kLanes<S>);
  Reserve<S>(rows * stride_, product);
  product.head(rows * stride_).setZero();
  Reserve<S>(rows * std::min(kChunk, X.cols()), packing.panels);
  for (Index first = 0; first < X.cols(); first += kChunk) {
    const Index depth = std::min(kChunk, X.cols() - first);
    PackChunk<T, S>(X, first, depth, packing.panels.data());
    AddChunk<S>(packing.panels.data(), rows, depth, stride_, product.data());
  }
}

template <class T>
template <class S>
void GramProduct<T>::Add(const ConstMatrixView<T>& D,
                         const ConstMatrixView<T>* A, double bias,
                         Packing<S>& packing, MatrixRef<double> K) {
  Multiply<S>(D, packing, packing.left);
  if (A != nullptr) Multiply<S>(*A, packing, packing.right);
  for (Index r = 0; r < K.rows(); ++r) {
    double* out = K.data() + r * K.outerStride();
    const S* left = packing.left.data() + r * stride_;
    if (A == nullptr) {
#pragma omp simd
      for (Index c = 0; c <= r; ++c) {
        out[c] += static_cast<double>(left[c]) * bias;
      }
    } else {
      const S* right = packing.right.data() + r * stride_;
#pragma omp simd
      for (Index c = 0; c <= r; ++c) {
        out[c] += static_cast<double>(left[c]) *
                  (static_cast<double>(right[c]) + bias);
      }
    }
  }
}

template <class T>
void GramProduct<T>::AddOuter(const ConstMatrixView<T>& D,
                              const ConstMatrixView<T>& A, OuterParts parts,
                              Accumulation accumulation, MatrixRef<double> K) {
  Check(A.rows() == D.rows() && K.rows() == D.rows() && K.cols() == D.rows(),
        "D, A and K must have one row per condition");
  if (!parts.weight && !parts.bias) return;
  const ConstMatrixView<T>* inputs = parts.weight ? &A : nullptr;
  const double bias = parts.bias ? 1.0 : 0.0;
  if (std::is_same_v<T, float> && accumulation == Accumulation::kWorking) {
    Add<float>(D, inputs, bias, single_, K);
  } else {
    Add<double>(D, inputs, bias, double_, K);
  }
}

template <class T>
void GramProduct<T>::AddPlain(const ConstMatrixView<T>& G,
                              Accumulation accumulation, MatrixRef<double> K) {
  AddOuter(G, G, {.weight = false, .bias = true}, accumulation, K);
}

template class GramProduct<float>;
template class GramProduct<double>;

}  // namespace sven::linalg
