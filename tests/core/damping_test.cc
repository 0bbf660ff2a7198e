// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <tuple>

#include "sven/core/step.h"
#include "testing/decompositions.h"
#include "testing/references.h"
#include "testing/solve_dense.h"
#include "testing/tolerances.h"

namespace sven::core::damping_test {
namespace {

using testing::RandomMatrix;
using testing::RandomVector;
using testing::RelativeError;
using testing::Rounding;
using testing::Shape;
using testing::Solve;

TEST(Damping, TikhonovIsTheDampedNormalEquation) {
  for (const auto& [B, N] : {Shape{5, 20}, Shape{20, 5}, Shape{7, 7}}) {
    const Matrix<double> M = RandomMatrix(B, N, 1);
    const Vector<double> R = RandomVector(B, 2);
    const double lambda = 0.37;
    const Matrix<double> A =
        M.transpose() * M + lambda * Matrix<double>::Identity(N, N);
    const Vector<double> expected = -testing::SolvePlain(A, M.transpose() * R);
    for (const Road road : {Road::kGram, Road::kDense}) {
      // With the spectrum the eigenvalues are used, without it Cholesky.
      for (const bool spectrum : {false, true}) {
        const auto [delta, report] = Solve(M, R,
                                           {.weighting = Tikhonov{lambda},
                                            .road = road,
                                            .spectrum = spectrum});
        EXPECT_LT(RelativeError(delta, expected), Rounding<double>(1e2));
      }
    }
  }
}

TEST(Damping, DampingInUnitsOfKIsDampingOfThatSize) {
  for (const auto& [B, N] : {Shape{5, 20}, Shape{20, 5}, Shape{7, 7}}) {
    const Matrix<double> M = RandomMatrix(B, N, 1);
    const Vector<double> R = RandomVector(B, 2);
    const Vector<double> s =
        Eigen::JacobiSVD<Matrix<double>>(M).singularValues();
    const double mean = s.squaredNorm() / static_cast<double>(B);
    for (const Road road : {Road::kGram, Road::kDense}) {
      const auto damped = [&](double lambda, DampingUnit unit) {
        return Solve(M, R, {.weighting = Tikhonov{lambda, unit}, .road = road})
            .delta;
      };
      // The largest eigenvalue is an estimate on the Gram road.
      const double tolerance = road == Road::kGram ? 0.2 : 1e-12;
      EXPECT_LT(RelativeError(damped(0.1, DampingUnit::kLargest),
                              damped(0.1 * s[0] * s[0], DampingUnit::kOne)),
                tolerance);
      EXPECT_LT(RelativeError(damped(0.1, DampingUnit::kMean),
                              damped(0.1 * mean, DampingUnit::kOne)),
                1e-12);
    }
  }
}

TEST(Damping, IsAtLeastItsPartOfTheMeanEigenvalueAndSaysSo) {
  const Matrix<double> M = RandomMatrix(6, 15, 1);
  const Vector<double> R = RandomVector(6, 2);
  const double s1 = Eigen::JacobiSVD<Matrix<double>>(M).singularValues()[0];
  const double mean = M.squaredNorm() / 6;
  for (const Road road : {Road::kGram, Road::kDense}) {
    const auto solve = [&](const Weighting& weighting) {
      return Solve(M, R, {.weighting = weighting, .road = road});
    };
    const Vector<double> expected = solve(Tikhonov{0.7 * mean}).delta;
    for (const DampingUnit unit :
         {DampingUnit::kOne, DampingUnit::kLargest, DampingUnit::kMean}) {
      const auto [delta, report] = solve(Tikhonov{1e-6, unit, 0.7});
      EXPECT_LT(RelativeError(delta, expected), 1e-12);
      const double size = unit == DampingUnit::kOne    ? 1
                          : unit == DampingUnit::kMean ? mean
                                                       : s1 * s1;
      // The largest eigenvalue is an estimate from below on the Gram road.
      EXPECT_GT(report.damping, (1 - 1e-12) * 0.7 * mean / size);
      EXPECT_LT(report.damping, 1.2 * 0.7 * mean / size);
      // Where it is larger anyway nothing changes.
      EXPECT_EQ(solve(Tikhonov{50, unit, 0.7}).delta,
                solve(Tikhonov{50, unit}).delta);
      EXPECT_NEAR(solve(Tikhonov{50, unit, 0.7}).report.damping, 50, 1e-10);
    }
    EXPECT_EQ(solve(PseudoInverse{}).report.damping, 0);
  }
}

TEST(Damping, DampingInUnitsOfKDoesNotDependOnTheScaleOfM) {
  const Matrix<double> M = RandomMatrix(6, 15, 1);
  const Vector<double> R = RandomVector(6, 2);
  for (const DampingUnit unit : {DampingUnit::kLargest, DampingUnit::kMean}) {
    const StepOptions options{.weighting = Tikhonov{0.01, unit}};
    const Vector<double> one = Solve(M, R, options).delta;
    const Vector<double> other = Solve(1024 * M, R, options).delta;
    EXPECT_LT(RelativeError(1024 * other, one), Rounding<double>(1e2));
  }
}

TEST(Damping, WeakDirectionsUnderDampingAreTheSameOnEveryRoad) {
  Matrix<double> M = RandomMatrix(4, 8, 1);
  M.row(3) = M.row(2) + 1e-9 * RandomMatrix(1, 8, 2).row(0);
  const Vector<double> R = RandomVector(4, 3);
  for (const double lambda : {1e-10, 1e-14}) {
    const StepOptions dense{.weighting = Tikhonov{lambda},
                            .road = Road::kDense};
    const Vector<double> expected = Solve(M, R, dense).delta;
    for (const bool spectrum : {false, true}) {
      const auto [delta, report] =
          Solve(M, R, {.weighting = Tikhonov{lambda}, .spectrum = spectrum});
      EXPECT_EQ(report.kept, 4);
      EXPECT_LT(RelativeError(delta, expected), 1e-3) << lambda;
      // Damping that drowns in the rounding of K is not left to K.
      EXPECT_EQ(report.road, lambda < 1e-12 ? Road::kDense : Road::kGram);
    }
  }
}

TEST(Damping, ZeroGradientsHaveTheSameStatusUnderDamping) {
  for (const bool spectrum : {false, true}) {
    const auto [delta, report] =
        Solve(Matrix<double>::Zero(3, 5), RandomVector(3, 1),
              {.weighting = Tikhonov{}, .spectrum = spectrum});
    EXPECT_EQ(report.status, StepStatus::kRankZero);
    EXPECT_EQ(report.kept, 0);
  }
}

}  // namespace
}  // namespace sven::core::damping_test
