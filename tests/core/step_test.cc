// SPDX-License-Identifier: MIT
#include "sven/core/step.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <tuple>

#include "sven/core/dense_linearization.h"
#include "testing/decompositions.h"
#include "testing/references.h"
#include "testing/solve_dense.h"
#include "testing/tolerances.h"

namespace sven::core::step_test {
namespace {

using testing::DenseStep;
using testing::RandomMatrix;
using testing::RandomVector;
using testing::RelativeError;
using testing::Rounding;
using testing::Shape;
using testing::Solve;

// M with the singular values s.
Matrix<double> WithSpectrum(Index rows, Index cols, const Vector<double>& s,
                            std::uint64_t seed) {
  const Matrix<double> U = testing::ThinQ(RandomMatrix(rows, s.size(), seed));
  const Matrix<double> V =
      testing::ThinQ(RandomMatrix(cols, s.size(), seed + 1));
  return U * s.asDiagonal() * V.transpose();
}

class ShapeTest : public ::testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(All, ShapeTest,
                         ::testing::Values(Shape{1, 1}, Shape{1, 9},
                                           Shape{9, 1}, Shape{5, 20},
                                           Shape{20, 5}, Shape{8, 8},
                                           Shape{32, 100}, Shape{33, 40},
                                           Shape{64, 70}, Shape{100, 30}),
                         [](const auto& shape) {
                           return "B" + std::to_string(shape.param.B) + "N" +
                                  std::to_string(shape.param.N);
                         });

TEST_P(ShapeTest, EveryRoadGivesTheMinimumNormLeastSquaresStep) {
  const auto [B, N] = GetParam();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix<double> M = RandomMatrix(B, N, seed);
    const Vector<double> R = RandomVector(B, seed + 100);
    const Vector<double> expected = DenseStep(M, R, {}, 1e-4);
    for (const Road road : {Road::kAuto, Road::kGram, Road::kDense}) {
      const auto [delta, report] =
          Solve(M, R, {.weighting = PseudoInverse{.rtol = 1e-4}, .road = road});
      EXPECT_EQ(report.status, StepStatus::kOk);
      EXPECT_EQ(report.kept, std::min(B, N));
      // K squares the condition number, which stays below 1e3 here or is cut.
      EXPECT_LT(RelativeError(delta, expected), Rounding<double>(1e6))
          << Name(road);
      EXPECT_NEAR(report.update_norm, delta.norm(),
                  Rounding<double>() * delta.norm());
    }
  }
}

TEST_P(ShapeTest, TheRandomisedRoadIsExactWhenItSeesEveryDirection) {
  const auto [B, N] = GetParam();
  const Matrix<double> M = RandomMatrix(B, N, 3);
  const Vector<double> R = RandomVector(B, 4);
  const Index k = std::min(B, N);
  const StepOptions options{.weighting = PseudoInverse{.k = k, .rtol = 1e-6},
                            .road = Road::kRandomised};
  const auto [delta, report] = Solve(M, R, options);
  EXPECT_EQ(report.road, Road::kRandomised);
  EXPECT_LT(RelativeError(delta, DenseStep(M, R, k, 1e-6)),
            Rounding<double>(1e6));
}

TEST_P(ShapeTest, TheUntruncatedStepSatisfiesThePenroseIdentities) {
  const auto [B, N] = GetParam();
  const Matrix<double> M = RandomMatrix(B, N, 5);
  for (const Road road : {Road::kGram, Road::kDense}) {
    // Column b of M^+ is minus the step for R = e_b.
    Matrix<double> inverse(N, B);
    for (Index b = 0; b < B; ++b) {
      inverse.col(b) =
          -Solve(M, Vector<double>::Unit(B, b),
                 {.weighting = PseudoInverse{.rtol = 1e-5}, .road = road})
               .delta;
    }
    const Matrix<double> MX = M * inverse;
    const Matrix<double> XM = inverse * M;
    const double tolerance = Rounding<double>(1e6);
    EXPECT_LT((MX * M - M).norm() / M.norm(), tolerance);
    EXPECT_LT((XM * inverse - inverse).norm() / inverse.norm(), tolerance);
    EXPECT_LT((MX - MX.transpose()).norm(), tolerance);
    EXPECT_LT((XM - XM.transpose()).norm(), tolerance);
  }
}

TEST(SvenStep, AtFullRowRankEveryResidualIsRemoved) {
  const Matrix<double> M = RandomMatrix(12, 40, 1);
  const Vector<double> R = RandomVector(12, 2);
  const auto [delta, report] = Solve(M, R, {});
  EXPECT_LT((M * delta + R).norm(), Rounding<double>(1e2) * R.norm());
  EXPECT_NEAR(report.predicted_decrease, R.squaredNorm(),
              Rounding<double>(1e2) * R.squaredNorm());
}

TEST(SvenStep, TheLearningRateScalesTheStep) {
  const Matrix<double> M = RandomMatrix(6, 10, 1);
  const Vector<double> R = RandomVector(6, 2);
  const Vector<double> full = Solve(M, R, {}).delta;
  const Vector<double> part = Solve(M, R, {.learning_rate = 0.3}).delta;
  EXPECT_LT(RelativeError(part, 0.3 * full), Rounding<double>());
}

TEST(SvenStep, PredictedDecreaseIsThatOfTheLinearModelForEveryWeighting) {
  const Matrix<double> M = RandomMatrix(9, 6, 1);
  const Vector<double> R = RandomVector(9, 2);
  for (const Weighting& weighting :
       {Weighting(PseudoInverse{.k = 4}), Weighting(Tikhonov{.lambda = 0.5}),
        Weighting(SmoothCutoff{.eps = 0.1}), Weighting(PowerInverse{})}) {
    for (const Road road : {Road::kGram, Road::kDense}) {
      for (const bool spectrum : {false, true}) {
        const auto [delta, report] = Solve(M, R,
                                           {.learning_rate = 0.7,
                                            .weighting = weighting,
                                            .road = road,
                                            .spectrum = spectrum});
        const double expected = R.squaredNorm() - (R + M * delta).squaredNorm();
        EXPECT_NEAR(report.predicted_decrease, expected,
                    Rounding<double>(1e3) * R.squaredNorm());
      }
    }
  }
}

TEST(SvenStep, LeavesOutDirectionsThatAreNotWorthIt) {
  const Vector<double> s{{8.0, 4.0, 2.0, 1.0}};
  const Matrix<double> M = WithSpectrum(4, 9, s, 1);
  const Eigen::JacobiSVD<Matrix<double>> svd(M, Eigen::ComputeThinU);
  // Shares of |R|^2: 0.5, 0.41, 0.08, 0.01.
  const Vector<double> b{
      {std::sqrt(0.5), std::sqrt(0.41), std::sqrt(0.08), std::sqrt(0.01)}};
  const Vector<double> R = svd.matrixU() * b;
  for (const Road road : {Road::kGram, Road::kDense}) {
    const auto solve = [&](double min_gain) {
      return Solve(
          M, R,
          {.weighting = PseudoInverse{.min_gain = min_gain}, .road = road});
    };
    EXPECT_EQ(solve(0).report.kept, 4);
    EXPECT_EQ(solve(0.02).report.kept, 3);
    EXPECT_EQ(solve(0.1).report.kept, 2);
    EXPECT_LT(
        RelativeError(
            solve(0.1).delta,
            Solve(M, R, {.weighting = PseudoInverse{.k = 2}, .road = road})
                .delta),
        Rounding<double>(1e2));
    EXPECT_NEAR(solve(0.1).report.predicted_decrease, 0.91, 1e-12);
  }
}

TEST(SvenStep, TruncationDropsExactlyWhatTheRuleSays) {
  const Vector<double> s{{8.0, 4.0, 2.0, 1.0, 0.5}};
  const Matrix<double> M = WithSpectrum(5, 12, s, 1);
  const Vector<double> R = RandomVector(5, 2);
  const auto kept = [&](std::optional<Index> k, double rtol, Road road) {
    return Solve(
               M, R,
               {.weighting = PseudoInverse{.k = k, .rtol = rtol}, .road = road})
        .report.kept;
  };
  for (const Road road : {Road::kGram, Road::kDense}) {
    // s_4 / s_1 = 1/8: just above and just below.
    EXPECT_EQ(kept({}, 0.125 * (1 - 1e-9), road), 4);
    EXPECT_EQ(kept({}, 0.125 * (1 + 1e-9), road), 3);
    EXPECT_EQ(kept(2, 0.0, road), 2);
    EXPECT_EQ(kept(2, 0.4, road), 2);
    EXPECT_EQ(kept(4, 0.4, road), 2);
    EXPECT_EQ(kept(100, 0.0, road), 5);
  }
}

TEST(SvenStep, TheReportNamesTheSpectrum) {
  const Vector<double> s{{8.0, 4.0, 2.0, 1.0, 0.5}};
  const Matrix<double> M = WithSpectrum(5, 12, s, 1);
  const Vector<double> R = RandomVector(5, 2);
  for (const Road road : {Road::kGram, Road::kDense}) {
    const StepReport report = Solve(M, R,
                                    {.weighting = PseudoInverse{.k = 3},
                                     .road = road,
                                     .spectrum = true})
                                  .report;
    EXPECT_NEAR(report.largest, 8, Rounding<double>(8));
    EXPECT_NEAR(report.smallest_kept, 2, Rounding<double>(8));
    ASSERT_EQ(report.singular_values.size(), 5U);
    for (Index i = 0; i < 5; ++i) {
      EXPECT_NEAR(report.singular_values[i], s[i], Rounding<double>(1e2));
    }
  }
}

TEST(SvenStep, TheDenseRoadResolvesWhatTheGramMatrixCannot) {
  const Vector<double> s{{1.0, 1e-10}};
  const Matrix<double> M = WithSpectrum(2, 6, s, 1);
  const Vector<double> R = RandomVector(2, 2);
  const StepOptions options{.weighting = PseudoInverse{.rtol = 1e-12}};
  EXPECT_EQ(ChooseRoad(options, 2, 6), Road::kDense);
  const auto [delta, report] = Solve(M, R, options);
  EXPECT_EQ(report.kept, 2);
  EXPECT_LT((M * delta + R).norm(), Rounding<double>(1e10) * R.norm());
}

TEST(SvenStep, DuplicatedConditionsCountOnce) {
  Matrix<double> M = RandomMatrix(8, 20, 1);
  Vector<double> R = RandomVector(8, 2);
  const Vector<double> single = Solve(M, R, {}).delta;
  Matrix<double> twice(16, 20);
  twice << M, M;
  Vector<double> R_twice(16);
  R_twice << R, R;
  for (const Road road : {Road::kGram, Road::kDense}) {
    const auto [delta, report] = Solve(twice, R_twice, {.road = road});
    EXPECT_EQ(report.kept, 8);
    EXPECT_LT(RelativeError(delta, single), Rounding<double>(1e4));
  }
}

TEST(SvenStep, TheOrderOfTheConditionsDoesNotMatter) {
  const Matrix<double> M = RandomMatrix(10, 15, 1);
  const Vector<double> R = RandomVector(10, 2);
  const Matrix<double> reversed = M.colwise().reverse();
  const Vector<double> R_reversed = R.reverse();
  for (const Road road : {Road::kGram, Road::kDense}) {
    EXPECT_LT(RelativeError(Solve(reversed, R_reversed, {.road = road}).delta,
                            Solve(M, R, {.road = road}).delta),
              Rounding<double>(1e4));
  }
}

TEST(SvenStep, ZeroRowsAreLeftOut) {
  Matrix<double> M = RandomMatrix(6, 10, 1);
  M.row(2).setZero();
  const Vector<double> R = RandomVector(6, 2);
  for (const Road road : {Road::kGram, Road::kDense}) {
    const auto [delta, report] = Solve(M, R, {.road = road});
    EXPECT_EQ(report.kept, 5);
    EXPECT_LT(RelativeError(delta, DenseStep(M, R, {}, 1e-3)),
              Rounding<double>(1e4));
  }
}

TEST(SvenStep, AllZeroGradientsGiveAZeroStepWithAStatus) {
  const Matrix<double> M = Matrix<double>::Zero(4, 7);
  for (const Road road : {Road::kAuto, Road::kGram, Road::kDense}) {
    const auto [delta, report] = Solve(M, RandomVector(4, 1), {.road = road});
    EXPECT_EQ(report.status, StepStatus::kRankZero);
    EXPECT_EQ(report.kept, 0);
    EXPECT_TRUE(delta.isZero(0));
  }
}

TEST(SvenStep, InFloatTheGramRoadSurvivesTheSameScalesAsTheDenseRoad) {
  const Matrix<float> M = RandomMatrix(4, 9, 1).cast<float>();
  const Vector<double> R = RandomVector(4, 2);
  for (const float scale : {1e-25F, 1e-12F, 1e12F}) {
    const double back = 1 / static_cast<double>(scale);
    DenseLinearization<float> problem(R / back, scale * M);
    const auto gram = SvenStep<float>(problem, {.road = Road::kGram});
    const auto dense = SvenStep<float>(problem, {.road = Road::kDense});
    EXPECT_EQ(gram.report.status, StepStatus::kOk);
    EXPECT_LT((gram.delta - dense.delta).norm(), 1e-5F * dense.delta.norm());
  }
}

TEST(SvenStep, ZeroResidualsGiveAZeroStep) {
  for (const Road road : {Road::kGram, Road::kDense}) {
    const auto [delta, report] =
        Solve(RandomMatrix(4, 7, 1), Vector<double>::Zero(4), {.road = road});
    EXPECT_EQ(report.status, StepStatus::kOk);
    EXPECT_TRUE(delta.isZero(0));
    EXPECT_EQ(report.update_norm, 0);
  }
}

TEST(SvenStep, NanAndInfinityGiveAZeroStepWithAStatus) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    Vector<double> R = RandomVector(4, 1);
    Matrix<double> M = RandomMatrix(4, 7, 2);
    for (const Weighting& weighting :
         {Weighting(PseudoInverse{.k = 3}), Weighting(Tikhonov{})}) {
      for (const Road road : {Road::kGram, Road::kRandomised, Road::kDense}) {
        if (road == Road::kRandomised &&
            !std::holds_alternative<PseudoInverse>(weighting)) {
          continue;
        }
        Vector<double> bad_R = R;
        bad_R[2] = bad;
        const StepOptions options{.weighting = weighting, .road = road};
        EXPECT_EQ(Solve(M, bad_R, options).report.status,
                  StepStatus::kNonFiniteResidual);
        Matrix<double> bad_M = M;
        bad_M(3, 5) = bad;
        const auto [delta, report] = Solve(bad_M, R, options);
        EXPECT_EQ(report.status, StepStatus::kNonFiniteJacobian);
        EXPECT_TRUE(delta.isZero(0));
      }
    }
  }
}

