// SPDX-License-Identifier: MIT
#include "sven/optim/linearizer.h"

#include "sven/base/stopwatch.h"

namespace sven::optim {

template <class T>
nn::NetworkLinearization<T>& Linearizer<T>::Linearize(
    const nn::Mlp<T>& net, const nn::Loss& loss, const nn::Batch<T>& batch,
    const nn::ParameterSelection& selection, Conditions conditions,
    core::PhaseSeconds& seconds) {
  Stopwatch stopwatch;
  nn::CheckBatch(loss, batch, net.NumInputs(), net.NumOutputs());
  propagation_.Forward(net, batch.x);
  losses_.resize(static_cast<std::size_t>(batch.Size()));
  MatrixView<T> gradient = propagation_.OutputGradient();
  nn::EvaluateLoss<T>(loss, propagation_.Outputs(), batch, losses_, &gradient,
                      scratch_);
  std::span<const double> residuals = losses_;
  if (conditions == Conditions::kSignedResiduals) {
    SetSignedResiduals(batch);
    residuals = residuals_;
  }
  seconds.forward = stopwatch.Lap();
  propagation_.Backward(net, selection.LowestLayer());
  linearization_.Bind(net, propagation_, selection, losses_, residuals);
  seconds.backward = stopwatch.Lap();
  return linearization_;
}

template <class T>
void Linearizer<T>::SetSignedResiduals(const nn::Batch<T>& batch) {
  residuals_.resize(losses_.size());
  const ConstMatrixView<T> f = propagation_.Outputs();
  for (Index a = 0; a < f.rows(); ++a) {
    residuals_[a] =
        static_cast<double>(f(a, 0)) - static_cast<double>(batch.y(a, 0));
  }
  propagation_.OutputGradient().setOnes();
}

template class Linearizer<float>;
template class Linearizer<double>;

}  // namespace sven::optim
