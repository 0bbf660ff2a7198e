// SPDX-License-Identifier: MIT
//
// The first half of every step: batch -> forward -> loss per sample -> backward
// -> linearization.
#ifndef SVEN_OPTIM_LINEARIZER_H_
#define SVEN_OPTIM_LINEARIZER_H_

#include <vector>

#include "sven/core/step.h"
#include "sven/nn/loss.h"
#include "sven/nn/network_linearization.h"

namespace sven::optim {

// What the conditions are.
enum class Conditions {
  // The losses l_a.
  kLosses,
  // f - y for a squared error with one output: R = sqrt(l) up to a sign that
  // cancels in the step, and smooth where l = 0.
  kSignedResiduals,
};

template <class T>
class Linearizer {
 public:
  // The result lives until the next call. `selection` must outlive its use.
  nn::NetworkLinearization<T>& Linearize(
      const nn::Mlp<T>& net, const nn::Loss& loss, const nn::Batch<T>& batch,
      const nn::ParameterSelection& selection, Conditions conditions,
      core::PhaseSeconds& seconds);

  // The losses of the last call.
  [[nodiscard]] std::span<const double> Losses() const { return losses_; }

 private:
  void SetSignedResiduals(const nn::Batch<T>& batch);

  nn::Propagation<T> propagation_;
  nn::NetworkLinearization<T> linearization_;
  std::vector<double> losses_;
  std::vector<double> residuals_;
  std::vector<double> scratch_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_LINEARIZER_H_
