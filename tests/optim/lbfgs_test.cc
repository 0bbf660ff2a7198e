// SPDX-License-Identifier: MIT
#include "sven/optim/lbfgs.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "sven/data/tasks.h"
#include "testing/optimizer_laws.h"
#include "testing/optimizers.h"
#include "testing/problems.h"

namespace sven::optim::lbfgs_test {
namespace {

using testing::GradientOf;
using testing::MakeProblem;
using testing::Problem;
using testing::RelativeError;
using testing::ToVector;
using testing::UsageErrorOf;

constexpr LineSearch kWolfe = LineSearch::kStrongWolfe;

template <class T>
void ExpectLeastSquaresSolution(double tolerance) {
  Problem<T> problem = MakeProblem<T>({.widths = {4, 1}, .batch = 30});
  Lbfgs<T> optimizer({.max_iter = 40,
                      .tolerance_grad = 0,
                      .tolerance_change = 0,
                      .line_search = kWolfe});
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(
        optimizer.Step(problem.net, problem.loss, problem.Batch()).Applied());
  }
  // [x 1] (w, b) = y
  Matrix<double> A(30, 5);
  A << problem.data.x.template cast<double>(), Matrix<double>::Ones(30, 1);
  const Vector<double> solution = A.colPivHouseholderQr().solve(
      problem.data.y.template cast<double>().col(0));
  EXPECT_LT(
      RelativeError(ToVector<T>(std::span<const T>(problem.net.Parameters())),
                    solution),
      tolerance);
}

TEST(Lbfgs, SolvesLinearLeastSquaresToTheOptimum) {
  ExpectLeastSquaresSolution<double>(1e-7);
  // The loss tells parameters apart to the root of its rounding.
  ExpectLeastSquaresSolution<float>(1e-3);
}

TEST(Lbfgs, AtTheOptimumNothingMoves) {
  Problem<double> problem = MakeProblem<double>({.widths = {4, 1}, .batch = 3});
  // More parameters than samples: the loss reaches zero.
  Lbfgs<double> optimizer({.max_iter = 100,
                           .max_eval = 1000,
                           .tolerance_change = 0,
                           .line_search = kWolfe});
  for (int step = 0; step < 3; ++step) {
    optimizer.Step(problem.net, problem.loss, problem.Batch());
  }
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kOk);
  EXPECT_EQ(report.update_norm, 0);
  EXPECT_LT(report.loss, 1e-13);
}

TEST(Lbfgs, WithALineSearchTheLossNeverRises) {
  for (const double rate : {1e-3, 1.0, 1e3, 1e30}) {
    Problem<float> problem = MakeProblem<float>({.batch = 20});
    Lbfgs<float> optimizer(
        {.learning_rate = rate, .max_iter = 4, .line_search = kWolfe});
    double loss = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 20; ++step) {
      const StepReport report =
          optimizer.Step(problem.net, problem.loss, problem.Batch());
      EXPECT_TRUE(report.Applied()) << rate;
      EXPECT_LE(report.loss, loss * (1 + 1e-6)) << rate;
      loss = report.loss;
    }
  }
}

TEST(Lbfgs, AStepOfTheLineSearchMeetsTheStrongWolfeConditions) {
  for (const double rate : {1e-6, 1e-2, 1.0, 1e2, 1e4}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      Problem<double> problem = MakeProblem<double>({.seed = seed});
      Lbfgs<double> optimizer(
          {.learning_rate = rate, .max_iter = 1, .line_search = kWolfe});
      for (int step = 0; step < 4; ++step) {
        const Vector<double> g = GradientOf(problem);
        const double before =
            optimizer.Step(problem.net, problem.loss, problem.Batch()).loss;
        const Vector<double> d = ToVector<double>(optimizer.Update());
        const double slope = g.dot(d);
        EXPECT_LT(slope, 0);
        EXPECT_LE(
            nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch()),
            before + 1e-4 * slope);
        EXPECT_LE(std::abs(GradientOf(problem).dot(d)), -0.9 * slope)
            << "rate " << rate << ", seed " << seed << ", step " << step;
      }
    }
  }
}

TEST(Lbfgs, OnMiniBatchesItEndsInAStatusAtTheWorst) {
  const auto task = data::MakeToy1d<double>({.train = 256, .validation = 1});
  int refused = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    nn::Mlp<double> net({1, 16, 16, 16, 1}, nn::Activation::kGelu, seed);
    data::BatchStream<double> stream(task.train, 16, seed);
    Lbfgs<double> optimizer;
    for (int epoch = 0; epoch < 5; ++epoch) {
      while (const auto batch = stream.Next()) {
        const StepReport report =
            optimizer.Step(net, nn::Loss::kSquaredError, *batch);
        refused += report.Applied() ? 0 : 1;
      }
    }
    for (const double value : net.Parameters()) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
  EXPECT_GT(refused, 0) << "nothing was tested";
}

