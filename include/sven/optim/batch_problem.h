// SPDX-License-Identifier: MIT
//
// The loss of one batch as a function of a network's parameters: all that an
// optimizer may ask about it. Everything is evaluated at the parameters that
// the network has at that moment, so a method that tries several points moves
// them and asks again.
#ifndef SVEN_OPTIM_BATCH_PROBLEM_H_
#define SVEN_OPTIM_BATCH_PROBLEM_H_

#include <vector>

#include "sven/base/enum_names.h"
#include "sven/core/step.h"
#include "sven/nn/loss.h"
#include "sven/nn/network_linearization.h"

namespace sven::optim {

// What the conditions are, for the methods that keep them apart. f are the
// outputs, l_a the loss of sample a, J = df/dtheta.
enum class Conditions {
  // One per sample: R = l_a.
  kLosses,
  // One per output of a sample, whose square is the output's part of the loss
  // (up to the factor that is named):
  //   mse, label_regression   R = f - y,  M = J.     grad l = 2 M^T R
  //   huber                   R = sign(r) sqrt(h(r)) of r = f - y; the same
  //   ce                      with the softmax p and its Fisher matrix
  //                           Q = diag(p) - p p^T = L L^T,
  //                           L = diag(sqrt p) - p sqrt(p)^T:
  //                           M = L^T J,  L R = p - onehot.   grad l = M^T R
  // so that M^T M is the Gauss-Newton matrix, and with one output and a squared
  // error R is sqrt(l) with the sign that makes it smooth.
  kOutputs,
  // One per output: R = dl/df and M = J (which is not dR/dtheta).
  kOutputGradients,
};

template <class T>
class BatchProblem {
 public:
  // Everything must outlive the use. Throws a DataError if the batch does not
  // fit the network and the loss.
  void Bind(nn::Mlp<T>& net, const nn::Loss& loss, const nn::Batch<T>& batch);

  [[nodiscard]] nn::Mlp<T>& Net() { return *net_; }
  [[nodiscard]] const nn::Loss& LossFunction() const { return *loss_; }
  [[nodiscard]] Index BatchSize() const { return batch_->Size(); }

  // The mean loss. Leaves the last linearization as it is.
  double Loss();
  // Of the last Loss(), per sample.
  [[nodiscard]] std::span<const double> TrialLosses() const {
    return trial_losses_;
  }

  // The mean loss; fills `gradient` (N) with `scale` times its gradient. What
  // is frozen has gradient zero.
  double Gradient(std::span<T> gradient, double scale = 1);

  // The conditions of the parameters that are not frozen, or of a selection,
  // which must outlive the use. The result lives until the next question.
  nn::NetworkLinearization<T>& Linearize(Conditions conditions);
  nn::NetworkLinearization<T>& Linearize(
      Conditions conditions, const nn::ParameterSelection& selection);

  // Of the last Gradient or Linearize: the losses per sample, and the inputs
  // and output-gradients of the layers.
  [[nodiscard]] std::span<const double> Losses() const { return losses_; }
  [[nodiscard]] const nn::Propagation<T>& Layers() const {
    return propagation_;
  }

  // Time spent since Bind, and spent by the method itself.
  core::PhaseSeconds seconds;

 private:
  void SetOutputConditions();
  void SetOutputGradients();

  nn::Mlp<T>* net_ = nullptr;
  const nn::Loss* loss_ = nullptr;
  const nn::Batch<T>* batch_ = nullptr;
  nn::ParameterSelection all_;
  nn::Propagation<T> propagation_;
  nn::NetworkLinearization<T> linearization_;
  std::vector<double> losses_;
  std::vector<double> residuals_;
  std::vector<double> weights_;
  std::vector<double> scratch_;
  MatrixBuffer<T> gradient_;  // dl/df, B x outputs
  // Of Loss().
  nn::Propagation<T> trial_;
  std::vector<double> trial_losses_;
};

}  // namespace sven::optim

// The two that are a user's choice.
template <>
struct sven::EnumNames<sven::optim::Conditions> {
  static constexpr std::pair<std::string_view, optim::Conditions> kTable[] = {
      {"losses", optim::Conditions::kLosses},
      {"outputs", optim::Conditions::kOutputs},
  };
};

#endif  // SVEN_OPTIM_BATCH_PROBLEM_H_
