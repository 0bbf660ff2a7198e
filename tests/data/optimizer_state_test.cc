// SPDX-License-Identifier: MIT
#include "sven/data/optimizer_state.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/files.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::data::optimizer_state_test {
namespace {

using testing::DataErrorOf;
using testing::EveryOptimizer;
using testing::EveryOptimizerWithMemory;
using testing::MakeProblem;
using testing::Problem;
using testing::StateOf;

template <class T>
Problem<T> SmallProblem() {
  return MakeProblem<T>({.batch = 24});
}

// Steps on batches of 8, from number `first` on.
template <class T>
void Advance(Problem<T>& problem, optim::Optimizer<T>& optimizer, Index first,
             Index count) {
  const nn::Batch<T> all = problem.Batch();
  for (Index step = first; step < first + count; ++step) {
    const Index row = 8 * (step % 3);
    const nn::Batch<T> batch = {
        .x = {all.x.data() + row * all.x.cols(), 8, all.x.cols()},
        .y = {all.y.data() + row * all.y.cols(), 8, all.y.cols()},
        .labels = all.labels.subspan(row, 8)};
    optimizer.Step(problem.net, problem.loss, batch);
  }
}

template <class T>
void ExpectContinuation(const optim::OptimizerChoice& choice) {
  const std::string name(choice.Info().name);
  Problem<T> problem = SmallProblem<T>();
  const auto optimizer = choice.Make<T>();
  Advance<T>(problem, *optimizer, 0, 7);

  const SafetensorsFile saved =
      ParseSafetensors(FormatSafetensors(StateOf(*optimizer)), "saved");
  Problem<T> restored = problem;
  const auto other = choice.Make<T>();
  RestoreOptimizerState<T>(saved, "saved", restored.net, *other);
  EXPECT_EQ(StateOf(*other), saved) << name;

  Advance<T>(problem, *optimizer, 7, 5);
  Advance<T>(restored, *other, 7, 5);
  EXPECT_TRUE(
      std::ranges::equal(problem.net.Parameters(), restored.net.Parameters()))
      << name;
  EXPECT_TRUE(std::ranges::equal(optimizer->EvaluationParameters(problem.net),
                                 other->EvaluationParameters(restored.net)))
      << name;
  EXPECT_EQ(StateOf(*optimizer), StateOf(*other)) << name;
}

TEST(OptimizerState, RestoredItContinuesBitForBit) {
  for (const auto& choices : {EveryOptimizer(), EveryOptimizerWithMemory()}) {
    for (const optim::OptimizerChoice& choice : choices) {
      ExpectContinuation<float>(choice);
      ExpectContinuation<double>(choice);
    }
  }
}

TEST(OptimizerState, MattersToTheNextSteps) {
  // Without its state an optimizer that remembers goes elsewhere.
  for (const char* name : {"adam", "lbfgs", "lion"}) {
    const auto choice = optim::ChooseOptimizer("test", name);
    Problem<double> problem = SmallProblem<double>();
    const auto optimizer = choice.Make<double>();
    Advance<double>(problem, *optimizer, 0, 7);
    Problem<double> fresh = problem;
    Advance<double>(problem, *optimizer, 7, 5);
    Advance<double>(fresh, *choice.Make<double>(), 7, 5);
    EXPECT_FALSE(
        std::ranges::equal(problem.net.Parameters(), fresh.net.Parameters()))
        << name;
  }
}

TEST(OptimizerState, BeforeTheFirstStepIsRestoredToo) {
  for (const optim::OptimizerChoice& choice : EveryOptimizerWithMemory()) {
    Problem<double> problem = SmallProblem<double>();
    const auto optimizer = choice.Make<double>();
    optimizer->Prepare(problem.net);
    const SafetensorsFile saved = StateOf(*optimizer);
    const auto other = choice.Make<double>();
    RestoreOptimizerState<double>(saved, "saved", problem.net, *other);
    EXPECT_EQ(StateOf(*other), saved) << choice.Info().name;
  }
}

// What the reader says to a saved state after `damage`, for every tensor of
// every optimizer that `concerns`: it must name the file and the tensor.
template <class Concerns, class Damage>
void ExpectRefusal(const Concerns& concerns, const Damage& damage,
                   const std::string& what) {
  Index tried = 0;
  for (const optim::OptimizerChoice& choice : EveryOptimizerWithMemory()) {
    Problem<double> problem = SmallProblem<double>();
    const auto optimizer = choice.Make<double>();
    Advance<double>(problem, *optimizer, 0, 4);
    const SafetensorsFile saved = StateOf(*optimizer);
    for (std::size_t i = 0; i < saved.tensors.size(); ++i) {
      const std::string name = saved.tensors[i].first;
      if (!concerns(saved.tensors[i].second)) continue;
      SafetensorsFile damaged = saved;
      damage(damaged, i);
      const std::string message = DataErrorOf([&] {
        const auto other = choice.Make<double>();
        RestoreOptimizerState<double>(damaged, "old.safetensors", problem.net,
                                      *other);
      });
      EXPECT_TRUE(
          message.starts_with("old.safetensors: tensor '" + name + "' " + what))
          << choice.Info().name << ": " << message;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0);
}

bool Any(const Tensor& /*tensor*/) { return true; }
bool IsInteger(const Tensor& tensor) {
  return tensor.dtype == DType::kI64 && tensor.shape.empty();
}
bool IsStream(const Tensor& tensor) {
  return tensor.dtype == DType::kI64 && !tensor.shape.empty();
}

TEST(OptimizerState, AMissingTensorIsNamed) {
  ExpectRefusal(
      Any,
      [](SafetensorsFile& file, std::size_t i) {
        file.tensors.erase(file.tensors.begin() +
                           static_cast<std::ptrdiff_t>(i));
      },
      "is missing");
}

TEST(OptimizerState, AWrongShapeIsNamed) {
  ExpectRefusal(
      Any,
      [](SafetensorsFile& file, std::size_t i) {
        Tensor& tensor = file.tensors[i].second;
        const Index size = tensor.Size() + 1;
        tensor.bytes.resize(
            static_cast<std::size_t>(size * ByteSize(tensor.dtype)));
        tensor.shape = {size};
      },
      "is ");
}

TEST(OptimizerState, AWrongTypeIsNamed) {
  ExpectRefusal(
      Any,
      [](SafetensorsFile& file, std::size_t i) {
        Tensor& tensor = file.tensors[i].second;
        tensor = Tensor::From<float>(tensor.Values<float>(), tensor.shape);
      },
      "is F32");
}

TEST(OptimizerState, AnImpossibleIntegerIsNamedWithItsValue) {
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max()}) {
    ExpectRefusal(
        IsInteger,
        [&](SafetensorsFile& file, std::size_t i) {
          file.tensors[i].second = Tensor::From<std::int64_t>({&value, 1}, {});
        },
        "has the value " + std::to_string(value));
  }
}

