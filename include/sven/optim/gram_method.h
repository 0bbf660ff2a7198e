// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_GRAM_METHOD_H_
#define SVEN_OPTIM_GRAM_METHOD_H_

#include "sven/optim/condition_source.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

// Methods without memory whose step is one weighting of conditions,
//
//     update = - rate M^T w,    w = U g(S) U^T R.
template <class T>
class GramMethod : public Optimizer<T> {
 protected:
  using Optimizer<T>::Optimizer;

  struct Plan {
    ConditionChoice conditions;
    core::Weighting weighting;
    double rate;
    // What R is multiplied by.
    double residual_factor = 1;
  };
  // For a batch of B samples.
  [[nodiscard]] virtual Plan MakePlan(Index B,
                                      const ScheduleFactors& factors) const = 0;

  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& /*net*/) override {}
  void VisitMethodState(StateArchive& /*archive*/) override {}

 private:
  ConditionSource<T> source_;
  core::StepSolver<T> solver_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_GRAM_METHOD_H_