TEST(SvenStep, AStepThatOverflowsIsNotGiven) {
  // In single precision 1e30 / 1e-30 is infinite; K and w are not.
  DenseLinearization<float> problem(Vector<double>::Constant(1, 1e30),
                                    Matrix<float>::Constant(1, 1, 1e-30F));
  const auto [delta, report] = SvenStep<float>(problem, {.road = Road::kGram});
  EXPECT_EQ(report.status, StepStatus::kNonFiniteStep);
  EXPECT_EQ(delta[0], 0.0F);
}

TEST(SvenStep, ExtremeScalesChangeNothing) {
  const Matrix<double> M = RandomMatrix(6, 9, 1);
  const Vector<double> R = RandomVector(6, 2);
  const Vector<double> expected = Solve(M, R, {}).delta;
  for (const double scale : {1e-140, 1e-70, 1e70, 1e140}) {
    for (const Road road : {Road::kGram, Road::kDense}) {
      const auto [delta, report] = Solve(scale * M, R, {.road = road});
      EXPECT_LT(RelativeError(scale * delta, expected), Rounding<double>(1e4));
    }
  }
}

TEST(ChooseRoad, FollowsTheShapeAndTheCutOff) {
  const StepOptions usual{.weighting = PseudoInverse{.k = 16, .rtol = 1e-3}};
  EXPECT_EQ(ChooseRoad(usual, 32, 593), Road::kGram);
  EXPECT_EQ(ChooseRoad(usual, 96, 13), Road::kDense);
  EXPECT_EQ(ChooseRoad(usual, 512, 100000), Road::kRandomised);
  EXPECT_EQ(ChooseRoad(usual, 511, 100000), Road::kGram);
  const StepOptions fine{.weighting = PseudoInverse{.rtol = 1e-9}};
  EXPECT_EQ(ChooseRoad(fine, 32, 593), Road::kDense);
  // Too large to store.
  EXPECT_EQ(ChooseRoad(fine, 256, 10000000), Road::kGram);
  StepOptions forced = usual;
  forced.road = Road::kDense;
  EXPECT_EQ(ChooseRoad(forced, 512, 100000), Road::kDense);
}