TEST(OptimizerState, ImpossibleWordsOfAStreamAreRefused) {
  ExpectRefusal(
      IsStream,
      [](SafetensorsFile& file, std::size_t i) {
        const std::vector<std::int64_t> words(RandomStream::kStateWords, -1);
        file.tensors[i].second =
            Tensor::From<std::int64_t>(words, {std::ssize(words)});
      },
      "is not the state of a random stream");
}

TEST(OptimizerState, OfAnotherNetworkIsRefused) {
  Problem<double> problem = SmallProblem<double>();
  const Problem<double> other = MakeProblem<double>({.widths = {2, 3, 1}});
  const auto choice = optim::ChooseOptimizer("test", "adam");
  const auto optimizer = choice.Make<double>();
  Advance<double>(problem, *optimizer, 0, 2);
  const SafetensorsFile saved = StateOf(*optimizer);
  EXPECT_TRUE(DataErrorOf([&] {
                RestoreOptimizerState<double>(saved, "a", other.net,
                                              *choice.Make<double>());
              }).starts_with("a: tensor 'optimizer.mean' is F64 ["));
}

TEST(OptimizerState, MorePairsThanTheHistoryHoldsAreRefused) {
  Problem<double> problem = SmallProblem<double>();
  auto choice = optim::ChooseOptimizer("test", "lbfgs");
  const auto optimizer = choice.Make<double>();
  Advance<double>(problem, *optimizer, 0, 1);
  SafetensorsFile saved = StateOf(*optimizer);
  choice.Set("test", "history_size", "2");
  EXPECT_TRUE(DataErrorOf([&] {
                RestoreOptimizerState<double>(saved, "a", problem.net,
                                              *choice.Make<double>());
              }).starts_with("a: tensor 'optimizer.pairs' has the value "));
}

}  // namespace
}  // namespace sven::data::optimizer_state_test
