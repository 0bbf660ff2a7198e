// SPDX-License-Identifier: MIT
#include "sven/optim/batch_problem.h"

#include <numeric>

#include "sven/base/stopwatch.h"
#include "sven/nn/output_conditions.h"

namespace sven::optim {

template <class T>
void BatchProblem<T>::Bind(nn::Mlp<T>& net, const nn::Loss& loss,
                           const nn::Batch<T>& batch) {
  nn::CheckBatch(loss, batch, net.NumInputs(), net.NumOutputs());
  net_ = &net;
  loss_ = &loss;
  batch_ = &batch;
  if (!all_.Fits(net.Layers())) all_.SelectAll(net.Layers());
  losses_.resize(static_cast<std::size_t>(batch.Size()));
  seconds = {};
}

template <class T>
double BatchProblem<T>::Loss() {
  Stopwatch stopwatch;
  trial_.Forward(*net_, batch_->x);
  trial_losses_.resize(losses_.size());
  nn::EvaluateLoss<T>(*loss_, trial_.Outputs(), *batch_, trial_losses_, nullptr,
                      scratch_);
  seconds.forward += stopwatch.Lap();
  return std::accumulate(trial_losses_.begin(), trial_losses_.end(), 0.0) /
         static_cast<double>(trial_losses_.size());
}

template <class T>
double BatchProblem<T>::Gradient(std::span<T> gradient, double scale) {
  auto& losses = Linearize(Conditions::kLosses);
  Stopwatch stopwatch;
  // The gradient of the mean loss is M^T (1/B, ..., 1/B).
  const auto B = static_cast<double>(BatchSize());
  weights_.assign(losses_.size(), scale / B);
  losses.PullBack(weights_, gradient);
  seconds.pull_back += stopwatch.Lap();
  return losses.Loss();
}

template <class T>
void BatchProblem<T>::SetOutputConditions() {
  const Index C = net_->NumOutputs();
  residuals_.resize(static_cast<std::size_t>(BatchSize() * C));
  propagation_.SetRowsPerSample(C);
  nn::EvaluateOutputConditions<T>(*loss_, propagation_.Outputs(), *batch_,
                                  residuals_, propagation_.OutputGradient(),
                                  scratch_);
}

template <class T>
void BatchProblem<T>::SetOutputGradients() {
  const Index C = net_->NumOutputs();
  residuals_.resize(static_cast<std::size_t>(BatchSize() * C));
  const ConstMatrixView<T> gradient = std::as_const(gradient_).View();
  for (Index i = 0; i < gradient.size(); ++i) {
    residuals_[i] = static_cast<double>(gradient.data()[i]);
  }
  propagation_.SetRowsPerSample(C);
  MatrixView<T> rows = propagation_.OutputGradient();
  rows.setZero();
  for (Index row = 0; row < rows.rows(); ++row) rows(row, row % C) = 1;
}

template <class T>
nn::NetworkLinearization<T>& BatchProblem<T>::Linearize(Conditions conditions) {
  return Linearize(conditions, all_);
}

template <class T>
nn::NetworkLinearization<T>& BatchProblem<T>::Linearize(
    Conditions conditions, const nn::ParameterSelection& selection) {
  Stopwatch stopwatch;
  propagation_.Forward(*net_, batch_->x);
  std::span<const double> residuals = losses_;
  gradient_.Resize(BatchSize(), net_->NumOutputs());
  MatrixView<T> gradient = conditions == Conditions::kLosses
                               ? propagation_.OutputGradient()
                               : gradient_.View();
  nn::EvaluateLoss<T>(*loss_, propagation_.Outputs(), *batch_, losses_,
                      &gradient, scratch_);
  if (conditions == Conditions::kOutputs) SetOutputConditions();
  if (conditions == Conditions::kOutputGradients) SetOutputGradients();
  if (conditions != Conditions::kLosses) residuals = residuals_;
  seconds.forward += stopwatch.Lap();
  propagation_.Backward(*net_, selection.LowestLayer());
  linearization_.Bind(*net_, propagation_, selection, losses_, residuals);
  seconds.backward += stopwatch.Lap();
  return linearization_;
}

template class BatchProblem<float>;
template class BatchProblem<double>;

}  // namespace sven::optim
