// SPDX-License-Identifier: MIT
#include <cmath>

#include "sven/data/tasks.h"
#include "synthetic.h"

namespace sven::data {
namespace {

void FillToy1d(Index count, RandomStream& random, Dataset<double>& data) {
  data.x.resize(count, 1);
  data.y.resize(count, 1);
  for (Index a = 0; a < count; ++a) {
    const double x = random.Uniform(-1, 1);
    data.x(a, 0) = x;
    data.y(a, 0) = std::exp(-10 * x * x) * std::sin(2 * x);
  }
}

}  // namespace

template <class T>
Task<T> MakeToy1d(const Toy1dOptions& options) {
  ValidateFields("Toy1dOptions", options);
  RandomStream random(options.seed, RandomUse::kData);
  Task<double> task;
  FillToy1d(options.train, random, task.train);
  FillToy1d(options.validation, random, task.validation);
  Standardise(options.standardise, task);
  AddNoise(options.noise, options.seed, task);
  return Convert<T>(task);
}

template Task<float> MakeToy1d(const Toy1dOptions&);
template Task<double> MakeToy1d(const Toy1dOptions&);

}  // namespace sven::data
