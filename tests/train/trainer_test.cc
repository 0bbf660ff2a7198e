// SPDX-License-Identifier: MIT
#include "sven/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sven/data/tasks.h"
#include "sven/optim/sgd.h"
#include "sven/optim/sven.h"
#include "sven/train/checkpoint.h"
#include "testing/files.h"
#include "testing/optimizers.h"

namespace sven::train::trainer_test {
namespace {

using sven::testing::DataErrorOf;

// A small regression: 70 samples, so that the last of the batches of 16 is
// smaller.
struct Problem {
  data::Task<double> task =
      data::MakeToy1d<double>({.train = 70, .validation = 40, .seed = 3});
  nn::Mlp<double> net{{1, 6, 1}, nn::Activation::kTanh, /*seed=*/5};
  nn::Loss loss = nn::Loss::kSquaredError;
  TrainOptions options = {.epochs = 3, .batch_size = 16, .shuffle_seed = 9};

  Trainer<double> MakeTrainer(optim::Optimizer<double>& optimizer) {
    return {net,    optimizer, loss, task.train.All(), task.validation.All(),
            options};
  }
};

std::unique_ptr<optim::Optimizer<double>> Make(const char* name) {
  return optim::ChooseOptimizer("", name).Make<double>();
}

std::vector<double> Parameters(const nn::Mlp<double>& net) {
  return {net.Parameters().begin(), net.Parameters().end()};
}

TEST(Trainer, DoesWhatAPlainLoopDoes) {
  Problem problem;
  nn::Mlp<double> plain = problem.net;
  const auto optimizer = Make("adam");
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  const RunSummary summary = trainer.Run();

  const auto twin = Make("adam");
  data::BatchStream<double> stream(problem.task.train, 16, 9);
  std::vector<double> batch_losses;
  for (int epoch = 0; epoch < 3; ++epoch) {
    double sum = 0;
    while (const auto batch = stream.Next()) {
      sum += twin->Step(plain, problem.loss, *batch).loss *
             static_cast<double>(batch->Size());
    }
    batch_losses.push_back(sum / 70);
  }
  EXPECT_EQ(Parameters(problem.net), Parameters(plain));
  EXPECT_EQ(summary.status, RunStatus::kCompleted);
  EXPECT_EQ(summary.steps, 15);  // 5 batches an epoch
  EXPECT_NEAR(summary.final_validation.loss,
              nn::MeanLoss(plain, problem.loss, problem.task.validation.All()),
              1e-15);
  EXPECT_NEAR(summary.final_train.loss,
              nn::MeanLoss(plain, problem.loss, problem.task.train.All()),
              1e-15);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(trainer.State().epochs[i].batch_loss, batch_losses[i], 1e-15);
  }
}

// Stops a training after so many steps.
class StopAt : public TrainObserver {
 public:
  explicit StopAt(Index step) : step_(step) {}
  void OnStep(const TrainProgress& progress, const StepReport&) override {
    stop_ = progress.step >= step_;
  }
  bool WantsStop() override { return stop_; }

