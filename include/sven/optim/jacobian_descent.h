// SPDX-License-Identifier: MIT
//
// Jacobian descent: the gradients of the samples' losses, rows of M, combined so
// that the step conflicts with none of them,
//
//     p -= lr M^T w,
//
// with the weights w of core/jacobian_descent.h.
#ifndef SVEN_OPTIM_JACOBIAN_DESCENT_H_
#define SVEN_OPTIM_JACOBIAN_DESCENT_H_

#include <vector>

#include "sven/base/fields.h"
#include "sven/core/jacobian_descent.h"
#include "sven/linalg/matrix_buffer.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

struct JacobianDescentOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 0.1;
  core::Aggregation aggregation = core::Aggregation::kUpGrad;
  // Added to the diagonal of K / trace(K).
  double regularisation = core::kRegularisation;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"aggregation", "how the gradients are combined"},
          self.aggregation);
    visit(Field{"regularisation",
                "added to the Gram matrix over its trace",
                {.low = 1e-12, .high = 1}},
          self.regularisation);
  }
  void Validate() const { ValidateFields("JacobianDescentOptions", *this); }
};

template <class T>
class JacobianDescent : public Optimizer<T> {
 public:
  explicit JacobianDescent(const JacobianDescentOptions& options = {},
                           const ChainOptions& chain = {});
  [[nodiscard]] const JacobianDescentOptions& Options() const {
    return options_;
  }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& /*net*/) override {}
  void VisitMethodState(StateArchive& /*archive*/) override {}

  JacobianDescentOptions options_;
  core::ConflictFreeWeights weights_;
  MatrixBuffer<double> K_;
  std::vector<double> w_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_JACOBIAN_DESCENT_H_
