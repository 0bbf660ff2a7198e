// SPDX-License-Identifier: MIT
//
// Small seeded problems for tests: a network, a batch and a loss.
#ifndef SVEN_TESTING_PROBLEMS_H_
#define SVEN_TESTING_PROBLEMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sven/data/dataset.h"
#include "sven/nn/loss.h"
#include "sven/nn/mlp.h"

namespace sven::testing {

template <class T>
struct Problem {
  nn::Mlp<T> net;
  data::Dataset<T> data;
  nn::Loss loss;

  [[nodiscard]] nn::Batch<T> Batch() const { return data.All(); }
};

struct ProblemSpec {
  std::vector<Index> widths = {2, 5, 4, 1};
  Index batch = 7;
  nn::Loss loss = nn::Loss::kSquaredError;
  nn::Activation activation = nn::Activation::kGelu;
  std::uint64_t seed = 1;
};

// Normal inputs and targets, random labels.
template <class T>
Problem<T> MakeProblem(const ProblemSpec& spec);

// B x N entries, normal.
Matrix<double> RandomMatrix(Index rows, Index cols, std::uint64_t seed);
Vector<double> RandomVector(Index size, std::uint64_t seed);

template <class T>
Vector<double> ToVector(std::span<const T> values) {
  return ConstVectorView<T>(values.data(), std::ssize(values))
      .template cast<double>();
}

// |a - b| / |b|, or |a| where b is zero.
double RelativeError(const Vector<double>& a, const Vector<double>& b);

}  // namespace sven::testing

#endif  // SVEN_TESTING_PROBLEMS_H_
