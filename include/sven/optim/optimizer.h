// SPDX-License-Identifier: MIT
//
// What all optimizers have in common. A step goes
//
//   batch -> the method's proposal (Propose) -> chain (norm limit, decoupled
//   weight decay) -> parameters -> average,
//
// with the report on the side. A method is a class with three plain parts:
// Options, State, and Propose.
#ifndef SVEN_OPTIM_OPTIMIZER_H_
#define SVEN_OPTIM_OPTIMIZER_H_

#include <optional>

#include "sven/core/step.h"
#include "sven/nn/batch.h"
#include "sven/nn/loss.h"
#include "sven/nn/mlp.h"
#include "sven/optim/batch_problem.h"
#include "sven/optim/chain.h"
#include "sven/optim/state_archive.h"

namespace sven::optim {

// What the chain leaves behind for the next step.
template <class T>
struct ChainState {
  std::int64_t steps = 0;    // done or refused
  std::int64_t applied = 0;  // done
  AlignedVector<T> average;  // empty if nothing is averaged
  bool operator==(const ChainState&) const = default;
};

template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One step of the network's parameters on one batch. Throws a DataError for
  // a batch that does not fit the network and the loss. A step that comes out
  // with NaN or infinity is not applied; the report's status says so.
  StepReport Step(nn::Mlp<T>& net, const nn::Loss& loss,
                  const nn::Batch<T>& batch);

  // The change of the parameters in the last step; zero if it was not applied.
  [[nodiscard]] std::span<const T> Update() const { return update_; }

  // The parameters to evaluate the network with: its own, unless the optimizer
  // averages them.
  [[nodiscard]] virtual std::span<const T> EvaluationParameters(
      const nn::Mlp<T>& net) const;

  // From how many samples the batches are drawn; none: from ever new ones. A
  // method may guard against learning few samples by heart.
  void SetTrainingSize(std::optional<Index> samples) {
    training_size_ = samples;
  }
  [[nodiscard]] std::optional<Index> TrainingSize() const {
    return training_size_;
  }

  // Sizes the state for the network, as before the first step. Step does it by
  // itself; reading a state from a file needs it before. An optimizer belongs
  // to the network of its first step.
  void Prepare(const nn::Mlp<T>& net);

  // Lists everything that a step leaves behind for the next one.
  void VisitState(StateArchive& archive);

  [[nodiscard]] const ChainOptions& Chain() const { return chain_; }
  [[nodiscard]] const ChainState<T>& StateOfChain() const {
    return chain_state_;
  }

 protected:
  explicit Optimizer(const ChainOptions& chain) : chain_(chain) {}

  // The method: fills `update` (N) with the change that it proposes, learning
  // rate included, and leaves the parameters as they were. Unless the report's
  // status is kOk, the update counts as zero. A loss or gradient that is not
  // finite must leave no trace in the method's state; an update that overflows
  // after them may, as long as the state stays finite.
  virtual StepReport Propose(BatchProblem<T>& problem,
                             const ScheduleFactors& factors,
                             std::span<T> update) = 0;
  virtual void PrepareState(const nn::Mlp<T>& net) = 0;
  // For a method that averages by itself: how much of the average is kept in
  // the n-th step that is applied, n counted from 1. The chain's ema goes
  // before it.
  [[nodiscard]] virtual std::optional<double> KeptInAverage(
      double /*n*/) const {
    return std::nullopt;
  }
  virtual void VisitMethodState(StateArchive& archive) = 0;

  [[nodiscard]] BatchProblem<T>& Problem() { return problem_; }
  [[nodiscard]] const BatchProblem<T>& Problem() const { return problem_; }

 private:
  void Limit(StepReport& report);
  void Apply(nn::Mlp<T>& net, StepReport& report);
  [[nodiscard]] bool Averages() const {
    return chain_.ema || KeptInAverage(1).has_value();
  }
  void Average(const nn::Mlp<T>& net);

  ChainOptions chain_;
  ChainState<T> chain_state_;
  std::optional<Index> training_size_;
  std::vector<nn::DenseSpec> prepared_for_;
  BatchProblem<T> problem_;
  AlignedVector<T> update_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_OPTIMIZER_H_
