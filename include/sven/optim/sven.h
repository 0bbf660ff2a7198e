// SPDX-License-Identifier: MIT
//
// Sven, singular value descent, as the paper has it. docs/algorithm.md derives
// it.
#ifndef SVEN_OPTIM_SVEN_H_
#define SVEN_OPTIM_SVEN_H_

#include <cstdint>
#include <optional>

#include "sven/base/fields.h"
#include "sven/base/random.h"
#include "sven/core/step.h"
#include "sven/optim/condition_source.h"
#include "sven/optim/optimizer.h"
#include "sven/optim/parameter_batches.h"
#include "sven/optim/trial.h"

namespace sven::optim {

// Momentum on the update u of a step (at learning rate 1):
//   b = momentum * b + u
//   p += lr * (u + momentum * b   if nesterov,   b otherwise)
struct UpdateMomentum {
  double momentum = 0;
  bool nesterov = false;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"momentum",
                "share of the last update kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.momentum);
    visit(Field{"nesterov", "Nesterov's form of momentum"}, self.nesterov);
  }
  bool operator==(const UpdateMomentum&) const = default;
};

// Scaling by a running mean square, v <- alpha v + (1 - alpha) x^2, with
// D = sqrt(v) + eps:
//
//   post               x = u, the update;  u <- D^-1 u
//   pre                x = the mean of the rows of M. The step is taken in the
//                      variables D theta: y = (M D^-1)^+ R, u = D^-1 y
//   pre_as_published   the same with u = y, as the paper's package has it
struct RmsScaling {
  enum class Place { kNone, kPost, kPre, kPreAsPublished };

  Place place = Place::kNone;
  double alpha = 0.99;
  double eps = 1e-8;

  [[nodiscard]] bool Pre() const {
    return place == Place::kPre || place == Place::kPreAsPublished;
  }

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"rms", "scale by a running mean square"}, self.place);
    visit(Field{"rms_alpha",
                "share of the mean square kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.alpha);
    visit(Field{"rms_eps", "added to its root", {.low = 0, .low_open = true}},
          self.eps);
  }
  bool operator==(const RmsScaling&) const = default;
};

struct SvenOptions {
  static constexpr ChainFit kChainFit = {};

  // eta in delta = - eta M^+ R: the share of every kept residual that a step
  // removes, if the model were linear.
  double learning_rate = 0.1;
  core::PseudoInverse truncation = {};
  // After the cuts, keep only so many directions that the step does not raise the
  // loss of the batch. The number is found by bisection: the largest, if more
  // directions never repair what fewer have spoilt.
  bool variable_k = false;
  // Halve a step that raises the loss of its batch until it does not, and leave
  // it out (status rejected) if that does not help.
  bool reject_worse = false;
  // An update is at most this times the norm of the parameters, or this if they
  // are smaller than 1.
  std::optional<double> norm_limit = std::nullopt;
  // One condition per sample or per output.
  Conditions conditions = Conditions::kLosses;
  // Conditions that are losses: R = l^(kappa/2). 2: the paper's default; 1: Gauss-Newton's residuals.
  double kappa = 2.0;
  // Losses summed into one condition. 1: every sample is one; the batch size:
  // the direction of SGD.
  Index micro_batch = 1;
  // The part of the parameters that moves in a step.
  ParameterBatch parameter_batch = ParameterBatch::kAll;
  double fraction = 1.0;
  UpdateMomentum momentum = {};
  RmsScaling rms = {};
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
    visit(Field{"variable_k", "fewer directions if they raise the batch loss"},
          self.variable_k);
    visit(Field{"reject_worse", "halve steps that raise the batch loss"},
          self.reject_worse);
    visit(Field{"norm_limit",
                "most that an update may be, relative to the parameters",
                {.low = 0, .low_open = true}},
          self.norm_limit);
    visit(Field{"conditions", "one per sample or one per output"},
          self.conditions);
    visit(Field{"kappa",
                "conditions that are losses: R = loss^(kappa/2)",
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
    UpdateMomentum::VisitFields(self.momentum, visit);
    RmsScaling::VisitFields(self.rms, visit);
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
template <class T>
struct SvenState {
  RandomStream subsampling;
  RandomStream projection;
  AlignedVector<T> momentum;     // b; empty without momentum
  AlignedVector<T> mean_square;  // v; empty without rms
  bool operator==(const SvenState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Sven : public Optimizer<T> {
 public:
  explicit Sven(const SvenOptions& options = {},
                const ChainOptions& chain = {});

  using Optimizer<T>::Step;
  // The same with the parameters chosen by the caller instead of drawn.
  StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                  const nn::Batch<T>& batch,
                  const nn::ParameterSelection& selection);

  // Before the last step: the losses, or with micro-batches their group sums.
  [[nodiscard]] std::span<const double> Losses() const;

  [[nodiscard]] const SvenOptions& Options() const { return options_; }
  [[nodiscard]] const SvenState<T>& State() const { return state_; }

 private:
  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  const nn::ParameterSelection& Select(const nn::Mlp<T>& net);
  [[nodiscard]] core::StepOptions StepFor(const ScheduleFactors& factors);
  void ScaleColumns(core::Linearization<T>& conditions);
  void LowerRank(BatchProblem<T>& problem, core::Linearization<T>& conditions,
                 core::StepOptions step, std::span<T> update,
                 StepReport& report);
  // Without and with what comes after the pseudo-inverse.
  void UndoScaling(std::span<T> update) const;
  void HalveUntilBetter(BatchProblem<T>& problem, std::span<T> update,
                        StepReport& report);
  void AddMemory(double rate, std::span<T> update, StepReport& report);
  [[nodiscard]] bool Selected(std::size_t i) const {
    return mask_.empty() || mask_[i] != 0;
  }

  SvenOptions options_;
  SvenState<T> state_;
  ParameterSampler sampler_;
  nn::ParameterSelection drawn_;
  const nn::ParameterSelection* chosen_ = nullptr;  // by the caller
  ConditionSource<T> source_;
  core::StepSolver<T> solver_;
  Trial<T> trial_;
  // Work areas of momentum and rms, N entries where used.
  std::vector<std::uint8_t> mask_;
  std::vector<double> row_weights_;
  std::vector<double> change_;
  AlignedVector<T> next_momentum_;
  AlignedVector<T> next_mean_square_;
  AlignedVector<T> scale_;  // D^-1
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::RmsScaling::Place> {
  using Place = optim::RmsScaling::Place;
  static constexpr std::pair<std::string_view, Place> kTable[] = {
      {"none", Place::kNone},
      {"post", Place::kPost},
      {"pre", Place::kPre},
      {"pre_as_published", Place::kPreAsPublished},
  };
};

#endif  // SVEN_OPTIM_SVEN_H_
