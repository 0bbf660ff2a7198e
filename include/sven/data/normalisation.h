// SPDX-License-Identifier: MIT
//
// Columns brought to mean 0 and standard deviation 1 before training, and back
// in predictions. What was learnt on the training part belongs to the model.
#ifndef SVEN_DATA_NORMALISATION_H_
#define SVEN_DATA_NORMALISATION_H_

#include <vector>

#include "sven/linalg/types.h"

namespace sven::data {

// value -> (value - mean) / deviation.
struct Scaling {
  // One entry per column, or a single one for all of them (pixels); none: the
  // values stay as they are.
  std::vector<double> mean = {};
  std::vector<double> deviation = {};

  [[nodiscard]] bool IsIdentity() const { return mean.empty(); }

  // For `rows`, whose columns must be as many as the entries.
  template <class T>
  void Apply(MatrixView<T> rows) const;
  template <class T>
  void Undo(MatrixView<T> rows) const;

  bool operator==(const Scaling&) const = default;
};

struct Normalisation {
  Scaling inputs = {};
  Scaling targets = {};

  bool operator==(const Normalisation&) const = default;
};

// The scaling that gives every column mean 0 and standard deviation 1, with
// n - 1 in the denominator. A column that is constant, or that has one value
// only, keeps its scale: deviation 1.
template <class T>
Scaling LearnScaling(ConstMatrixView<T> rows);

}  // namespace sven::data

#endif  // SVEN_DATA_NORMALISATION_H_
