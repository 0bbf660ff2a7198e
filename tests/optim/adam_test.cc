// SPDX-License-Identifier: MIT
//
// Adam and AdamW, which share their arithmetic. That it is PyTorch's is tested
// in parity_test.cc.
#include "sven/optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sven/optim/adamw.h"
#include "sven/optim/sgd.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::adam_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::UsageErrorOf;

// The gradient of the mean loss: plain descent at rate one.
Vector<double> GradientOf(Problem<double> problem) {
  Sgd<double> descent({.learning_rate = 1});
  descent.Step(problem.net, problem.loss, problem.Batch());
  return -ToVector<double>(descent.Update());
}

TEST(Adam, WithoutMeansItIsTheGradientOverItsSize) {
  Problem<double> problem = MakeProblem<double>({});
  Adam<double> optimizer(
      {.learning_rate = 0.01, .beta1 = 0, .beta2 = 0, .eps = 1e-3});
  for (int step = 0; step < 4; ++step) {
    const Vector<double> g = GradientOf(problem);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> expected =
        -0.01 * (g.array() / (g.array().abs() + 1e-3)).matrix();
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()), expected),
              1e-13);
  }
}

TEST(Adam, TheFirstStepIsTheSignOfTheGradientWhateverTheBetas) {
  for (const double beta : {0.1, 0.9, 0.999999}) {
    Problem<double> problem = MakeProblem<double>({});
    const Vector<double> g = GradientOf(problem);
    Adam<double> optimizer(
        {.learning_rate = 0.01, .beta1 = beta, .beta2 = beta, .eps = 1e-300});
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()),
                            -0.01 * g.cwiseSign()),
              1e-9);
  }
}

TEST(Adam, TheDenominatorOfAmsgradNeverSinks) {
  Problem<double> problem = MakeProblem<double>({});
  Adam<double> optimizer(
      {.learning_rate = 0.05, .beta2 = 0.5, .amsgrad = true});
  AlignedVector<double> before;
  bool square_sank = false;
  for (int step = 0; step < 30; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const AdamState<double>& state = optimizer.State();
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_GE(state.largest_square[i], before[i]);
      EXPECT_GE(state.largest_square[i], state.square[i]);
      square_sank |= state.square[i] < before[i];
    }
    before = state.largest_square;
  }
  EXPECT_TRUE(square_sank) << "nothing was tested";
}

TEST(Adam, AmsgradTakesItsMemoryOnlyWhenAsked) {
  Problem<double> problem = MakeProblem<double>({});
  Adam<double> optimizer;
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(optimizer.State().largest_square.empty());
  EXPECT_EQ(std::ssize(optimizer.State().mean), problem.net.NumParameters());
}

TEST(Adam, AParameterWithoutGradientStaysEvenIfEpsVanishesInFloat) {
  Problem<float> problem = MakeProblem<float>(
      {.widths = {2, 6, 1}, .activation = nn::Activation::kRelu});
  // A neuron that is off for all samples.
  problem.net.Parameters()[static_cast<std::size_t>(
      problem.net.Layers()[0].bias_offset)] = -1e6F;
  const float bias = -1e6F;
  Adam<float> optimizer({.eps = 1e-60});
  EXPECT_TRUE(
      optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  EXPECT_EQ(problem.net.Bias(0)[0], bias);
}

TEST(AdamW, WithoutDecayIsAdamBitForBit) {
  Problem<float> one = MakeProblem<float>({});
  Problem<float> two = one;
  Adam<float> adam({.amsgrad = true});
  AdamW<float> adamw({.weight_decay = 0, .amsgrad = true});
  for (int step = 0; step < 5; ++step) {
    adam.Step(one.net, one.loss, one.Batch());
    adamw.Step(two.net, two.loss, two.Batch());
  }
  EXPECT_TRUE(std::ranges::equal(one.net.Parameters(), two.net.Parameters()));
  EXPECT_EQ(adam.State(), adamw.State());
}

TEST(AdamW, ItsDecayIsTheDecoupledDecayOfTheChain) {
  Problem<double> one = MakeProblem<double>({});
  Problem<double> two = one;
  const Schedule schedule = {.kind = ScheduleKind::kStep, .every = 2};
  Adam<double> adam({.learning_rate = 0.02},
                    {.schedule = schedule, .decoupled_decay = 0.3});
  AdamW<double> adamw({.learning_rate = 0.02, .weight_decay = 0.3},
                      {.schedule = schedule});
  const Vector<double> start =
      ToVector<double>(std::span<const double>(one.net.Parameters()));
  for (int step = 0; step < 5; ++step) {
    adam.Step(one.net, one.loss, one.Batch());
    adamw.Step(two.net, two.loss, two.Batch());
  }
  const Vector<double> a =
      ToVector<double>(std::span<const double>(one.net.Parameters()));
  const Vector<double> b =
      ToVector<double>(std::span<const double>(two.net.Parameters()));
  EXPECT_LT((a - b).norm(), 1e-12 * (a - start).norm());
}

TEST(AdamW, RefusesASecondDecoupledDecay) {
  EXPECT_TRUE(UsageErrorOf([] {
                AdamW<double>({}, {.decoupled_decay = 0.1});
              }).starts_with("ChainOptions::decoupled_decay = 0.1: "));
}

TEST(AdamOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    AdamOptions options;
    std::string message;
  } table[] = {
      {{}, "no UsageError"},
      {{.learning_rate = 0}, "AdamOptions::lr = 0: must satisfy lr > 0"},
      {{.beta1 = 1}, "AdamOptions::beta1 = 1: must satisfy 0 <= beta1 < 1"},
      {{.beta2 = -0.5},
       "AdamOptions::beta2 = -0.5: must satisfy 0 <= beta2 < 1"},
      {{.eps = 0}, "AdamOptions::eps = 0: must satisfy eps > 0"},
      {{.weight_decay = -1},
       "AdamOptions::weight_decay = -1: must satisfy 0 <= weight_decay <= "
       "1000"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(UsageErrorOf([&] { Adam<double> adam(row.options); }),
              row.message);
  }
  EXPECT_EQ(UsageErrorOf([] { AdamW<double> adamw({.beta1 = 1}); }),
            "AdamWOptions::beta1 = 1: must satisfy 0 <= beta1 < 1");
}

}  // namespace
}  // namespace sven::optim::adam_test
