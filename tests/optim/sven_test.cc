// SPDX-License-Identifier: MIT
#include "sven/optim/sven.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sven/data/optimizer_state.h"
#include "sven/optim/sgd.h"
#include "testing/decompositions.h"
#include "testing/references.h"
#include "testing/tolerances.h"

namespace sven::optim::sven_test {
namespace {

using testing::DenseStep;
using testing::FiniteDifferenceJacobian;
using testing::MakeProblem;
using testing::Problem;
using testing::ProblemSpec;
using testing::RelativeError;
using testing::Rounding;
using testing::ToVector;

template <class T>
Vector<double> Parameters(const nn::Mlp<T>& net) {
  return ToVector<T>(net.Parameters());
}

// The update of one step at learning rate one.
template <class T>
Vector<double> UpdateOf(Problem<T> problem, SvenOptions options,
                        StepReport* report = nullptr) {
  options.learning_rate = 1;
  Sven<T> optimizer(options);
  const StepReport result =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  if (report != nullptr) *report = result;
  return ToVector<T>(optimizer.Update());
}

// Conditions R = (group sums of losses)^(kappa/2) at theta, from scratch.
Vector<double> PlainConditions(const Problem<double>& problem,
                               const Vector<double>& theta, double kappa,
                               Index micro_batch) {
  const Vector<double> l = testing::PlainLosses(problem, theta);
  Vector<double> R =
      Vector<double>::Zero((l.size() + micro_batch - 1) / micro_batch);
  for (Index a = 0; a < l.size(); ++a) R[a / micro_batch] += l[a];
  return R.array().pow(kappa / 2);
}

TEST(Sven, EqualsTheDenseStepOnAFiniteDifferenceJacobian) {
  std::uint64_t seed = 1;
  for (const nn::Loss::Kind loss :
       {nn::Loss::kSquaredError, nn::Loss::kLabelRegression,
        nn::Loss::kCrossEntropy, nn::Loss::kHuber}) {
    for (const double kappa : {0.5, 1.0, 2.0}) {
      for (const Index micro_batch : {1, 3}) {
        const Problem<double> problem = MakeProblem<double>(
            {.widths = {3, 5, 4, 2}, .batch = 8, .loss = loss, .seed = seed++});
        const Vector<double> theta = Parameters(problem.net);
        const auto conditions = [&](const Vector<double>& at) {
          return PlainConditions(problem, at, kappa, micro_batch);
        };
        const Matrix<double> M = FiniteDifferenceJacobian(conditions, theta);
        const double rtol = 1e-2;
        const Vector<double> expected =
            DenseStep(M, conditions(theta), 4, rtol);
        for (const core::Road road : {core::Road::kGram, core::Road::kDense}) {
          const Vector<double> update =
              UpdateOf(problem, {.truncation = {.k = 4, .rtol = rtol},
                                 .kappa = kappa,
                                 .micro_batch = micro_batch,
                                 .road = road});
          EXPECT_LT(RelativeError(update, expected), 1e-6)
              << Name(loss) << " kappa " << kappa << " micro " << micro_batch;
        }
      }
    }
  }
}

TEST(Sven, SignedResidualsGiveTheSameStepAsTheSquareRootOfTheLoss) {
  const Problem<double> problem = MakeProblem<double>({.batch = 6});
  const Vector<double> theta = Parameters(problem.net);
  const auto conditions = [&](const Vector<double>& at) {
    return PlainConditions(problem, at, 1.0, 1);
  };
  const Vector<double> expected = DenseStep(
      FiniteDifferenceJacobian(conditions, theta), conditions(theta), {}, 1e-3);
  EXPECT_LT(RelativeError(UpdateOf(problem, {.kappa = 1}), expected), 1e-6);
}

TEST(Sven, KappaOneIsTheFullAndKappaTwoHalfTheGaussNewtonStep) {
  // One output, squared error, full row rank, no truncation.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem<double> problem =
        MakeProblem<double>({.widths = {3, 12, 1}, .batch = 6, .seed = seed});
    const Vector<double> theta = Parameters(problem.net);
    const auto outputs = [&](const Vector<double>& at) -> Vector<double> {
      nn::Mlp<double> net = problem.net;
      std::copy(at.begin(), at.end(), net.Parameters().begin());
      return net.Predict(View(problem.data.x)).col(0);
    };
    const Matrix<double> J = FiniteDifferenceJacobian(outputs, theta);
    const Vector<double> r = outputs(theta) - problem.data.y.col(0);
    const Vector<double> gauss_newton = DenseStep(J, r, {}, 0);
    const SvenOptions one{.truncation = {.rtol = 0}, .kappa = 1};
    const SvenOptions two{.truncation = {.rtol = 0}, .kappa = 2};
    EXPECT_LT(RelativeError(UpdateOf(problem, one), gauss_newton), 1e-6);
    EXPECT_LT(
        RelativeError(UpdateOf(problem, two), 0.5 * UpdateOf(problem, one)),
        1e-8);
  }
}

// A linear model: one layer, no activation.
Problem<double> LinearProblem(Index inputs, Index batch) {
  return MakeProblem<double>({.widths = {inputs, 1}, .batch = batch});
}

TEST(Sven, ALinearModelIsSolvedInOneStep) {
  Problem<double> problem = LinearProblem(10, 6);
  Sven<double> optimizer({.learning_rate = 1, .kappa = 1});
  const double before =
      optimizer.Step(problem.net, problem.loss, problem.Batch()).loss;
  const double after =
      optimizer.Step(problem.net, problem.loss, problem.Batch()).loss;
  EXPECT_LT(after, 1e-24 * before);
}

TEST(Sven, TheResidualOfALinearModelDecaysByTheLearningRate) {
  const double eta = 0.3;
  Problem<double> problem = LinearProblem(10, 6);
  Sven<double> optimizer({.learning_rate = eta, .kappa = 1});
  const auto residual = [&]() -> Vector<double> {
    return problem.net.Predict(View(problem.data.x)).col(0) -
           problem.data.y.col(0);
  };
  const Vector<double> start = residual();
  for (int t = 1; t <= 20; ++t) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_LT((residual() - std::pow(1 - eta, t) * start).norm(),
              Rounding<double>(10) * start.norm());
  }
}

