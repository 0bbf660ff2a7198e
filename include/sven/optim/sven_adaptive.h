// SPDX-License-Identifier: MIT
//
// Adaptive Sven: Sven's step with damping instead of a cut,
//
//     delta = - eta M^T (M M^T + lambda s_1^2)^-1 R,
//
// where lambda follows what the steps achieve, a step that makes its batch worse
// is taken back and tried again with more damping, eta and the least lambda
// follow the noise in the data, and the network is evaluated at an average of
// its weights. docs/adaptive.md has the reasons, and what was measured.
#ifndef SVEN_OPTIM_SVEN_ADAPTIVE_H_
#define SVEN_OPTIM_SVEN_ADAPTIVE_H_

#include <algorithm>
#include <optional>

#include "sven/base/fields.h"
#include "sven/optim/condition_source.h"
#include "sven/optim/optimizer.h"
#include "sven/optim/progress.h"
#include "sven/optim/trial.h"

namespace sven::optim {

// How lambda weakens the directions with small singular values.
enum class DampingFilter {
  kTikhonov,  // phi(s) = s / (s^2 + lambda s_1^2)
  kSmooth,    // core::SmoothCutoff with eps = lambda
  kHard,      // core::PseudoInverse with rtol = sqrt(lambda)
};

enum class AdaptiveConditions {
  // Outputs for squared errors and Huber's, if there is one output or a batch has
  // at most 256 of them in all; else losses.
  kAuto,
  kLosses,   // one per sample: R = l^(kappa/2)
  kOutputs,  // one per output (Conditions::kOutputs)
};

struct SvenAdaptiveOptions {
  static constexpr ChainFit kChainFit = {.max_update = false,
                                         .decoupled_decay = false};

  // Where nothing is given here, the loss decides:
  //                          squared errors, Huber     cross-entropy
  //   learning_rate          0.5                       1
  //   lambda_min             1e-12                     0.02 to 1
  //   kappa                  1                         1.25
  //   steer                  true                      false
  //   average                1/60                      1/10
  //   decay                  0                         0 to 0.01
  // For cross-entropy it is nu = 10 inputs / samples (SetTrainingSize), at most
  // 1, that decides: lambda_min is 1.5 nu, at least 0.02 and at most 0.2 or
  // nu^1.5; decay is 7e-4 nu^3 times the size of the batch, at most 0.01.
  // Without a number of samples nu is 0.13.
  std::optional<double> learning_rate = std::nullopt;
  DampingFilter filter = DampingFilter::kTikhonov;
  // What lambda is relative to, for the filter tikhonov.
  core::DampingUnit unit = core::DampingUnit::kLargest;
  double lambda_start = 1e-4;
  std::optional<double> lambda_min = std::nullopt;
  double lambda_max = 1e4;
  // With rho the actual over the predicted decrease of the batch's loss:
  //   rho <= accept   the step is taken back, lambda * reject, once more
  //   rho < poor      lambda * increase
  //   rho > good      lambda * decrease
  double accept = 0.05;
  double poor = 0.25;
  double good = 0.75;
  double reject = 4;
  double increase = 2;
  double decrease = 0.7;
  // Steps tried before the batch is given up (status rejected).
  Index attempts = 8;
  // An update is at most this times the norm of the parameters, or this if they
  // are smaller than 1.
  double norm_limit = 1;
  AdaptiveConditions conditions = AdaptiveConditions::kAuto;
  // Conditions that are losses: R = l^(kappa/2).
  std::optional<double> kappa = std::nullopt;
  // Whether eta and the least lambda follow the progress of the batch losses.
  std::optional<bool> steer = std::nullopt;
  // The part of the steps so far, the last ones, that is averaged for
  // evaluation; 0: none.
  std::optional<double> average = std::nullopt;
  // p <- p - lr decay p, beside the step, which is judged without it.
  std::optional<double> decay = std::nullopt;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    constexpr Range kPositive = {.low = 0, .low_open = true};
    visit(Field{"lr",
                "learning rate; none: 0.5, for cross-entropy 1",
                {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"filter", "how damping weakens small singular values"},
          self.filter);
    visit(Field{"unit", "the eigenvalue of M M^T that damping is relative to"},
          self.unit);
    visit(Field{"lambda_start", "damping before the first step", kPositive},
          self.lambda_start);
    visit(Field{"lambda_min",
                "least damping; none: 1e-12, for cross-entropy 0.02 or more",
                kPositive},
          self.lambda_min);
    visit(Field{"lambda_max", "most damping", kPositive}, self.lambda_max);
    visit(Field{"accept",
                "a step with less of its predicted decrease is taken back",
                {.low = 0, .high = 1, .high_open = true}},
          self.accept);
    visit(Field{"poor",
                "with less than this part of it, damping is increased",
                {.low = 0, .high = 1}},
          self.poor);
    visit(Field{"good",
                "with more than this part of it, damping is decreased",
                {.low = 0, .low_open = true}},
          self.good);
    visit(Field{"reject",
                "factor of the damping after a step that was taken back",
                {.low = 1, .low_open = true}},
          self.reject);
    visit(Field{"increase", "factor of the damping when poor", {.low = 1}},
          self.increase);
    visit(Field{"decrease",
                "factor of the damping when good",
                {.low = 0, .high = 1, .low_open = true}},
          self.decrease);
    visit(Field{"attempts", "steps tried per batch", {.low = 1}},
          self.attempts);
    visit(Field{"norm_limit",
                "most that an update may be, relative to the parameters",
                kPositive},
          self.norm_limit);
    visit(Field{"conditions", "one per sample or one per output"},
          self.conditions);
    visit(Field{"kappa",
                "conditions that are losses: R = loss^(kappa/2); none: by the "
                "loss",
                kPositive},
          self.kappa);
    visit(Field{"steer",
                "let rate and damping follow the noise; none: by the loss"},
          self.steer);
    visit(Field{"average",
                "part of the steps that is averaged; none: by the loss",
                {.low = 0, .high = 1}},
          self.average);
    visit(Field{"decay",
                "weight decay beside the step, times lr; none: by the loss",
                {.low = 0, .high = 1, .high_open = true}},
          self.decay);
  }
  void Validate() const;
};

struct SvenAdaptiveState {
  double lambda = 0;
  double floor = 0;          // of lambda, by steering
  double rate = 1;           // of the learning rate, by steering
  double largest_batch = 0;  // so far
  Progress progress;
  bool operator==(const SvenAdaptiveState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class SvenAdaptive : public Optimizer<T> {
 public:
  explicit SvenAdaptive(const SvenAdaptiveOptions& options = {},
                        const ChainOptions& chain = {});
  [[nodiscard]] const SvenAdaptiveOptions& Options() const { return options_; }
  [[nodiscard]] const SvenAdaptiveState& State() const { return state_; }

 private:
  // The settings that depend on the loss.
  struct Profile {
    double learning_rate = 0;
    double lambda_min = 0;
    ConditionChoice conditions = {};
    bool steer = false;
    double guard = 0;  // at the start
    double average = 0;
    double decay = 0;
  };

  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& /*net*/) override {}
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }
  [[nodiscard]] std::optional<double> KeptInAverage(double n) const override;

