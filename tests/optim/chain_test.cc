// SPDX-License-Identifier: MIT
//
// What the chain does around a method, seen through SGD and Sven.
#include "sven/optim/chain.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sven/linalg/norm.h"
#include "sven/optim/lbfgs.h"
#include "sven/optim/min_sr.h"
#include "sven/optim/sgd.h"
#include "sven/optim/sven.h"
#include "testing/problems.h"

namespace sven::optim::chain_test {
namespace {

using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;

Vector<double> Parameters(const nn::Mlp<double>& net) {
  return ToVector<double>(net.Parameters());
}

Vector<double> Step(Optimizer<double>& optimizer, Problem<double>& problem) {
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kOk);
  const Vector<double> update = ToVector<double>(optimizer.Update());
  EXPECT_NEAR(report.update_norm, update.norm(), 1e-14 * update.norm());
  return update;
}

Vector<double> Gradient(const Problem<double>& problem) {
  Problem<double> copy = problem;
  Sgd<double> sgd({.learning_rate = 1});
  return -Step(sgd, copy);
}

TEST(Chain, SchedulesTheLearningRateOfEveryStep) {
  Problem<double> problem = MakeProblem<double>({});
  const Schedule schedule{
      .kind = ScheduleKind::kStep, .warmup = 2, .every = 1, .factor = 0.5};
  Sgd<double> optimizer({.learning_rate = 0.1}, {.schedule = schedule});
  for (const double factor : {0.5, 1.0, 1.0, 0.5, 0.25}) {
    const Vector<double> g = Gradient(problem);
    EXPECT_LT(RelativeError(Step(optimizer, problem),
                            Vector<double>(-0.1 * factor * g)),
              1e-14);
  }
}

TEST(Chain, ARateOfZeroIsAZeroStepAndNotAnError) {
  Problem<double> problem = MakeProblem<double>({});
  const ChainOptions chain{
      .schedule = {.kind = ScheduleKind::kCosine, .steps = 1}};
  for (const double momentum : {0.0, 0.9}) {
    Sven<double> optimizer({.momentum = {.momentum = momentum}}, chain);
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> before = Parameters(problem.net);
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_EQ(report.status, StepStatus::kOk);
    EXPECT_EQ(report.update_norm, 0);
    EXPECT_EQ(Parameters(problem.net), before);
  }
}

TEST(Chain, SchedulesLambdaKAndRtol) {
  const Problem<double> problem = MakeProblem<double>({.batch = 6});
  const Schedule doubling{.kind = ScheduleKind::kStep, .every = 1, .factor = 2};
  const auto second_step = [&](Optimizer<double>& optimizer) {
    Problem<double> copy = problem;
    Problem<double> scratch = problem;
    optimizer.Step(scratch.net, scratch.loss, scratch.Batch());
    return Step(optimizer, copy);
  };
  const auto first_step = [&](Optimizer<double>& optimizer) {
    Problem<double> copy = problem;
    return Step(optimizer, copy);
  };
  MinSr<double> damped({.lambda = 0.1}, {.lambda_schedule = doubling});
  MinSr<double> twice({.lambda = 0.2});
  EXPECT_LT(RelativeError(second_step(damped), first_step(twice)), 1e-13);
  Sven<double> ranked({.truncation = {.k = 2, .rtol = 0}},
                      {.k_schedule = doubling});
  Sven<double> four({.truncation = {.k = 4, .rtol = 0}});
  EXPECT_LT(RelativeError(second_step(ranked), first_step(four)), 1e-13);
  Sven<double> cut({.truncation = {.rtol = 0.1}}, {.rtol_schedule = doubling});
  Sven<double> more({.truncation = {.rtol = 0.2}});
  EXPECT_LT(RelativeError(second_step(cut), first_step(more)), 1e-13);
  // A cut-off stays below one: the largest is kept.
  const Schedule huge{.kind = ScheduleKind::kStep, .every = 1, .factor = 1e9};
  Sven<double> one({.truncation = {.rtol = 0.1}}, {.rtol_schedule = huge});
  Sven<double> largest({.truncation = {.k = 1}});
  EXPECT_LT(RelativeError(second_step(one), first_step(largest)), 1e-13);
}

TEST(Chain, ClipsTheGradientAsTorchDoes) {
  Problem<double> problem = MakeProblem<double>({});
  const Vector<double> g = Gradient(problem);
  Problem<double> copy = problem;
  Sgd<double> tight({.learning_rate = 1}, {.clip = g.norm() / 4});
  EXPECT_LT(
      RelativeError(Step(tight, copy),
                    Vector<double>(-g * (g.norm() / 4) / (g.norm() + 1e-6))),
      1e-14);
  Sgd<double> loose({.learning_rate = 1}, {.clip = 4 * g.norm()});
  EXPECT_LT(RelativeError(Step(loose, problem), Vector<double>(-g)), 1e-14);
}

TEST(Chain, LimitsTheNormOfTheUpdate) {
  Problem<double> problem = MakeProblem<double>({});
  Problem<double> copy = problem;
  Sven<double> free_step;
  const Vector<double> update = Step(free_step, copy);
  Sven<double> limited({}, {.max_update = update.norm() / 3});
  EXPECT_LT(RelativeError(Step(limited, problem), Vector<double>(update / 3)),
            1e-14);
}

TEST(Chain, DecaysBesideTheUpdateAndNotWhatIsFrozen) {
  Problem<double> problem = MakeProblem<double>({});
  problem.net.Freeze(1);
  Problem<double> copy = problem;
  Sven<double> plain({.learning_rate = 0.2});
  const Vector<double> update = Step(plain, copy);
  Sven<double> decaying({.learning_rate = 0.2}, {.decoupled_decay = 0.3});
  const Vector<double> p = Parameters(problem.net);
  const Vector<double> got = Step(decaying, problem);
  const nn::DenseLayer& frozen = problem.net.Layers()[1];
  for (Index i = 0; i < got.size(); ++i) {
    const bool held =
        i >= frozen.weight_offset && i < frozen.weight_offset + frozen.Size();
    EXPECT_NEAR(got[i], held ? 0 : update[i] - 0.06 * p[i], 1e-14);
  }
}

TEST(Chain, TheLimitComesBeforeTheDecay) {
  Problem<double> problem = MakeProblem<double>({});
  const Vector<double> p = Parameters(problem.net);
  Problem<double> copy = problem;
  Sgd<double> limited({.learning_rate = 1}, {.max_update = 1e-3});
  const Vector<double> update = Step(limited, copy);
  Sgd<double> both({.learning_rate = 1},
                   {.max_update = 1e-3, .decoupled_decay = 0.5});
  EXPECT_LT(
      RelativeError(Step(both, problem), Vector<double>(update - 0.5 * p)),
      1e-14);
}

TEST(Chain, AveragesTheWeightsForEvaluation) {
  Problem<double> problem = MakeProblem<double>({});
  Sgd<double> optimizer({.learning_rate = 0.1}, {.ema = 0.6});
  EXPECT_EQ(optimizer.EvaluationParameters(problem.net).data(),
            problem.net.Parameters().data());
  Vector<double> average;
  for (int n = 1; n <= 20; ++n) {
    Step(optimizer, problem);
    const double kept = n == 1 ? 0 : std::min(0.6, n / (n + 9.0));
    const Vector<double> p = Parameters(problem.net);
    average = n == 1 ? p : Vector<double>(kept * average + (1 - kept) * p);
    EXPECT_LT(RelativeError(
                  ToVector<double>(optimizer.EvaluationParameters(problem.net)),
                  average),
              1e-14);
  }
}

TEST(Chain, AStepThatIsNotAppliedLeavesTheAverage) {
  Problem<double> problem = MakeProblem<double>({});
  Sgd<double> optimizer({.learning_rate = 0.1}, {.ema = 0.6});
  Step(optimizer, problem);
  const ChainState<double> before = optimizer.StateOfChain();
  problem.data.y(0, 0) = std::numeric_limits<double>::quiet_NaN();
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kNonFiniteResidual);
  EXPECT_EQ(optimizer.StateOfChain().average, before.average);
  EXPECT_EQ(optimizer.StateOfChain().applied, 1);
  EXPECT_EQ(optimizer.StateOfChain().steps, 2);
}

