// SPDX-License-Identifier: MIT
#include "testing/optimizer_laws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sven/base/error.h"
#include "sven/data/optimizer_state.h"

namespace sven::testing {

template <class T>
Problem<T> LearnableRegression(std::uint64_t seed) {
  Problem<T> problem =
      MakeProblem<T>({.widths = {1, 12, 12, 1}, .batch = 64, .seed = seed});
  for (Index a = 0; a < 64; ++a) {
    const double x = -1 + 2 * static_cast<double>(a) / 63;
    problem.data.x(a, 0) = static_cast<T>(x);
    problem.data.y(a, 0) = static_cast<T>(std::sin(3 * x));
  }
  return problem;
}

template <class T>
Problem<T> LearnableClassification(std::uint64_t seed) {
  Problem<T> problem = MakeProblem<T>({.widths = {2, 12, 12, 3},
                                       .batch = 96,
                                       .loss = nn::Loss::kCrossEntropy,
                                       .seed = seed});
  RandomStream random(seed, RandomUse::kData);
  for (Index a = 0; a < 96; ++a) {
    const Index label = a % 3;
    const double radius =
        0.5 + 0.8 * static_cast<double>(label) + 0.1 * random.Normal();
    const double angle = 2 * std::numbers::pi * random.Uniform();
    problem.data.x(a, 0) = static_cast<T>(radius * std::cos(angle));
    problem.data.x(a, 1) = static_cast<T>(radius * std::sin(angle));
    problem.data.labels[a] = label;
  }
  return problem;
}

Problem<double> WithGradientOfNorm(double norm) {
  Problem<double> problem = MakeProblem<double>({.widths = {2, 2}});
  problem.net = nn::Mlp<double>(
      std::vector<nn::DenseSpec>{{.in = 2, .out = 2, .bias = false}});
  problem.net.Initialise(1);
  problem.data.y.setZero();
  problem.data.x *= std::sqrt(norm / GradientOf(problem).norm());
  return problem;
}

template <class T>
double TrainedShare(optim::Optimizer<T>& optimizer, Problem<T> problem,
                    Index steps) {
  const auto loss = [&] {
    return nn::MeanLoss(problem.net, problem.loss, problem.Batch());
  };
  const double before = loss();
  for (Index i = 0; i < steps; ++i) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  return loss() / before;
}

template <class T>
bool ContinuesAfterRestore(const MakeOptimizer<T>& make,
                           const Problem<T>& problem, Index before,
                           Index after) {
  Problem<T> straight = problem;
  const auto optimizer = make();
  optimizer->Prepare(problem.net);
  const auto step = [](optim::Optimizer<T>& with, Problem<T>& on) {
    with.Step(on.net, on.loss, on.Batch());
  };
  for (Index i = 0; i < before; ++i) step(*optimizer, straight);
  data::SafetensorsFile file;
  data::AppendOptimizerState(*optimizer, file);
  Problem<T> resumed = straight;
  const auto other = make();
  data::RestoreOptimizerState(file, "test", resumed.net, *other);
  for (Index i = 0; i < after; ++i) {
    step(*optimizer, straight);
    step(*other, resumed);
  }
  return std::ranges::equal(straight.net.Parameters(),
                            resumed.net.Parameters());
}

Vector<double> GradientOf(const Problem<double>& problem) {
  nn::Mlp<double> net = problem.net;
  const nn::Batch<double> batch = problem.Batch();
  optim::BatchProblem<double> bound;
  bound.Bind(net, problem.loss, batch);
  Vector<double> gradient(net.NumParameters());
  bound.Gradient({gradient.data(), static_cast<std::size_t>(gradient.size())});
  return gradient;
}

Matrix<double> WeightPart(const nn::DenseLayer& layer,
                          const Vector<double>& flat) {
  return ConstMatrixView<double>(flat.data() + layer.weight_offset, layer.out,
                                 layer.in);
}

Vector<double> BiasPart(const nn::DenseLayer& layer,
                        const Vector<double>& flat) {
  return flat.segment(layer.bias_offset, layer.BiasSize());
}

Matrix<double> JoinedPart(const nn::DenseLayer& layer,
                          const Vector<double>& flat) {
  Matrix<double> joined(layer.out, layer.in + (layer.bias ? 1 : 0));
  joined.leftCols(layer.in) = WeightPart(layer, flat);
  if (layer.bias) joined.col(layer.in) = BiasPart(layer, flat);
  return joined;
}

template Problem<float> LearnableRegression(std::uint64_t);
template Problem<double> LearnableRegression(std::uint64_t);
template Problem<float> LearnableClassification(std::uint64_t);
template Problem<double> LearnableClassification(std::uint64_t);
template double TrainedShare(optim::Optimizer<float>&, Problem<float>, Index);
template double TrainedShare(optim::Optimizer<double>&, Problem<double>, Index);
template bool ContinuesAfterRestore(const MakeOptimizer<float>&,
                                    const Problem<float>&, Index, Index);
template bool ContinuesAfterRestore(const MakeOptimizer<double>&,
                                    const Problem<double>&, Index, Index);

}  // namespace sven::testing
