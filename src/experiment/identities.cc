// SPDX-License-Identifier: MIT
#include "sven/experiment/identities.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "sven/base/random.h"
#include "sven/data/dataset.h"
#include "sven/data/tasks.h"
#include "sven/nn/mlp.h"
#include "sven/optim/batch_problem.h"
#include "sven/optim/sven.h"

namespace sven::experiment {
namespace {

constexpr double kRate = 0.1;

using Samples = data::Dataset<double>;

// Targets that no model explains.
Samples RandomSamples(Index count, Index inputs, std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kData);
  Samples samples;
  samples.x.resize(count, inputs);
  samples.y.resize(count, 1);
  for (double& value : samples.x.reshaped()) value = random.Normal();
  for (double& value : samples.y.reshaped()) value = random.Normal();
  return samples;
}

optim::SvenOptions WithoutCuts(double kappa, double learning_rate) {
  optim::SvenOptions options;
  options.learning_rate = learning_rate;
  options.kappa = kappa;
  options.truncation.k.reset();
  options.truncation.rtol = 1e-12;
  return options;
}

Vector<double> Parameters(const nn::Mlp<double>& net) {
  const auto parameters = net.Parameters();
  return ConstVectorView<double>(parameters.data(), std::ssize(parameters));
}

// The change of the parameters in one step.
Vector<double> SvenStep(nn::Mlp<double> net, const Samples& samples,
                        const optim::SvenOptions& options) {
  const Vector<double> before = Parameters(net);
  optim::Sven<double> optimizer(options);
  optimizer.Step(net, nn::Loss::kSquaredError, samples.All());
  return Parameters(net) - before;
}

// -(J^T J)^-1 J^T r, with J formed.
Vector<double> NaturalGradientStep(nn::Mlp<double> net,
                                   const Samples& samples) {
  const nn::Loss loss = nn::Loss::kSquaredError;
  const nn::Batch<double> batch = samples.All();
  optim::BatchProblem<double> problem;
  problem.Bind(net, loss, batch);
  auto& linearization = problem.Linearize(optim::Conditions::kOutputs);
  Matrix<double> J(batch.Size(), net.NumParameters());
  linearization.Jacobian(J);
  const auto residuals = linearization.Residuals();
  const ConstVectorView<double> r(residuals.data(), std::ssize(residuals));
  const Eigen::MatrixXd metric = J.transpose() * J;
  return -metric.ldlt().solve(Eigen::VectorXd(J.transpose() * r));
}

Vector<double> Gradient(nn::Mlp<double> net, const Samples& samples) {
  const nn::Loss loss = nn::Loss::kSquaredError;
  const nn::Batch<double> batch = samples.All();
  optim::BatchProblem<double> problem;
  problem.Bind(net, loss, batch);
  Vector<double> gradient(net.NumParameters());
  problem.Gradient(
      {gradient.data(), static_cast<std::size_t>(gradient.size())});
  return gradient;
}

double Cosine(const Vector<double>& a, const Vector<double>& b) {
  return a.dot(b) / (a.norm() * b.norm());
}

// Mean losses before each of `steps` steps on the full batch with kappa = 1,
// and after the last.
std::vector<double> LossesOfDescent(nn::Mlp<double> net, const Samples& samples,
                                    int steps) {
  optim::Sven<double> optimizer(WithoutCuts(1, kRate));
  std::vector<double> losses;
  for (int i = 0; i <= steps; ++i) {
    losses.push_back(
        optimizer.Step(net, nn::Loss::kSquaredError, samples.All()).loss);
  }
  return losses;
}

double LinearDecayError() {
  const Samples samples = RandomSamples(20, 40, 3);
  const nn::Mlp<double> net({40, 1}, nn::Activation::kIdentity, 1);
  const std::vector<double> losses = LossesOfDescent(net, samples, 50);
  const double expected = (1 - kRate) * (1 - kRate);
  double worst = 0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    worst = std::max(worst,
                     std::abs(losses[i] / losses[i - 1] - expected) / expected);
  }
  return worst;
}

double NetworkDecayRate() {
  data::PolynomialOptions options;
  options.train = 16;
  options.validation = 1;
  const auto task = data::MakePolynomial<double>(options);
  const nn::Mlp<double> net({6, 16, 16, 16, 1}, nn::Activation::kGelu, 1);
  constexpr int kSteps = 100;
  const std::vector<double> losses = LossesOfDescent(net, task.train, kSteps);
  return std::log(losses.back() / losses.front()) /
         (2 * kSteps * std::log(1 - kRate));
}

}  // namespace

Identities MeasureIdentities() {
  Identities identities;
  const Samples samples = RandomSamples(64, 5, 2);
  const nn::Mlp<double> net({5, 3, 1}, nn::Activation::kTanh, 1);
  const Vector<double> step = SvenStep(net, samples, WithoutCuts(1, 1));
  const Vector<double> natural = NaturalGradientStep(net, samples);
  identities.natural_gradient_difference =
      (step - natural).norm() / natural.norm();
  const Vector<double> squared = SvenStep(net, samples, WithoutCuts(2, 1));
  identities.kappa_cosine = Cosine(step, squared);
  optim::SvenOptions one_condition = WithoutCuts(2, 1);
  one_condition.micro_batch = samples.Size();
  identities.one_condition_cosine =
      Cosine(SvenStep(net, samples, one_condition), -Gradient(net, samples));
  identities.linear_decay_error = LinearDecayError();
  identities.network_decay_rate = NetworkDecayRate();
  return identities;
}

}  // namespace sven::experiment
