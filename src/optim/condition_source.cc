// SPDX-License-Identifier: MIT
#include "sven/optim/condition_source.h"

namespace sven::optim {
namespace {

// sqrt(l) of a squared error with one output is the output's condition, up to a
// sign that cancels in the step; and that one is smooth where l = 0.
template <class T>
ConditionChoice Smooth(BatchProblem<T>& problem, ConditionChoice choice) {
  const bool root_of_square =
      choice.kappa == 1 && choice.micro_batch == 1 &&
      problem.LossFunction().kind == nn::Loss::kSquaredError &&
      problem.Net().NumOutputs() == 1;
  if (root_of_square) choice.kind = Conditions::kOutputs;
  return choice;
}

}  // namespace

template <class T>
core::Linearization<T>& ConditionSource<T>::Linearize(
    BatchProblem<T>& problem, const ConditionChoice& choice) {
  const ConditionChoice smooth = Smooth(problem, choice);
  return Map(problem.Linearize(smooth.kind), smooth);
}

template <class T>
core::Linearization<T>& ConditionSource<T>::Linearize(
    BatchProblem<T>& problem, const ConditionChoice& choice,
    const nn::ParameterSelection& selection) {
  const ConditionChoice smooth = Smooth(problem, choice);
  return Map(problem.Linearize(smooth.kind, selection), smooth);
}

template <class T>
core::Linearization<T>& ConditionSource<T>::Map(
    nn::NetworkLinearization<T>& network, const ConditionChoice& choice) {
  network_ = &network;
  mapped_ = choice.kind == Conditions::kLosses &&
            (choice.kappa != 2.0 || choice.micro_batch > 1);
  if (!mapped_) return network;
  conditions_.Bind(network, {.kappa = choice.kappa}, choice.micro_batch);
  return conditions_;
}

template class ConditionSource<float>;
template class ConditionSource<double>;

}  // namespace sven::optim
