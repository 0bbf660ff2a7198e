// SPDX-License-Identifier: MIT
#include "testing/problems.h"

namespace sven::testing {

template <class T>
Problem<T> MakeProblem(const ProblemSpec& spec) {
  Problem<T> problem{.net = nn::Mlp<T>(spec.widths, spec.activation, spec.seed),
                     .data = {},
                     .loss = spec.loss};
  const Index outputs = spec.widths.back();
  problem.data.x =
      RandomMatrix(spec.batch, spec.widths.front(), spec.seed).cast<T>();
  problem.data.y =
      RandomMatrix(spec.batch, outputs, spec.seed + 1000).cast<T>();
  RandomStream random(spec.seed + 2000, RandomUse::kData);
  for (Index a = 0; a < spec.batch; ++a) {
    problem.data.labels.push_back(random.Below(outputs));
  }
  return problem;
}

template Problem<float> MakeProblem(const ProblemSpec&);
template Problem<double> MakeProblem(const ProblemSpec&);

Matrix<double> RandomMatrix(Index rows, Index cols, std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kData);
  Matrix<double> matrix(rows, cols);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = random.Normal();
  return matrix;
}

Vector<double> RandomVector(Index size, std::uint64_t seed) {
  return RandomMatrix(size, 1, seed).col(0);
}

double RelativeError(const Vector<double>& a, const Vector<double>& b) {
  const double norm = b.norm();
  return (a - b).norm() / (norm > 0 ? norm : 1.0);
}

}  // namespace sven::testing
