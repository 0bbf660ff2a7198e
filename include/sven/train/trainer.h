// SPDX-License-Identifier: MIT
//
// Trains a network on a data set with any optimizer:
//
//   train::Trainer<float> trainer(net, *optimizer, loss, task.train.All(),
//                                 task.validation.All(), {.epochs = 20});
//   train::RunSummary summary = trainer.Run();
//
// An epoch goes through the training part once, in batches; at its end the
// network is evaluated on both parts. Everything that a later step depends on
// is in the state, which can be saved after any step and restored: the training
// then goes on bit for bit as if it had not been stopped.
#ifndef SVEN_TRAIN_TRAINER_H_
#define SVEN_TRAIN_TRAINER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sven/base/fields.h"
#include "sven/base/stopwatch.h"
#include "sven/data/dataset.h"
#include "sven/nn/loss.h"
#include "sven/optim/optimizer.h"
#include "sven/train/evaluate.h"
#include "sven/train/records.h"

namespace sven::train {

// Which weights are the result.
enum class Keep {
  kLast,
  kBest,  // of the lowest validation loss
};

struct TrainOptions {
  Index epochs = 20;
  // The last batch of an epoch may be smaller.
  Index batch_size = 32;
  bool shuffle = true;
  std::uint64_t shuffle_seed = 51159;  // the paper's published configuration
  // Steps between validations besides those at the end of each epoch.
  std::optional<Index> validate_every = std::nullopt;
  // Stops once the validation loss has not become lower in this many
  // validations in a row.
  std::optional<Index> patience = std::nullopt;
  // Stops once nothing but rounding is left to gain (rounding.h).
  bool stop_at_rounding = false;
  // Stops once the validation loss is at or below this.
  std::optional<double> target_loss = std::nullopt;
  // Seconds of wall time, over all sessions of a resumed training.
  std::optional<double> time_limit = std::nullopt;
  Keep keep = Keep::kLast;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"epochs",
                "passes through the training data",
                {.low = 1, .high = 1e9}},
          self.epochs);
    visit(Field{"batch_size",
                "samples per step (by default 64 for mnist and fashion-mnist)",
                {.low = 1}},
          self.batch_size);
    visit(Field{"shuffle", "a new random order each epoch"}, self.shuffle);
    visit(Field{"shuffle_seed", "seed of the order"}, self.shuffle_seed);
    visit(Field{"validate_every",
                "validate every so many steps too, not only after an epoch",
                {.low = 1}},
          self.validate_every);
    visit(Field{"patience",
                "stop after so many validations without improvement",
                {.low = 1}},
          self.patience);
    visit(Field{"stop_at_rounding",
                "stop once nothing but rounding is left to gain"},
          self.stop_at_rounding);
    visit(Field{"target_loss", "stop at this validation loss", {.low = 0}},
          self.target_loss);
    visit(Field{"time_limit",
                "stop after so many seconds",
                {.low = 0, .low_open = true}},
          self.time_limit);
    visit(Field{"keep", "which weights become the model"}, self.keep);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

// Where a training is.
struct TrainProgress {
  Index epoch = 0;  // complete ones
  Index epochs = 0;
  Index step = 0;  // done
  Index steps_per_epoch = 0;
  double train_seconds = 0;  // without evaluation
  double total_seconds = 0;  // all, over all sessions
};

// Watches a training. Called after the step or the epoch is complete, so that
// the trainer can be saved from here.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void OnStep(const TrainProgress& /*progress*/,
                      const StepReport& /*report*/) {}
  virtual void OnValidation(const TrainProgress& /*progress*/,
                            const ValidationRecord& /*record*/) {}
  virtual void OnEpoch(const TrainProgress& /*progress*/,
                       const EpochRecord& /*record*/) {}
  // Asked after every step; the training then ends as interrupted.
  [[nodiscard]] virtual bool WantsStop() { return false; }
};

// Sums over the steps of an epoch.
struct EpochSums {
  Index samples = 0;
  Index steps = 0;
  Index refused = 0;
  double loss = 0;  // times samples
  double learning_rate = 0;
  double update_norm = 0;
  double evaluation_seconds = 0;
  core::PhaseSeconds phases = {};
  // Of s_i / s_1 over the steps in which s_i was kept, and their number.
  Index spectra = 0;
  double kept = 0;
  AlignedVector<double> ratios = {};
  AlignedVector<double> ratio_counts = {};
};

