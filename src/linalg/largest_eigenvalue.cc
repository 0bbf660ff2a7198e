// SPDX-License-Identifier: MIT
#include "sven/linalg/largest_eigenvalue.h"

#include <algorithm>

namespace sven::linalg {

double LargestEigenvalue::Estimate(const ConstMatrixView<double>& K) {
  constexpr int kIterations = 6;
  const Index n = K.rows();
  vector_.assign(static_cast<std::size_t>(n), 0.0);
  image_.resize(vector_.size());
  VectorView<double> v(vector_.data(), n);
  VectorView<double> Kv(image_.data(), n);
  Index start = 0;
  double estimate = K.diagonal().maxCoeff(&start);
  v[start] = 1;
  // v.K v rises with every iteration, as K has no negative eigenvalue.
  for (int i = 0; i < kIterations; ++i) {
    Kv.noalias() = K.selfadjointView<Eigen::Lower>() * v;
    const double length = Kv.stableNorm();
    if (!(length > 0)) break;
    v = Kv / length;
    // |K v| >= v.K v for |v| = 1, and still at most the largest eigenvalue.
    estimate = length;
  }
  return estimate;
}

}  // namespace sven::linalg
