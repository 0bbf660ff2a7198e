// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_CONDITION_SOURCE_H_
#define SVEN_OPTIM_CONDITION_SOURCE_H_

#include "sven/core/loss_conditions.h"
#include "sven/optim/batch_problem.h"

namespace sven::optim {

// The conditions of a batch that a method works on.
struct ConditionChoice {
  Conditions kind = Conditions::kLosses;
  // Conditions that are losses: R = l^(kappa/2), of sums of `micro_batch`
  // losses.
  double kappa = 2;
  Index micro_batch = 1;
};

template <class T>
class ConditionSource {
 public:
  // The result lives until the next call, or the next question to `problem`.
  core::Linearization<T>& Linearize(BatchProblem<T>& problem,
                                    const ConditionChoice& choice);
  core::Linearization<T>& Linearize(BatchProblem<T>& problem,
                                    const ConditionChoice& choice,
                                    const nn::ParameterSelection& selection);

  // The network's part of the last result.
  [[nodiscard]] nn::NetworkLinearization<T>& Network() { return *network_; }
  // Whether the last result is made of losses by kappa or micro-batches, and
  // then the sums of its groups.
  [[nodiscard]] bool Mapped() const { return mapped_; }
  [[nodiscard]] std::span<const double> GroupLosses() const {
    return conditions_.GroupLosses();
  }

 private:
  core::Linearization<T>& Map(nn::NetworkLinearization<T>& network,
                              const ConditionChoice& choice);

  nn::NetworkLinearization<T>* network_ = nullptr;
  core::LossConditions<T> conditions_;
  bool mapped_ = false;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_CONDITION_SOURCE_H_