TEST(Chain, AnOverflowingUpdateIsNotApplied) {
  Problem<float> problem = MakeProblem<float>({});
  Sgd<float> optimizer({.learning_rate = 1e38}, {.max_update = 1e-3});
  for (float& value : problem.net.Parameters()) value *= 100;
  const std::vector<float> before(problem.net.Parameters().begin(),
                                  problem.net.Parameters().end());
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kNonFiniteStep);
  EXPECT_TRUE(std::equal(before.begin(), before.end(),
                         problem.net.Parameters().begin()));
}

template <class Method, class Options>
std::string Refusal(const Options& options, const ChainOptions& chain) {
  try {
    const Method method(options, chain);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ChainOptions, EveryFieldOutOfRangeIsNamedWithItsValue) {
  const auto message = [](const ChainOptions& chain) {
    return Refusal<Sgd<double>>(SgdOptions{}, chain);
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.clip = 0}),
            "ChainOptions::clip = 0: must satisfy clip > 0");
  EXPECT_EQ(message({.max_update = -1}),
            "ChainOptions::max_update = -1: must satisfy max_update > 0");
  EXPECT_EQ(
      message({.decoupled_decay = -1}),
      "ChainOptions::decoupled_decay = -1: must satisfy decoupled_decay >= 0");
  EXPECT_EQ(message({.ema = 1}),
            "ChainOptions::ema = 1: must satisfy 0 <= ema < 1");
  EXPECT_EQ(message({.schedule = {.kind = ScheduleKind::kCosine}}),
            "ChainOptions::schedule = cosine: needs the whole number of steps; "
            "write cosine:steps=...");
  EXPECT_EQ(message({.schedule = {.factor = -1}}),
            "ChainOptions::schedule::factor = -1: must satisfy factor > 0");
}