// Everything besides network and optimizer.
template <class T>
struct TrainState {
  explicit TrainState(const data::BatchPosition& start) : position(start) {}

  Index epoch = 0;  // complete ones
  Index step = 0;   // done
  data::BatchPosition position;
  EpochSums sums = {};
  double train_seconds = 0;
  double total_seconds = 0;
  std::optional<Metrics> initial_validation = std::nullopt;
  // The lowest validation loss so far.
  std::optional<double> best_loss = std::nullopt;
  Index best_epoch = 0;
  Index since_best = 0;                   // validations
  AlignedVector<T> best_parameters = {};  // for Keep::kBest
  // The last steps in a row that came out with NaN or infinity.
  Index not_finite = 0;
  std::optional<Index> diverged_at = std::nullopt;
  std::vector<EpochRecord> epochs = {};
  std::vector<ValidationRecord> validations = {};
};

template <class T>
class Trainer {
 public:
  // All of it, and what the batches show, must outlive the trainer. Without a
  // sample for validation the loss of the training part takes its place. Throws
  // a UsageError for wrong options, a DataError for data that do not fit the
  // network and the loss.
  Trainer(nn::Mlp<T>& net, optim::Optimizer<T>& optimizer, const nn::Loss& loss,
          const nn::Batch<T>& train, const nn::Batch<T>& validation,
          const TrainOptions& options);

  // Must live as long as the trainer runs.
  void AddObserver(TrainObserver& observer) { observers_.push_back(&observer); }

  // Trains to the end, or until an observer wants to stop. Called again after
  // that it goes on.
  RunSummary Run();

  [[nodiscard]] TrainProgress Progress() const;
  [[nodiscard]] const TrainOptions& Options() const { return options_; }
  // The state, after a step or an epoch, when observers are called; and a state
  // from there put back, along with network and optimizer.
  [[nodiscard]] const TrainState<T>& State();
  void SetState(const TrainState<T>& state);

  [[nodiscard]] Index NumSamples() const { return train_.Size(); }
  [[nodiscard]] nn::Mlp<T>& Net() { return net_; }
  [[nodiscard]] optim::Optimizer<T>& Optimizer() { return optimizer_; }

  // The weights that are the result so far.
  [[nodiscard]] std::span<const T> Result() const;

  // Nothing while it is not over.
  [[nodiscard]] std::optional<RunStatus> Finished() const;
  [[nodiscard]] RunSummary Summary(RunStatus status) const;

 private:
  void TrainStep(const nn::Batch<T>& batch);
  void Account(const StepReport& report, Index samples);
  void EndEpoch();
  void ValidateBetween();
  void NoteValidation(const Metrics& metrics);
  [[nodiscard]] Metrics Evaluate(const nn::Batch<T>& data);
  [[nodiscard]] Metrics EvaluateValidation(const Metrics& train);
  void UpdateClock();
  [[nodiscard]] bool AskedToStop() const;

  nn::Mlp<T>& net_;
  optim::Optimizer<T>& optimizer_;
  nn::Loss loss_;
  nn::Batch<T> train_;
  nn::Batch<T> validation_;
  TrainOptions options_;
  data::BatchStream<T> stream_;
  TrainState<T> state_;
  double rounding_loss_;
  std::vector<TrainObserver*> observers_;
  Evaluator<T> evaluator_;
  nn::Mlp<T> evaluated_;  // with the weights to evaluate with, where others
  // Of both parts, where a training ended in the middle of an epoch.
  std::optional<std::pair<Metrics, Metrics>> final_;
  Stopwatch clock_;  // since the state's total_seconds was up to date
};

}  // namespace sven::train

template <>
struct sven::EnumNames<sven::train::Keep> {
  static constexpr std::pair<std::string_view, train::Keep> kTable[] = {
      {"last", train::Keep::kLast},
      {"best", train::Keep::kBest},
  };
};

#endif  // SVEN_TRAIN_TRAINER_H_
