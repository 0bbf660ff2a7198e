// SPDX-License-Identifier: MIT
//
// SPRING: minSR with a memory of the directions that the batch does not see,
//
//     zeta = (M M^T + lambda)^-1 (R - mu M phi)
//     phi <- M^T zeta + mu phi
//     p   -= lr phi,   shortened so that |lr phi|^2 <= norm_limit.
//
// phi itself is neither scaled by lr nor shortened.
#ifndef SVEN_OPTIM_SPRING_H_
#define SVEN_OPTIM_SPRING_H_

#include <optional>
#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/condition_source.h"
#include "sven/optim/optimizer.h"

namespace sven::optim {

struct SpringOptions {
  static constexpr ChainFit kChainFit = {};

  double learning_rate = 0.1;
  // Added to the eigenvalues of M M^T.
  double lambda = 1e-3;
  // The method's paper has 0.99; 0.8 to 0.9 is steadier.
  double mu = 0.9;
  // C in |lr phi|^2 <= C.
  std::optional<double> norm_limit = std::nullopt;
  // In step t apply phi / sqrt(1 - mu^(2t)).
  bool bias_correction = false;
  Conditions conditions = Conditions::kLosses;
  double kappa = 1;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"lambda",
                "damping, added to the squared singular values",
                {.low = 0, .low_open = true}},
          self.lambda);
    visit(Field{"mu",
                "share of the last direction kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.mu);
    visit(Field{"norm_limit",
                "limit of the squared norm of the update",
                {.low = 0, .low_open = true}},
          self.norm_limit);
    visit(Field{"bias_correction",
                "divide the direction by sqrt(1 - mu^(2 steps))"},
          self.bias_correction);
    visit(Field{"conditions", "one per sample or one per output"},
          self.conditions);
    visit(Field{"kappa",
                "conditions that are losses: R = loss^(kappa/2)",
                {.low = 0, .low_open = true}},
          self.kappa);
  }
  void Validate() const { ValidateFields("SpringOptions", *this); }
};

template <class T>
struct SpringState {
  std::int64_t steps = 0;
  AlignedVector<T> phi;
  bool operator==(const SpringState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Spring : public Optimizer<T> {
 public:
  explicit Spring(const SpringOptions& options = {},
                  const ChainOptions& chain = {});
  [[nodiscard]] const SpringOptions& Options() const { return options_; }
  [[nodiscard]] const SpringState<T>& State() const { return state_; }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }
  [[nodiscard]] double AppliedRate(double rate, double phi_norm) const;

  SpringOptions options_;
  SpringState<T> state_;
  ConditionSource<T> source_;
  core::StepSolver<T> solver_;
  std::vector<double> shifted_;  // R - mu M phi
  std::vector<double> change_;
  AlignedVector<T> next_phi_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SPRING_H_
