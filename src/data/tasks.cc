// SPDX-License-Identifier: MIT
#include "sven/data/tasks.h"

#include <cmath>

#include "sven/base/error.h"
#include "sven/base/fields.h"

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

template <class T>
Dataset<T> Convert(const Dataset<double>& data) {
  return {.x = data.x.template cast<T>(),
          .y = data.y.template cast<T>(),
          .labels = data.labels};
}

}  // namespace

template <class T>
Task<T> MakeToy1d(const Toy1dOptions& options) {
  // Two samples are the least that have a standard deviation.
  if (options.train < 2) {
    throw UsageError("Toy1dOptions::train = " + FormatValue(options.train) +
                     ": must satisfy train >= 2");
  }
  if (options.validation < 1) {
    throw UsageError(
        "Toy1dOptions::validation = " + FormatValue(options.validation) +
        ": must satisfy validation >= 1");
  }
  RandomStream random(options.seed, RandomUse::kData);
  Task<double> task;
  FillToy1d(options.train, random, task.train);
  FillToy1d(options.validation, random, task.validation);
  const double mean = task.train.y.mean();
  const double deviation =
      std::sqrt((task.train.y.array() - mean).square().sum() /
                static_cast<double>(options.train - 1));
  for (Dataset<double>* part : {&task.train, &task.validation}) {
    part->y = (part->y.array() - mean) / deviation;
  }
  return {.train = Convert<T>(task.train),
          .validation = Convert<T>(task.validation)};
}

template Task<float> MakeToy1d(const Toy1dOptions&);
template Task<double> MakeToy1d(const Toy1dOptions&);

}  // namespace sven::data