 private:
  Index step_;
  bool stop_ = false;
};

// Everything but times.
std::vector<EpochRecord> WithoutTimes(std::vector<EpochRecord> records) {
  for (EpochRecord& record : records) {
    record.seconds = 0;
    record.evaluation_seconds = 0;
    record.phases = {};
  }
  return records;
}

TEST(Trainer, GoesOnFromACheckpointBitForBitAfterAnyStep) {
  for (const auto& choice : sven::testing::EveryOptimizerWithMemory()) {
    Problem whole;
    whole.options.validate_every = 4;
    whole.options.keep = Keep::kBest;
    const auto optimizer = choice.Make<double>();
    Trainer<double> uninterrupted = whole.MakeTrainer(*optimizer);
    uninterrupted.Run();
    for (const Index stop : {1, 4, 5, 7, 10, 14}) {
      Problem first = Problem();
      first.options = whole.options;
      const auto first_optimizer = choice.Make<double>();
      Trainer<double> trainer = first.MakeTrainer(*first_optimizer);
      StopAt observer(stop);
      trainer.AddObserver(observer);
      EXPECT_EQ(trainer.Run().status, RunStatus::kInterrupted);
      data::SafetensorsFile file;
      AppendCheckpoint(trainer, file);

      Problem second;
      second.options = whole.options;
      const auto second_optimizer = choice.Make<double>();
      Trainer<double> resumed = second.MakeTrainer(*second_optimizer);
      RestoreCheckpoint(file, "checkpoint", resumed);
      resumed.Run();
      EXPECT_EQ(Parameters(second.net), Parameters(whole.net))
          << choice.Info().name << " stopped at " << stop;
      EXPECT_TRUE(std::ranges::equal(resumed.Result(), uninterrupted.Result()));
      const auto text = [](Trainer<double>& t) {
        std::string all;
        for (const auto& record : WithoutTimes(t.State().epochs)) {
          all += FormatRecord(record) + "\n";
        }
        return all;
      };
      EXPECT_EQ(text(resumed), text(uninterrupted)) << choice.Info().name;
    }
  }
}

TEST(Trainer, SpectrumIsTheMeanOverTheStepsThatKeptAValue) {
  Problem problem;
  problem.options.epochs = 1;
  optim::Sven<double> optimizer(
      {.truncation = {.k = 6, .rtol = 1e-3}, .spectrum = true});
  Trainer<double> trainer = problem.MakeTrainer(optimizer);
  class Collect : public TrainObserver {
   public:
    void OnStep(const TrainProgress&, const StepReport& report) override {
      reports.push_back(report);
    }
    std::vector<StepReport> reports;
  } collect;
  trainer.AddObserver(collect);
  trainer.Run();
  const EpochRecord& record = trainer.State().epochs.front();
  double kept = 0;
  for (const StepReport& report : collect.reports) {
    kept += static_cast<double>(report.kept) / 5;
  }
  EXPECT_NEAR(record.kept, kept, 1e-12);
  for (std::size_t i = 0; i < record.spectrum.size(); ++i) {
    double sum = 0;
    double count = 0;
    for (const StepReport& report : collect.reports) {
      if (static_cast<std::size_t>(report.kept) <= i) continue;
      sum += report.singular_values[i] / report.singular_values[0];
      ++count;
    }
    EXPECT_GT(count, 0);
    EXPECT_NEAR(record.spectrum[i], sum / count, 1e-15) << i;
  }
  EXPECT_EQ(record.spectrum[0], 1);
}

TEST(Trainer, TellsTheOptimizerHowManySamplesThereAre) {
  Problem problem;
  const auto optimizer = Make("sven-adaptive");
  EXPECT_FALSE(optimizer->TrainingSize());
  problem.MakeTrainer(*optimizer).Run();
  EXPECT_EQ(optimizer->TrainingSize(), 70);
}

TEST(Trainer, StopsAtTheTargetLoss) {
  Problem problem;
  problem.options = {.epochs = 1000, .batch_size = 16, .target_loss = 0.9};
  const auto optimizer = Make("sven");
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  const RunSummary summary = trainer.Run();
  EXPECT_EQ(summary.status, RunStatus::kTargetLoss);
  EXPECT_LE(summary.best_validation_loss, 0.9);
  EXPECT_LT(summary.epochs, 1000);
}

TEST(Trainer, PatienceCountsValidationsWithoutImprovement) {
  Problem problem;
  // A rate at which nothing changes.
  optim::Sgd<double> optimizer({.learning_rate = 1e-300});
  problem.options = {.epochs = 50, .batch_size = 16, .patience = 4};
  Trainer<double> trainer = problem.MakeTrainer(optimizer);
  const RunSummary summary = trainer.Run();
  EXPECT_EQ(summary.status, RunStatus::kEarlyStopped);
  EXPECT_EQ(summary.epochs, 5);  // the first one is the best
  EXPECT_EQ(summary.best_epoch, 1);
}

TEST(Trainer, SaysWhenOnlyRoundingIsLeftAndStopsIfAsked) {
  // A linear model of linear data is exact after a step or two.
  Problem problem;
  problem.net = nn::Mlp<double>({1, 1}, nn::Activation::kIdentity, 1);
  problem.task.train.y = 2 * problem.task.train.x;
  for (const bool stop : {false, true}) {
    nn::Mlp<double> net = problem.net;
    problem.options = {
        .epochs = 30, .batch_size = 16, .stop_at_rounding = stop};
    optim::Sven<double> optimizer(
        {.learning_rate = 1, .conditions = optim::Conditions::kOutputs});
    Trainer<double> trainer(net, optimizer, problem.loss,
                            problem.task.train.All(), {}, problem.options);
    const RunSummary summary = trainer.Run();
    EXPECT_GT(summary.rounding_since_epoch, 0);
    EXPECT_EQ(summary.status,
              stop ? RunStatus::kRounding : RunStatus::kCompleted);
    EXPECT_EQ(summary.epochs, stop ? summary.rounding_since_epoch + 3 : 30);
  }
}

TEST(Trainer, WeightsAreValidatedOnceAtTheEndOfAnEpoch) {
  Problem problem;  // 5 steps an epoch
  problem.options = {
      .epochs = 6, .batch_size = 16, .validate_every = 5, .patience = 1};
  const auto optimizer = Make("sgd");
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  EXPECT_EQ(trainer.Run().status, RunStatus::kCompleted);
  EXPECT_TRUE(trainer.State().validations.empty());
}

TEST(Trainer, TimeLimitEndsWithTheLossOfTheWeightsAtThatMoment) {
  Problem problem;
  problem.options = {.epochs = 1000000, .batch_size = 16, .time_limit = 1e-3};
  const auto optimizer = Make("sgd");
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  const RunSummary summary = trainer.Run();
  EXPECT_EQ(summary.status, RunStatus::kTimeLimit);
  EXPECT_NEAR(
      summary.final_validation.loss,
      nn::MeanLoss(problem.net, problem.loss, problem.task.validation.All()),
      1e-15);
}

TEST(Trainer, DivergenceIsAResultWithItsStep) {
  Problem problem;
  optim::Sgd<double> optimizer({.learning_rate = 1e200});
  problem.options = {.epochs = 100, .batch_size = 16};
  Trainer<double> trainer = problem.MakeTrainer(optimizer);
  const RunSummary summary = trainer.Run();
  EXPECT_EQ(summary.status, RunStatus::kDiverged);
  EXPECT_GT(summary.diverged_at_step, 0);
  EXPECT_LE(summary.diverged_at_step, summary.steps);
  for (const double p : problem.net.Parameters()) EXPECT_TRUE(std::isfinite(p));
}

TEST(Trainer, KeepsTheBestWeightsIfAsked) {
  Problem problem;
  problem.options = {.epochs = 8, .batch_size = 16, .keep = Keep::kBest};
  // So large a rate that the loss goes up and down.
  optim::Sgd<double> optimizer({.learning_rate = 0.5});
  Trainer<double> trainer = problem.MakeTrainer(optimizer);
  const RunSummary summary = trainer.Run();
  nn::Mlp<double> best = problem.net;
  std::ranges::copy(trainer.Result(), best.Parameters().begin());
  EXPECT_NEAR(nn::MeanLoss(best, problem.loss, problem.task.validation.All()),
              summary.best_validation_loss, 1e-15);
  double lowest = std::numeric_limits<double>::infinity();
  for (const EpochRecord& record : trainer.State().epochs) {
    lowest = std::min(lowest, record.validation.loss);
  }
  EXPECT_EQ(summary.best_validation_loss, lowest);
}

TEST(Trainer, AveragedWeightsAreThoseThatAreEvaluated) {
  Problem problem;
  auto choice = optim::ChooseOptimizer("", "sgd");
  choice.Set("", "ema", "0.9");
  const auto optimizer = choice.Make<double>();
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  const RunSummary summary = trainer.Run();
  nn::Mlp<double> averaged = problem.net;
  std::ranges::copy(trainer.Result(), averaged.Parameters().begin());
  EXPECT_NE(Parameters(averaged), Parameters(problem.net));
  EXPECT_NEAR(
      nn::MeanLoss(averaged, problem.loss, problem.task.validation.All()),
      summary.final_validation.loss, 1e-15);
}

TEST(Trainer, WithoutValidationTheTrainingLossTakesItsPlace) {
  Problem problem;
  const auto optimizer = Make("sgd");
  Trainer<double> trainer(problem.net, *optimizer, problem.loss,
                          problem.task.train.All(), {}, problem.options);
  const RunSummary summary = trainer.Run();
  EXPECT_EQ(summary.final_validation.loss, summary.final_train.loss);
}

TEST(Trainer, RefusesWrongOptionsAndData) {
  Problem problem;
  const auto optimizer = Make("sgd");
  problem.options.epochs = 0;
  EXPECT_THROW(problem.MakeTrainer(*optimizer), UsageError);
  problem.options = {.batch_size = 0};
  EXPECT_THROW(problem.MakeTrainer(*optimizer), UsageError);
  problem.options = {};
  problem.loss = nn::Loss::kCrossEntropy;
  EXPECT_THROW(problem.MakeTrainer(*optimizer), DataError);
}

TEST(Checkpoint, RefusesWhatDoesNotFitNamingTheTensor) {
  Problem problem;
  const auto optimizer = Make("adam");
  Trainer<double> trainer = problem.MakeTrainer(*optimizer);
  trainer.Run();
  data::SafetensorsFile good;
  AppendCheckpoint(trainer, good);
  const auto error_with = [&](const std::string& name,
                              const data::Tensor& tensor) {
    data::SafetensorsFile file = good;
    for (auto& entry : file.tensors) {
      if (entry.first == name) entry.second = tensor;
    }
    Problem other;
    const auto fresh = Make("adam");
    Trainer<double> target = other.MakeTrainer(*fresh);
    return DataErrorOf([&] { RestoreCheckpoint(file, "c", target); });
  };
  const auto whole = [](std::int64_t value) {
    return data::Tensor::From<std::int64_t>(std::span(&value, 1), {});
  };
  EXPECT_NE(error_with("train.position", whole(71)).find("train.position"),
            std::string::npos);
  EXPECT_NE(error_with("train.epoch", whole(-1)).find("train.epoch"),
            std::string::npos);
  EXPECT_NE(error_with("train.sums.ratios.size", whole(1L << 60))
                .find("train.sums.ratios"),
            std::string::npos);
  EXPECT_NE(error_with("0.weight", whole(1)).find("0.weight"),
            std::string::npos);
  data::SafetensorsFile bare = good;
  std::erase_if(bare.tensors, [](const auto& entry) {
    return entry.first == "train.records";
  });
  Problem other;
  const auto fresh = Make("adam");
  Trainer<double> target = other.MakeTrainer(*fresh);
  EXPECT_NE(DataErrorOf([&] {
              RestoreCheckpoint(bare, "c", target);
            }).find("'train.records'"),
            std::string::npos);
}

TEST(Evaluator, BlocksGiveTheMeanOverAllAndTheShareOfRightOnes) {
  const Index n = 1100;  // more than two blocks
  RandomStream random(1, RandomUse::kData);
  data::Dataset<double> data;
  data.x.resize(n, 2);
  for (Index a = 0; a < n; ++a) {
    data.x.row(a) << random.Normal(), random.Normal();
    data.labels.push_back(random.Below(3));
  }
  const nn::Mlp<double> net({2, 4, 3}, nn::Activation::kRelu, 1);
  const Metrics metrics =
      Evaluator<double>().Evaluate(net, nn::Loss::kCrossEntropy, data.All());
  EXPECT_NEAR(metrics.loss,
              nn::MeanLoss(net, nn::Loss::kCrossEntropy, data.All()), 1e-13);
  const Matrix<double> outputs = net.Predict(View(data.x));
  double right = 0;
  for (Index a = 0; a < n; ++a) {
    const Index label = data.labels[static_cast<std::size_t>(a)];
    if (outputs.row(a).maxCoeff() == outputs(a, label)) ++right;
  }
  EXPECT_EQ(*metrics.accuracy, right / static_cast<double>(n));
}

}  // namespace
}  // namespace sven::train::trainer_test