TEST(ChainOptions, PartsThatDoNotGoWithAMethodAreRefused) {
  const Schedule step{.kind = ScheduleKind::kStep};
  EXPECT_EQ(Refusal<Sgd<double>>(SgdOptions{}, {.lambda_schedule = step}),
            "ChainOptions::lambda_schedule = step: this method has no setting "
            "lambda");
  EXPECT_EQ(Refusal<MinSr<double>>(MinSrOptions{}, {.k_schedule = step}),
            "ChainOptions::k_schedule = step: this method has no setting k");
  EXPECT_EQ(Refusal<Sven<double>>(SvenOptions{}, {.k_schedule = step}),
            "ChainOptions::k_schedule = step: needs a number k to start from; "
            "set k");
  EXPECT_NE(Refusal<Sven<double>>(SvenOptions{}, {.clip = 1.0})
                .find("ChainOptions::clip = 1: this method does not follow"),
            std::string::npos);
  EXPECT_NE(Refusal<Lbfgs<double>>(LbfgsOptions{}, {.max_update = 1.0})
                .find("ChainOptions::max_update = 1: what this method"),
            std::string::npos);
  const Schedule vanishing{.kind = ScheduleKind::kCosine, .steps = 10};
  EXPECT_EQ(
      Refusal<MinSr<double>>(MinSrOptions{}, {.lambda_schedule = vanishing}),
      "ChainOptions::lambda_schedule = cosine:steps=10: the damping must stay "
      "positive; set start > 0 and end > 0");
}

TEST(Optimizer, BelongsToTheNetworkOfItsFirstStep) {
  Problem<double> one = MakeProblem<double>({});
  Problem<double> other = MakeProblem<double>({.widths = {2, 3, 1}});
  Sgd<double> optimizer;
  optimizer.Step(one.net, one.loss, one.Batch());
  EXPECT_THROW(optimizer.Step(other.net, other.loss, other.Batch()),
               std::logic_error);
}

}  // namespace
}  // namespace sven::optim::chain_test
