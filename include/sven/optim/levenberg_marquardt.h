// SPDX-License-Identifier: MIT
//
// Levenberg-Marquardt: Gauss-Newton steps whose damping is controlled by what
// they achieve,
//
//     delta = - lr M^T (M M^T + B lambda)^-1 R,
//
// tried on the loss of the same batch. A step that raises it is taken back, and
// tried again from the same M with more damping.
#ifndef SVEN_OPTIM_LEVENBERG_MARQUARDT_H_
#define SVEN_OPTIM_LEVENBERG_MARQUARDT_H_

#include "sven/base/fields.h"
#include "sven/optim/condition_source.h"
#include "sven/optim/optimizer.h"
#include "sven/optim/trial.h"

namespace sven::optim {

// How lambda changes, with rho the actual over the predicted decrease.
enum class DampingRule {
  // Accepted if the loss falls: lambda * decrease; else lambda * increase.
  kFactor,
  // A trust region of radius 1 / lambda, as in Ceres. Accepted if rho > 1e-3:
  // radius / max(1/3, 1 - (2 rho - 1)^3); else radius / 2, 4, 8, ...
  kRadius,
};

struct LevenbergMarquardtOptions {
  // What is added to a step that was tried would not have been tried.
  static constexpr ChainFit kChainFit = {.decoupled_decay = false};

  double learning_rate = 1;
  // lambda before the first step; it is added to the eigenvalues of M M^T / B.
  double lambda_start = 1e-3;
  double lambda_min = 1e-10;
  double lambda_max = 1e10;
  DampingRule rule = DampingRule::kFactor;
  double decrease = 0.1;
  double increase = 10;
  // Steps tried before the batch is given up (status rejected).
  Index attempts = 10;
  // Losses enter as R = sqrt(l).
  Conditions conditions = Conditions::kOutputs;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda_start",
                "damping before the first step",
                {.low = 0, .low_open = true}},
          self.lambda_start);
    visit(Field{"lambda_min", "least damping", {.low = 0, .low_open = true}},
          self.lambda_min);
    visit(Field{"lambda_max", "most damping", {.low = 0, .low_open = true}},
          self.lambda_max);
    visit(Field{"rule", "how the damping changes"}, self.rule);
    visit(Field{"decrease",
                "factor of the damping after a step that is accepted",
                {.low = 0, .high = 1, .low_open = true}},
          self.decrease);
    visit(Field{"increase",
                "factor of the damping after a step that is not",
                {.low = 1, .low_open = true}},
          self.increase);
    visit(Field{"attempts", "steps tried per batch", {.low = 1}},
          self.attempts);
    visit(Field{"conditions", "one per sample or one per output"},
          self.conditions);
  }
  void Validate() const;
};

struct LevenbergMarquardtState {
  double lambda = 0;
  double shrink = 2;  // what the radius is divided by next
  bool operator==(const LevenbergMarquardtState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class LevenbergMarquardt : public Optimizer<T> {
 public:
  explicit LevenbergMarquardt(const LevenbergMarquardtOptions& options = {},
                              const ChainOptions& chain = {});
  [[nodiscard]] const LevenbergMarquardtOptions& Options() const {
    return options_;
  }
  [[nodiscard]] const LevenbergMarquardtState& State() const { return state_; }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& /*net*/) override {}
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }
  // What the mean loss is predicted to fall by.
  [[nodiscard]] double Predicted(BatchProblem<T>& problem,
                                 const StepReport& report) const;
  // Judges a step that lowers the mean loss by `actual`, and sets the damping of
  // the next.
  bool Accept(double actual, double predicted);

  LevenbergMarquardtOptions options_;
  LevenbergMarquardtState state_;
  ConditionSource<T> source_;
  core::StepSolver<T> solver_;
  Trial<T> trial_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::DampingRule> {
  static constexpr std::pair<std::string_view, optim::DampingRule> kTable[] = {
      {"factor", optim::DampingRule::kFactor},
      {"radius", optim::DampingRule::kRadius},
  };
};

#endif  // SVEN_OPTIM_LEVENBERG_MARQUARDT_H_
