// SPDX-License-Identifier: MIT
//
// Built-in tasks, made from a seed.
#ifndef SVEN_DATA_TASKS_H_
#define SVEN_DATA_TASKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sven/data/dataset.h"
#include "sven/data/normalisation.h"

namespace sven::data {

template <class T>
struct Task {
  Dataset<T> train;
  Dataset<T> validation;
  // What has been done to the raw values to get these.
  Normalisation normalisation = {};
  // Of the labels 0, 1, ...; empty for regression.
  std::vector<std::string> class_names = {};
};

struct Toy1dOptions {
  Index train = 10000;
  Index validation = 10000;
  std::uint64_t seed = 54631;  // the paper's published configuration
};

// The paper's one-dimensional regression: y = exp(-10 x^2) sin(2 x), x uniform
// in [-1, 1]. As in the published code, targets are standardised with the
// training part's mean and standard deviation.
template <class T>
Task<T> MakeToy1d(const Toy1dOptions& options = {});

}  // namespace sven::data

#endif  // SVEN_DATA_TASKS_H_