TEST(Lbfgs, EvaluationsAndPairsStayWithinTheirLimits) {
  Problem<double> problem = MakeProblem<double>({.batch = 20});
  Lbfgs<double> fixed(
      {.learning_rate = 0.1, .max_iter = 10, .max_eval = 6, .history_size = 4});
  for (int step = 1; step <= 5; ++step) {
    fixed.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_EQ(fixed.State().counters.evaluations, 6 * step);
    EXPECT_LE(fixed.State().counters.pairs, 4);
    EXPECT_EQ(std::ssize(fixed.State().steps),
              fixed.State().counters.pairs * problem.net.NumParameters());
  }
  EXPECT_EQ(fixed.State().counters.pairs, 4);
  // Without max_eval 1.25 max_iter, so that max_iter decides.
  Lbfgs<double> standard({.learning_rate = 0.01, .max_iter = 4});
  standard.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(standard.State().counters.iterations, 4);
  EXPECT_EQ(standard.State().counters.evaluations, 4);
}

TEST(Lbfgs, AStepThatDivergesLeavesParametersAndStateAsTheyWere) {
  int refused = 0;
  for (const double factor : {3.0, 10.0, 30.0, 1e2, 1e4, 1e8, 1e30, 1e200}) {
    for (const Index history_size : {1, 3, 100}) {
      Problem<double> problem = MakeProblem<double>({.batch = 20});
      const Schedule schedule = {
          .kind = ScheduleKind::kStep, .every = 4, .factor = factor};
      Lbfgs<double> optimizer(
          {.learning_rate = 0.1, .max_iter = 9, .history_size = history_size},
          {.schedule = schedule});
      LbfgsState<double> state;
      for (int step = 0; step < 12; ++step) {
        state = optimizer.State();
        const nn::Mlp<double> before = problem.net;
        const StepReport report =
            optimizer.Step(problem.net, problem.loss, problem.Batch());
        if (report.Applied()) continue;
        ++refused;
        EXPECT_EQ(optimizer.State(), state) << factor;
        EXPECT_TRUE(
            std::ranges::equal(problem.net.Parameters(), before.Parameters()));
        EXPECT_EQ(report.update_norm, 0);
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Lbfgs, ALineSearchGoesBackFromALossThatIsNotFinite) {
  Problem<float> problem = MakeProblem<float>({.batch = 20});
  Lbfgs<float> optimizer({.learning_rate = 1e25, .line_search = kWolfe});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_TRUE(report.Applied());
  EXPECT_LE(nn::MeanLoss<float>(problem.net, problem.loss, problem.Batch()),
            report.loss);
}

TEST(Lbfgs, RefusesWhatItsPairsDoNotKnowOf) {
  const auto message = [](const ChainOptions& chain) {
    return UsageErrorOf([&] { Lbfgs<double>({}, chain); });
  };
  EXPECT_TRUE(message({.clip = 1}).starts_with("ChainOptions::clip = 1: "));
  EXPECT_TRUE(
      message({.max_update = 1}).starts_with("ChainOptions::max_update = 1: "));
  EXPECT_TRUE(message({.decoupled_decay = 1})
                  .starts_with("ChainOptions::decoupled_decay = 1: "));
  EXPECT_EQ(message({.ema = 0.5}), "no UsageError");
}

TEST(LbfgsOptions, EveryFieldOutOfRangeIsNamed) {
  const struct {
    LbfgsOptions options;
    std::string message;
  } table[] = {
      {{}, ""},
      {{.learning_rate = 0}, "lr = 0: must satisfy lr > 0"},
      {{.max_iter = 0}, "max_iter = 0: must satisfy max_iter >= 1"},
      {{.max_eval = 0}, "max_eval = 0: must satisfy max_eval >= 1"},
      {{.tolerance_grad = -1},
       "tolerance_grad = -1: must satisfy tolerance_grad >= 0"},
      {{.tolerance_change = -1},
       "tolerance_change = -1: must satisfy tolerance_change >= 0"},
      {{.history_size = 0},
       "history_size = 0: must satisfy 1 <= history_size <= 1000000"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(
        UsageErrorOf([&] { Lbfgs<double> trial(row.options); }),
        row.message.empty() ? "no UsageError" : "LbfgsOptions::" + row.message);
  }
}

}  // namespace
}  // namespace sven::optim::lbfgs_test
