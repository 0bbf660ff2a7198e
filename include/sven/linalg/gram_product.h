// SPDX-License-Identifier: MIT
//
// The Gram matrix of rows that are outer products. Row a of a dense layer's
// Jacobian is d_a (x) (a_a, 1): output-gradient times input, and a 1 for the
// bias. Hence, with D (B x out) and A (B x in),
//
//     K += (D D^T) o (w A A^T + b),      o: elementwise, w and b 0 or 1,
//
// in B^2 (in + out) operations, without the rows themselves.
#ifndef SVEN_LINALG_GRAM_PRODUCT_H_
#define SVEN_LINALG_GRAM_PRODUCT_H_

#include "sven/linalg/types.h"

namespace sven::linalg {

// The type that the sums over `in` and `out` run in.
enum class Accumulation { kWorking, kDouble };

// Which of the two parts of a layer take part.
struct OuterParts {
  bool weight = true;
  bool bias = true;
};

template <class T>
class GramProduct {
 public:
  // Adds to the lower triangle of K (B x B); the upper one is left alone.
  void AddOuter(const ConstMatrixView<T>& D, const ConstMatrixView<T>& A,
                OuterParts parts, Accumulation accumulation,
                MatrixRef<double> K);

  // Adds G G^T to the lower triangle of K, for rows that are formed (a block
  // of columns of the Jacobian).
  void AddPlain(const ConstMatrixView<T>& G, Accumulation accumulation,
                MatrixRef<double> K);

 private:
  // The work area in the accumulating type S; Eigen aligns it for vectors.
  template <class S>
  struct Packing {
    Vector<S> panels;
    Vector<S> left;   // D D^T
    Vector<S> right;  // A A^T
  };
  template <class S>
  void Multiply(const ConstMatrixView<T>& X, Packing<S>& packing,
                Vector<S>& product);
  template <class S>
  void Add(const ConstMatrixView<T>& D, const ConstMatrixView<T>* A,
           double bias, Packing<S>& packing, MatrixRef<double> K);

  Index stride_ = 0;  // row stride of left and right
  Packing<float> single_;
  Packing<double> double_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_GRAM_PRODUCT_H_