  [[nodiscard]] Index LargestBatch(Index size) const {
    return std::max(size, static_cast<Index>(state_.largest_batch));
  }
  [[nodiscard]] Profile ChooseProfile(BatchProblem<T>& problem) const;
  [[nodiscard]] core::Weighting Damping(const SvenAdaptiveState& state) const;
  // The state for a batch of this loss and size. It becomes the optimizer's own at the
  // end of a step that leaves a trace.
  [[nodiscard]] SvenAdaptiveState Steered(double loss, Index samples) const;
  // What keeps few samples from being learned by heart: the least lambda in
  // units of the mean eigenvalue. The mean loss is small beside its start if
  // the targets follow from the inputs, and then this guard falls with it.
  [[nodiscard]] double Guard(const SvenAdaptiveState& state) const;
  // Within the limits that hold.
  void SetLambda(double lambda, SvenAdaptiveState& state) const;
  // After a step with this lambda, or the more that the guard used.
  [[nodiscard]] double NextLambda(double lambda, double used,
                                  double gain) const;
  // Actual over predicted decrease of |R|^2; 0 if the mean loss does not fall.
  double Gain(BatchProblem<T>& problem, std::span<const T> update,
              const StepReport& report);

  SvenAdaptiveOptions options_;
  SvenAdaptiveState state_;
  Profile profile_;
  ConditionSource<T> source_;
  core::StepSolver<T> solver_;
  Trial<T> trial_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::AdaptiveConditions> {
  using Kind = optim::AdaptiveConditions;
  static constexpr std::pair<std::string_view, Kind> kTable[] = {
      {"auto", Kind::kAuto},
      {"losses", Kind::kLosses},
      {"outputs", Kind::kOutputs},
  };
};

template <>
struct sven::EnumNames<sven::optim::DampingFilter> {
  static constexpr std::pair<std::string_view, optim::DampingFilter> kTable[] =
      {
          {"tikhonov", optim::DampingFilter::kTikhonov},
          {"smooth", optim::DampingFilter::kSmooth},
          {"hard", optim::DampingFilter::kHard},
      };
};

#endif  // SVEN_OPTIM_SVEN_ADAPTIVE_H_
