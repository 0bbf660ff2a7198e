// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_GRADIENT_METHOD_H_
#define SVEN_OPTIM_GRADIENT_METHOD_H_

#include "sven/optim/optimizer.h"

namespace sven::optim {

// What a gradient method knows beside the gradient.
template <class T>
struct GradientPoint {
  const nn::Mlp<T>& net;
  std::span<const T> parameters;
  double loss;
  double gradient_norm;              // after clipping
  double rate_factor;                // the schedule's, for the learning rate
  const nn::Propagation<T>& layers;  // inputs and output-gradients
};

// Methods that turn the gradient of the mean loss into an update.
template <class T>
class GradientMethod : public Optimizer<T> {
 protected:
  using Optimizer<T>::Optimizer;

  // On entry `update` is the gradient g, clipped; on exit the change of the
  // parameters. Returns the learning rate that was used. g and its squares are
  // finite. What is frozen has g = 0; its update is set to zero afterwards.
  virtual double Transform(const GradientPoint<T>& point,
                           std::span<T> update) = 0;

  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_GRADIENT_METHOD_H_
