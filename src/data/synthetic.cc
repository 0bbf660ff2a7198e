// SPDX-License-Identifier: MIT
#include "synthetic.h"

#include <cmath>

namespace sven::data {
namespace {

// For the one column of targets. LearnScaling gives the same up to rounding;
// this order of the sums is kept because published numbers come from it.
Scaling LearnTargetScaling(const Matrix<double>& y) {
  const double mean = y.mean();
  const double deviation = std::sqrt((y.array() - mean).square().sum() /
                                     static_cast<double>(y.rows() - 1));
  return {.mean = {mean}, .deviation = {deviation > 0 ? deviation : 1.0}};
}

MatrixView<double> MutableView(Matrix<double>& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

template <class T>
Dataset<T> Convert(const Dataset<double>& data) {
  return {.x = data.x.template cast<T>(),
          .y = data.y.template cast<T>(),
          .labels = data.labels};
}

}  // namespace

void Standardise(TaskStandardise what, Task<double>& task) {
  Normalisation& normalisation = task.normalisation;
  switch (what) {
    case TaskStandardise::kDefault:
    case TaskStandardise::kTargets:
      normalisation.targets = LearnTargetScaling(task.train.y);
      break;
    case TaskStandardise::kInputs:
      normalisation.inputs = LearnScaling(View(task.train.x));
      break;
    case TaskStandardise::kNone:
      break;
  }
  for (Dataset<double>* part : {&task.train, &task.validation}) {
    normalisation.inputs.Apply(MutableView(part->x));
    normalisation.targets.Apply(MutableView(part->y));
  }
}

void AddNoise(double deviation, std::uint64_t seed, Task<double>& task) {
  if (deviation == 0) return;
  RandomStream random(seed, RandomUse::kNoise);
  for (Index a = 0; a < task.train.y.rows(); ++a) {
    task.train.y(a, 0) += deviation * random.Normal();
  }
}

template <class T>
Task<T> Convert(const Task<double>& task) {
  return {.train = Convert<T>(task.train),
          .validation = Convert<T>(task.validation),
          .normalisation = task.normalisation,
          .class_names = task.class_names};
}

template Task<float> Convert(const Task<double>&);
template Task<double> Convert(const Task<double>&);

}  // namespace sven::data