TEST(Sven, UnderParametrisedItIsTheNaturalGradient) {
  // B > N with full column rank: (M^T M)^-1 M^T R.
  const Problem<double> problem =
      MakeProblem<double>({.widths = {2, 3, 1}, .batch = 60});
  const Vector<double> theta = Parameters(problem.net);
  const auto losses = [&](const Vector<double>& at) {
    return testing::PlainLosses(problem, at);
  };
  const Matrix<double> M = FiniteDifferenceJacobian(losses, theta);
  const Matrix<double> metric = M.transpose() * M;
  const Vector<double> expected =
      -testing::SolvePlain(metric, M.transpose() * losses(theta));
  StepReport report;
  const Vector<double> update =
      UpdateOf(problem, {.truncation = {.rtol = 0}}, &report);
  EXPECT_EQ(report.road, core::Road::kDense);
  EXPECT_EQ(report.kept, 13);
  EXPECT_LT(RelativeError(update, expected), 1e-4);
}

TEST(Sven, OneMicroBatchOfTheWholeBatchHasTheDirectionOfSgd) {
  for (const ProblemSpec& spec :
       {ProblemSpec{.batch = 8}, ProblemSpec{.widths = {3, 6, 4},
                                 .batch = 8,
                                 .loss = nn::Loss::kCrossEntropy}}) {
    const Problem<double> problem = MakeProblem<double>(spec);
    const Vector<double> sven =
        UpdateOf(problem, {.kappa = 1, .micro_batch = 8});
    Problem<double> copy = problem;
    Sgd<double> sgd;
    sgd.Step(copy.net, copy.loss, copy.Batch());
    const Vector<double> gradient = ToVector<double>(sgd.Update());
    EXPECT_LT((sven.normalized() - gradient.normalized()).norm(),
              Rounding<double>(10));
  }
}

TEST(Sven, AMicroBatchLargerThanTheBatchIsTheWholeBatch) {
  const Problem<double> problem = MakeProblem<double>({.batch = 5});
  EXPECT_EQ(UpdateOf(problem, {.micro_batch = 100}),
            UpdateOf(problem, {.micro_batch = 5}));
}

TEST(Sven, AMaskOfAllIsNoMask) {
  Problem<double> problem = MakeProblem<double>({});
  const Vector<double> expected = UpdateOf(problem, {});
  Sven<double> optimizer({.learning_rate = 1});
  nn::ParameterSelection selection;
  selection.SelectMask(
      problem.net.Layers(),
      std::vector<std::uint8_t>(std::size_t(problem.net.NumParameters()), 1));
  optimizer.Step(problem.net, problem.loss, problem.Batch(), selection);
  EXPECT_EQ(ToVector<double>(optimizer.Update()), expected);
}

TEST(Sven, AFractionOfOneOfAnythingIsEverything) {
  const Problem<double> problem = MakeProblem<double>({});
  const Vector<double> expected = UpdateOf(problem, {});
  for (const ParameterBatch kind :
       {ParameterBatch::kParameters, ParameterBatch::kNeurons,
        ParameterBatch::kLayers}) {
    EXPECT_EQ(UpdateOf(problem, {.parameter_batch = kind}), expected);
  }
}

