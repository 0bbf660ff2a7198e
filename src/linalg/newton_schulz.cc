// SPDX-License-Identifier: MIT
#include "sven/linalg/newton_schulz.h"

#include <utility>

#include "sven/linalg/norm.h"
#include "sven/linalg/product.h"

namespace sven::linalg {
namespace {

constexpr double kA = 3.4445;
constexpr double kB = -4.7750;
constexpr double kC = 2.0315;

}  // namespace

// X <- a X + (b G + c G^2) X with G = X X^T.
template <class T>
void NewtonSchulz<T>::Iterate(MatrixView<T> X) {
  const ConstMatrixView<T> fixed(X.data(), X.rows(), X.cols());
  MatrixView<T> G = gram_.View();
  MatrixView<T> square = square_.View();
  MultiplyABt<T>(fixed, fixed, G);
  MultiplyABt<T>(std::as_const(gram_).View(), std::as_const(gram_).View(),
                 square);
  square = static_cast<T>(kB) * G + static_cast<T>(kC) * square;
  MultiplyAB<T>(std::as_const(square_).View(), fixed, change_.View());
  X = static_cast<T>(kA) * X + change_.View();
}

template <class T>
void NewtonSchulz<T>::Orthogonalise(Index iterations, MatrixView<T> X) {
  const double norm =
      Norm<T>(std::span(X.data(), static_cast<std::size_t>(X.size())));
  if (norm == 0) return;
  // The products with the smaller Gram matrix cost less.
  const bool tall = X.rows() > X.cols();
  const Index rows = tall ? X.cols() : X.rows();
  const Index cols = tall ? X.rows() : X.cols();
  flat_.Resize(rows, cols);
  gram_.Resize(rows, rows);
  square_.Resize(rows, rows);
  change_.Resize(rows, cols);
  MatrixView<T> flat = flat_.View();
  // In double: the inverse of the norm may be out of T's range.
  const auto unit = [norm](T x) { return static_cast<T>(double{x} / norm); };
  if (tall) {
    flat = X.transpose().unaryExpr(unit);
  } else {
    flat = X.unaryExpr(unit);
  }
  for (Index i = 0; i < iterations; ++i) Iterate(flat);
  if (tall) {
    X = flat.transpose();
  } else {
    X = flat;
  }
}

template class NewtonSchulz<float>;
template class NewtonSchulz<double>;

}  // namespace sven::linalg