TEST(ChooseRoad, WithoutALimitOnTheRankTheRandomisedRoadIsNotTaken) {
  EXPECT_EQ(ChooseRoad({.weighting = PseudoInverse{}}, 600, 100000),
            Road::kGram);
}

TEST(SvenStep, TheSolverGivesTheSameWhenReusedForOtherShapes) {
  StepSolver<double> solver;
  for (const auto& [B, N] :
       {Shape{5, 9}, Shape{20, 9}, Shape{3, 50}, Shape{5, 9}}) {
    DenseLinearization<double> problem(RandomVector(B, 1),
                                       RandomMatrix(B, N, 2));
    std::vector<double> update(N);
    solver.Compute(problem, {}, std::span<double>(update));
    const Vector<double> fresh = SvenStep<double>(problem).delta;
    EXPECT_EQ(testing::ToVector<double>(update), fresh);
  }
}

TEST(StepOptions, WhatIsOutOfRangeIsNamed) {
  const auto message = [](const StepOptions& options) -> std::string {
    try {
      Validate(options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.weighting = PseudoInverse{.rtol = -1}}),
            "PseudoInverse::rtol = -1: must satisfy 0 <= rtol < 1");
  EXPECT_EQ(message({.weighting = PseudoInverse{.k = 0}}),
            "PseudoInverse::k = 0: must satisfy k >= 1");
  EXPECT_EQ(message({.weighting = Tikhonov{.lambda = 0}}),
            "Tikhonov::lambda = 0: must satisfy lambda > 0");
  EXPECT_EQ(message({.weighting = SmoothCutoff{.eps = 1}}),
            "SmoothCutoff::eps = 1: must satisfy 0 <= eps < 1");
  EXPECT_EQ(message({.weighting = PowerInverse{.p = 2}}),
            "PowerInverse::p = 2: must satisfy 0 <= p <= 1");
  EXPECT_EQ(message({.learning_rate = 0}),
            "StepOptions::learning_rate = 0: must satisfy learning_rate > 0");
  EXPECT_EQ(message({.randomised = {.oversampling = -2}})
                .find("RandomisedEigenOptions::oversampling = -2"),
            0U);
  EXPECT_NE(message({.road = Road::kRandomised}).find("needs a number k"),
            std::string::npos);
}

