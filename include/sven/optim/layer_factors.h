// SPDX-License-Identifier: MIT
//
// What the methods on layer matrices have in common. For the gradient G (rows x
// cols) of a layer's matrix they keep two symmetric factors, a left one (rows x
// rows) and a right one (cols x cols), and work in the product of their
// eigenbases: with the bases by rows, left E and right F,
//
//   G' = E G F^T        coefficients of G
//   G  = E^T G' F       and back.
//
// There the inverse, or any other function, of the Kronecker product of the
// factors is a number per entry. Factors and bases are in double.
#ifndef SVEN_OPTIM_LAYER_FACTORS_H_
#define SVEN_OPTIM_LAYER_FACTORS_H_

#include <string>
#include <vector>

#include "sven/linalg/eigen_basis.h"
#include "sven/linalg/types.h"
#include "sven/nn/mlp.h"
#include "sven/optim/state_archive.h"

namespace sven::optim {

// A symmetric matrix (n x n) with what was its eigenbasis when that was last
// computed.
struct EigenFactor {
  AlignedVector<double> matrix;  // n x n
  AlignedVector<double> basis;   // n x n, one eigenvector per row
  AlignedVector<double> values;  // n eigenvalues, or estimates of them
  bool operator==(const EigenFactor&) const = default;

  // diagonal I, with the unit vectors as basis.
  void Assign(Index n, double diagonal);

  [[nodiscard]] Index Size() const { return std::ssize(values); }
  [[nodiscard]] MatrixView<double> Matrix() {
    return {matrix.data(), Size(), Size()};
  }
  [[nodiscard]] ConstMatrixView<double> Matrix() const {
    return {matrix.data(), Size(), Size()};
  }
  [[nodiscard]] MatrixView<double> Basis() {
    return {basis.data(), Size(), Size()};
  }
  [[nodiscard]] ConstMatrixView<double> Basis() const {
    return {basis.data(), Size(), Size()};
  }

  void Visit(StateArchive& archive, const std::string& name);
};

struct LayerFactors {
  EigenFactor left;
  EigenFactor right;
  bool operator==(const LayerFactors&) const = default;
};

// One pair per layer, under the names layers.<number>.left.matrix and so on.
void VisitFactors(StateArchive& archive, std::vector<LayerFactors>& layers);

// The work areas for going from basis to basis.
class LayerBasis {
 public:
  // Sizes the work area for matrices of this shape; the others do it by
  // themselves.
  void Reserve(Index rows, Index cols) { half_.Resize(rows, cols); }

  // The basis and eigenvalues of factor.matrix; the old ones stay if that has no
  // finite decomposition.
  void Refresh(EigenFactor& factor);

  // X <- E X F^T, and back.
  void To(const LayerFactors& factors, MatrixView<double> X);
  void From(const LayerFactors& factors, MatrixView<double> X);

  [[nodiscard]] linalg::EigenBasis& Solver() { return solver_; }

 private:
  linalg::EigenBasis solver_;
  MatrixBuffer<double> half_;
};

// ---- A layer's weights and bias as one matrix [W b] ----

// The bias is the weight of one more input, which is always one.
[[nodiscard]] inline Index JoinedColumns(const nn::DenseSpec& layer) {
  return layer.in + (layer.bias ? 1 : 0);
}
[[nodiscard]] inline bool AnyFree(const nn::DenseLayer& layer) {
  return layer.WeightFree() || layer.BiasFree();
}

// The layer's part of a flat vector as [W b] (out x JoinedColumns), and back
// times `scale`.
template <class T>
void GatherJoined(const nn::DenseLayer& layer, std::span<const T> flat,
                  MatrixView<double> joined);
template <class T>
void ScatterJoined(const nn::DenseLayer& layer,
                   const ConstMatrixView<double>& joined, double scale,
                   std::span<T> flat);

}  // namespace sven::optim

#endif  // SVEN_OPTIM_LAYER_FACTORS_H_
