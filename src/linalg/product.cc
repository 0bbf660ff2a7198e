// SPDX-License-Identifier: MIT
#include "sven/linalg/product.h"

#include <type_traits>

#include "blas.h"

namespace sven::linalg {
namespace {

// Multiplications from which on BLAS wins over Eigen (measured: at 64 x 32 x 32
// the two are level). Eigen needs no heap below it.
constexpr Index kBlasFrom = Index{1} << 16;

template <class T>
void Gemm(CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, Index depth,
          ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C) {
  InitialiseThreads();
  const auto call = [&](auto gemm) {
    gemm(CblasRowMajor, trans_a, trans_b, ToBlas(C.rows()), ToBlas(C.cols()),
         ToBlas(depth), T{1}, A.data(), ToBlas(A.cols()), B.data(),
         ToBlas(B.cols()), T{0}, C.data(), ToBlas(C.cols()));
  };
  if constexpr (std::is_same_v<T, float>) {
    call(cblas_sgemm);
  } else {
    call(cblas_dgemm);
  }
}

template <class T>
bool IsLarge(const MatrixView<T>& C, Index depth) {
  return C.rows() * C.cols() * depth >= kBlasFrom;
}

}  // namespace

template <class T>
void MultiplyAB(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C) {
  if (IsLarge(C, A.cols())) {
    Gemm<T>(CblasNoTrans, CblasNoTrans, A.cols(), A, B, C);
  } else {
    C.noalias() = A * B;
  }
}

template <class T>
void MultiplyABt(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C) {
  if (IsLarge(C, A.cols())) {
    Gemm<T>(CblasNoTrans, CblasTrans, A.cols(), A, B, C);
  } else {
    C.noalias() = A * B.transpose();
  }
}

template <class T>
void MultiplyAtB(ConstMatrixView<T> A, ConstMatrixView<T> B, MatrixView<T> C) {
  if (IsLarge(C, A.rows())) {
    Gemm<T>(CblasTrans, CblasNoTrans, A.rows(), A, B, C);
  } else {
    C.noalias() = A.transpose() * B;
  }
}

void AddGram(const ConstMatrixView<double>& G, MatrixRef<double> K) {
  Check(K.rows() == G.rows() && K.cols() == G.rows(),
        "K must have one row per row of G");
  InitialiseThreads();
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, ToBlas(G.rows()),
              ToBlas(G.cols()), 1.0, G.data(), ToBlas(G.cols()), 1.0, K.data(),
              ToBlas(K.outerStride()));
}

void InitialiseThreads() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

void SetThreads(int count) {
  Check(count >= 1, "at least one thread");
  InitialiseThreads();
  openblas_set_num_threads(count);
}

#define SVEN_INSTANTIATE(T)                                         \
  template void MultiplyAB(ConstMatrixView<T>, ConstMatrixView<T>,  \
                           MatrixView<T>);                          \
  template void MultiplyABt(ConstMatrixView<T>, ConstMatrixView<T>, \
                            MatrixView<T>);                         \
  template void MultiplyAtB(ConstMatrixView<T>, ConstMatrixView<T>, \
                            MatrixView<T>)
SVEN_INSTANTIATE(float);
SVEN_INSTANTIATE(double);
#undef SVEN_INSTANTIATE

}  // namespace sven::linalg
