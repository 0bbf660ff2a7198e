// SPDX-License-Identifier: MIT
//
// Sven, singular value descent, as the paper has it. docs/algorithm.md derives
// it.
#ifndef SVEN_OPTIM_SVEN_H_
#define SVEN_OPTIM_SVEN_H_

#include <cstdint>

#include "sven/base/fields.h"
#include "sven/base/random.h"
#include "sven/core/loss_conditions.h"
#include "sven/core/step.h"
#include "sven/optim/linearizer.h"
#include "sven/optim/optimizer.h"
#include "sven/optim/parameter_batches.h"

namespace sven::optim {

struct SvenOptions {
  // eta in delta = - eta M^+ R: the share of every kept residual that a step
  // removes, if the model were linear.
  double learning_rate = 0.1;
  core::PseudoInverse truncation = {};
  // R = l^(kappa/2). 2: the paper's default; 1: Gauss-Newton's residuals.
  double kappa = 2.0;
  // Losses summed into one condition. 1: every sample is one; the batch size:
  // the direction of SGD.
  Index micro_batch = 1;
  // The part of the parameters that moves in a step.
  ParameterBatch parameter_batch = ParameterBatch::kAll;
  double fraction = 1.0;
  core::Road road = core::Road::kAuto;
  linalg::RandomisedEigenOptions randomised = {};
  // For parameter batches and random projections.
  std::uint64_t seed = 0;
  // Report all singular values of every step.
  bool spectrum = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr",
                "learning rate: the share of each residual removed",
                {.low = 0, .low_open = true}},
          self.learning_rate);
    core::PseudoInverse::VisitFields(self.truncation, visit);
    visit(Field{"kappa",
                "conditions are R = loss^(kappa/2)",
                {.low = 0, .low_open = true}},
          self.kappa);
    visit(Field{"microbatch", "losses summed into one condition", {.low = 1}},
          self.micro_batch);
    visit(Field{"parameter_batch", "what a random part is drawn of"},
          self.parameter_batch);
    visit(Field{"fraction",
                "the part of it that moves in a step",
                {.low = 0, .high = 1, .low_open = true}},
          self.fraction);
    visit(Field{"road", "how the singular values are found"}, self.road);
    linalg::RandomisedEigenOptions::VisitFields(self.randomised, visit);
    visit(Field{"seed", "of parameter batches and random projections"},
          self.seed);
    visit(Field{"spectrum", "report all singular values of every step"},
          self.spectrum);
  }
  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

// Everything that a step leaves behind for the next one.
struct SvenState {
  RandomStream subsampling;
  RandomStream projection;
  bool operator==(const SvenState&) const = default;
};

template <class T>
class Sven : public Optimizer<T> {
 public:
  explicit Sven(const SvenOptions& options = {});

  StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                  const nn::Batch<T>& batch) override;

  // The same with the parameters chosen by the caller instead of drawn.
  StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                  const nn::Batch<T>& batch,
                  const nn::ParameterSelection& selection);

  [[nodiscard]] std::span<const T> Update() const override { return update_; }
  // Before the last step: the losses, or with micro-batches their group sums.
  [[nodiscard]] std::span<const double> Losses() const;

  [[nodiscard]] const SvenOptions& Options() const { return options_; }
  [[nodiscard]] const SvenState& State() const { return state_; }
  void SetState(const SvenState& state) { state_ = state; }

 private:
  [[nodiscard]] Conditions ConditionsFor(const nn::Mlp<T>& net,
                                         const nn::Loss& loss) const;

  SvenOptions options_;
  SvenState state_;
  ParameterSampler sampler_;
  nn::ParameterSelection selection_;
  Linearizer<T> linearizer_;
  core::LossConditions<T> conditions_;
  bool mapped_ = false;  // conditions_ was used in the last step
  core::StepSolver<T> solver_;
  AlignedVector<T> update_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SVEN_H_
