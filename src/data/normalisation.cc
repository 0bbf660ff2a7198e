// SPDX-License-Identifier: MIT
#include "sven/data/normalisation.h"

#include <cmath>

#include "sven/base/error.h"

namespace sven::data {
namespace {

// Calls change(value, mean, deviation) for every value.
template <class T, class Change>
void ForEach(const Scaling& scaling, MatrixView<T> rows, const Change& change) {
  if (scaling.IsIdentity()) return;
  const std::size_t entries = scaling.mean.size();
  Check(scaling.deviation.size() == entries &&
            (entries == 1 || static_cast<Index>(entries) == rows.cols()),
        "a scaling has one entry per column, or one for all");
  for (Index a = 0; a < rows.rows(); ++a) {
    for (Index j = 0; j < rows.cols(); ++j) {
      const std::size_t entry = entries == 1 ? 0 : static_cast<std::size_t>(j);
      rows(a, j) =
          static_cast<T>(change(static_cast<double>(rows(a, j)),
                                scaling.mean[entry], scaling.deviation[entry]));
    }
  }
}

}  // namespace

template <class T>
void Scaling::Apply(MatrixView<T> rows) const {
  ForEach<T>(*this, rows, [](double value, double centre, double scale) {
    return (value - centre) / scale;
  });
}

template <class T>
void Scaling::Undo(MatrixView<T> rows) const {
  ForEach<T>(*this, rows, [](double value, double centre, double scale) {
    return value * scale + centre;
  });
}

// Two passes over the rows: the squares of differences from the mean lose no
// digits where the mean is large.
template <class T>
Scaling LearnScaling(ConstMatrixView<T> rows) {
  const auto n = static_cast<double>(rows.rows());
  Vector<double> mean = Vector<double>::Zero(rows.cols());
  for (Index a = 0; a < rows.rows(); ++a) {
    mean += rows.row(a).transpose().template cast<double>() / n;
  }
  Vector<double> squares = Vector<double>::Zero(rows.cols());
  for (Index a = 0; a < rows.rows(); ++a) {
    squares +=
        (rows.row(a).transpose().template cast<double>() - mean).cwiseAbs2();
  }
  Scaling scaling;
  for (Index j = 0; j < rows.cols(); ++j) {
    const double deviation = std::sqrt(squares[j] / (n - 1));
    // What rounding leaves of a constant column is not a scale.
    const auto column = rows.col(j);
    const bool constant = column.minCoeff() == column.maxCoeff();
    const bool usable = !constant && deviation > 0 && std::isfinite(deviation);
    scaling.mean.push_back(constant ? static_cast<double>(column[0]) : mean[j]);
    scaling.deviation.push_back(usable ? deviation : 1.0);
  }
  return scaling;
}

template void Scaling::Apply(MatrixView<float>) const;
template void Scaling::Apply(MatrixView<double>) const;
template void Scaling::Undo(MatrixView<float>) const;
template void Scaling::Undo(MatrixView<double>) const;
template Scaling LearnScaling(ConstMatrixView<float>);
template Scaling LearnScaling(ConstMatrixView<double>);

}  // namespace sven::data