TEST(Sven, ParameterBatchesMoveTheirShareAndDifferFromStepToStep) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {2, 10, 10, 1}, .batch = 4});
  const Index N = problem.net.NumParameters();
  Sven<double> optimizer({.learning_rate = 1e-3,
                          .parameter_batch = ParameterBatch::kParameters,
                          .fraction = 0.3});
  Vector<double> last = Vector<double>::Zero(N);
  for (int step = 0; step < 5; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
    const Vector<double> update = ToVector<double>(optimizer.Update());
    const Vector<double> moved = (update.array() != 0).cast<double>();
    EXPECT_EQ(moved.sum(), std::round(0.3 * double(N)));
    EXPECT_NE(moved, last);
    last = moved;
  }
}

TEST(Sven, NeuronsMoveWithTheirWholeRowAndBias) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {2, 10, 1}, .batch = 4});
  Sven<double> optimizer({.learning_rate = 1e-3,
                          .parameter_batch = ParameterBatch::kNeurons,
                          .fraction = 0.4});
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  int neurons = 0;
  for (const nn::DenseLayer& layer : problem.net.Layers()) {
    for (Index i = 0; i < layer.out; ++i) {
      int moved = optimizer.Update()[layer.bias_offset + i] != 0 ? 1 : 0;
      for (Index j = 0; j < layer.in; ++j) {
        moved +=
            optimizer.Update()[layer.weight_offset + i * layer.in + j] != 0;
      }
      EXPECT_TRUE(moved == 0 || moved == layer.in + 1);
      neurons += moved > 0;
    }
  }
  EXPECT_EQ(neurons, std::lround(0.4 * 11));
}

TEST(Sven, MasksMicroBatchesAndKappaCombine) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {2, 6, 2}, .batch = 7});
  const Index N = problem.net.NumParameters();
  std::vector<std::uint8_t> mask(std::size_t(N), 0);
  for (Index i = 0; i < N; i += 3) mask[i] = 1;
  const auto conditions = [&](const Vector<double>& at) {
    return PlainConditions(problem, at, 1.5, 2);
  };
  const Vector<double> theta = Parameters(problem.net);
  Matrix<double> M = FiniteDifferenceJacobian(conditions, theta);
  for (Index i = 0; i < N; ++i) {
    if (mask[i] == 0) M.col(i).setZero();
  }
  const Vector<double> expected = DenseStep(M, conditions(theta), {}, 1e-2);
  for (const core::Road road : {core::Road::kGram, core::Road::kDense}) {
    Problem<double> copy = problem;
    Sven<double> optimizer({.learning_rate = 1,
                            .truncation = {.rtol = 1e-2},
                            .kappa = 1.5,
                            .micro_batch = 2,
                            .road = road});
    nn::ParameterSelection selection;
    selection.SelectMask(copy.net.Layers(), mask);
    optimizer.Step(copy.net, copy.loss, copy.Batch(), selection);
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()), expected),
              1e-6);
  }
}

TEST(Sven, FrozenLayersDoNotMove) {
  Problem<double> problem = MakeProblem<double>({});
  problem.net.Freeze(1);
  const Vector<double> before = Parameters(problem.net);
  Sven<double> optimizer;
  optimizer.Step(problem.net, problem.loss, problem.Batch());
  const Vector<double> change = Parameters(problem.net) - before;
  const nn::DenseLayer& frozen = problem.net.Layers()[1];
  EXPECT_TRUE(change.segment(frozen.weight_offset, frozen.Size()).isZero(0));
  EXPECT_GT(change.norm(), 0);
}

TEST(Sven, WithEverythingFrozenTheStepIsZeroWithAStatus) {
  Problem<double> problem = MakeProblem<double>({});
  for (Index l = 0; l < problem.net.NumLayers(); ++l) problem.net.Freeze(l);
  for (const ParameterBatch kind :
       {ParameterBatch::kAll, ParameterBatch::kParameters,
        ParameterBatch::kNeurons, ParameterBatch::kLayers}) {
    Sven<double> optimizer({.parameter_batch = kind});
    EXPECT_EQ(optimizer.Step(problem.net, problem.loss, problem.Batch()).status,
              StepStatus::kRankZero);
  }
}

TEST(Sven, AZeroResidualContributesNoNan) {
  for (const double kappa : {0.5, 1.0, 1.5, 2.0}) {
    for (const Index outputs : {1, 2}) {
      Problem<double> problem =
          MakeProblem<double>({.widths = {2, 4, outputs}, .batch = 5});
      problem.data.y.row(2) = problem.net.Predict(View(problem.data.x)).row(2);
      Sven<double> optimizer({.kappa = kappa});
      EXPECT_EQ(
          optimizer.Step(problem.net, problem.loss, problem.Batch()).status,
          StepStatus::kOk);
    }
  }
}

