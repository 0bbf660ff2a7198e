// SPDX-License-Identifier: MIT
//
// Approximate orthogonalisation without a decomposition. With X = U S V^T, an
// odd polynomial p of matrices acts on the singular values alone,
//
//   a X + b (X X^T) X + c (X X^T)^2 X = U p(S) V^T,  p(s) = a s + b s^3 + c s^5,
//
// and repeated it takes them towards one. The coefficients (3.4445, -4.7750,
// 2.0315) are Muon's: steep at zero, p'(0) = 3.4445, so that small singular
// values grow fast, at the price that they end somewhere in about 0.7 to 1.2
// and not at one. X does not become orthogonal, however many the iterations.
#ifndef SVEN_LINALG_NEWTON_SCHULZ_H_
#define SVEN_LINALG_NEWTON_SCHULZ_H_

#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/types.h"

namespace sven::linalg {

// The work areas are reused: nothing is allocated after the first call of the
// largest size.
template <class T>
class NewtonSchulz {
 public:
  // X <- p(p(... p(X / |X|_F))), as many times as said. Five are enough for
  // singular values from 0.005 |X|_F on; smaller ones grow by up to 3.4445^5 but
  // do not get there. X = 0 stays zero.
  void Orthogonalise(Index iterations, MatrixView<T> X);

 private:
  void Iterate(MatrixView<T> X);

  MatrixBuffer<T> flat_;  // X, or X^T where that has fewer rows
  MatrixBuffer<T> gram_;
  MatrixBuffer<T> square_;
  MatrixBuffer<T> change_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_NEWTON_SCHULZ_H_