TEST(DenseLinearization, RefusesSizesThatDoNotFit) {
  EXPECT_THROW(DenseLinearization<double>(Vector<double>::Zero(3),
                                          Matrix<double>::Zero(2, 2)),
               DataError);
  EXPECT_THROW(
      DenseLinearization<double>(Vector<double>(), Matrix<double>::Zero(0, 2)),
      DataError);
}

TEST(ChooseRoad, GoesDenseWhereTheGramMatrixCannotResolveTheCut) {
  // The Gram matrix of 100 conditions is good to 10 sqrt(100 eps) = 1.5e-6.
  for (const double cut : {1.2e-6, 2e-6}) {
    const Road expected = cut < 1.5e-6 ? Road::kDense : Road::kGram;
    const StepOptions hard{.weighting = PseudoInverse{.rtol = cut}};
    EXPECT_EQ(ChooseRoad(hard, 100, 1000), expected) << cut;
    const StepOptions power{.weighting = PowerInverse{.rcond = cut}};
    EXPECT_EQ(ChooseRoad(power, 100, 1000), expected) << cut;
  }
  // Few conditions: 1e-6 still holds.
  const StepOptions few{.weighting = PseudoInverse{.rtol = 1e-6}};
  EXPECT_EQ(ChooseRoad(few, 10, 1000), Road::kGram);
  // Damping looks at K first.
  const StepOptions damped{.weighting = Tikhonov{1e-9}};
  EXPECT_EQ(ChooseRoad(damped, 1000, 10000), Road::kGram);
}

}  // namespace
}  // namespace sven::core::step_test