TEST(Sven, NanAndInfinityLeaveTheParametersAsTheyWere) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e200}) {
    Problem<double> problem = MakeProblem<double>({});
    problem.data.x(3, 1) = bad;
    const Vector<double> before = Parameters(problem.net);
    Sven<double> optimizer;
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_NE(report.status, StepStatus::kOk);
    EXPECT_EQ(Parameters(problem.net), before);
    EXPECT_EQ(report.update_norm, 0);
  }
}

TEST(Sven, FloatFollowsDouble) {
  const ProblemSpec spec{.widths = {3, 16, 16, 1}, .batch = 16};
  for (const double rtol : {1e-3, 1e-2}) {
    const SvenOptions options{.truncation = {.k = 8, .rtol = rtol}};
    EXPECT_LT(RelativeError(UpdateOf(MakeProblem<float>(spec), options),
                            UpdateOf(MakeProblem<double>(spec), options)),
              1e-3);
  }
}

TEST(Sven, TheSameSeedGivesTheSameBits) {
  const auto run = [] {
    Problem<float> problem = MakeProblem<float>({.batch = 9});
    Sven<float> optimizer({.parameter_batch = ParameterBatch::kParameters,
                           .fraction = 0.5,
                           .seed = 5});
    for (int i = 0; i < 10; ++i) {
      optimizer.Step(problem.net, problem.loss, problem.Batch());
    }
    return Parameters(problem.net);
  };
  EXPECT_EQ(run(), run());
}

TEST(Sven, AStateThatIsRestoredContinuesBitForBit) {
  Problem<double> problem = MakeProblem<double>({.batch = 9});
  const SvenOptions options{.parameter_batch = ParameterBatch::kNeurons,
                            .fraction = 0.5};
  Sven<double> first(options);
  for (int i = 0; i < 3; ++i) {
    first.Step(problem.net, problem.loss, problem.Batch());
  }
  Problem<double> copy = problem;
  Sven<double> second(options);
  EXPECT_NE(second.State(), first.State());
  data::SafetensorsFile file;
  data::AppendOptimizerState<double>(first, file);
  data::RestoreOptimizerState<double>(file, "state", copy.net, second);
  for (int i = 0; i < 3; ++i) {
    first.Step(problem.net, problem.loss, problem.Batch());
    second.Step(copy.net, copy.loss, copy.Batch());
  }
  EXPECT_EQ(Parameters(copy.net), Parameters(problem.net));
  EXPECT_EQ(second.State(), first.State());
}

TEST(SvenOptions, EveryFieldOutOfRangeIsNamedWithItsValue) {
  const auto message = [](const SvenOptions& options) -> std::string {
    try {
      Sven<double> optimizer(options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.learning_rate = 0}).find("SvenOptions::lr = 0: must"),
            0U);
  EXPECT_EQ(message({.learning_rate = kNan}).find("SvenOptions::lr = nan"), 0U);
  EXPECT_EQ(message({.truncation = {.k = 0}}),
            "SvenOptions::k = 0: must satisfy k >= 1");
  EXPECT_EQ(message({.truncation = {.rtol = -1}}),
            "SvenOptions::rtol = -1: must satisfy 0 <= rtol < 1");
  EXPECT_EQ(message({.truncation = {.rtol = 1}}),
            "SvenOptions::rtol = 1: must satisfy 0 <= rtol < 1");
  EXPECT_EQ(message({.kappa = 0}).find("SvenOptions::kappa = 0: must"), 0U);
  EXPECT_EQ(message({.micro_batch = 0}),
            "SvenOptions::microbatch = 0: must satisfy microbatch >= 1");
  EXPECT_EQ(
      message({.parameter_batch = ParameterBatch::kLayers, .fraction = 0}),
      "SvenOptions::fraction = 0: must satisfy 0 < fraction <= 1");
  EXPECT_EQ(
      message({.parameter_batch = ParameterBatch::kLayers, .fraction = 1.1}),
      "SvenOptions::fraction = 1.1: must satisfy 0 < fraction <= 1");
  EXPECT_NE(message({.fraction = 0.5}).find("parameter_batch is all"),
            std::string::npos);
  EXPECT_EQ(message({.randomised = {.oversampling = -1}}),
            "SvenOptions::oversampling = -1: must satisfy oversampling >= 0");
  EXPECT_EQ(
      message({.randomised = {.power_iterations = -1}}),
      "SvenOptions::power_iterations = -1: must satisfy power_iterations >= 0");
}

TEST(SvenOptions, DefaultsAreThePapers) {
  const SvenOptions options;
  EXPECT_EQ(options.kappa, 2);
  EXPECT_EQ(options.truncation.rtol, 1e-3);
  EXPECT_EQ(options.micro_batch, 1);
  EXPECT_EQ(options.fraction, 1);
  EXPECT_EQ(options.randomised.oversampling, 5);
  EXPECT_EQ(options.randomised.power_iterations, 1);
}

}  // namespace
}  // namespace sven::optim::sven_test
