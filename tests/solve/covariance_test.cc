// SPDX-License-Identifier: MIT
#include "sven/solve/covariance.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "sven/base/random.h"
#include "sven/solve/solve.h"
#include "testing/matrices.h"
#include "testing/tolerances.h"

namespace sven::solve::covariance_test {
namespace {

using testing::Rounding;

// A theta - b.
struct Linear {
  Matrix<double> A;
  Vector<double> b;
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    for (Index a = 0; a < A.rows(); ++a) {
      r[a] = T(-b[a]);
      for (Index i = 0; i < A.cols(); ++i) r[a] += T(A(a, i)) * theta[i];
    }
  }
};

Linear RandomLinear(Index B, Index N, std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kData);
  return {testing::RandomMatrix(B, N, random),
          testing::RandomVector(B, random)};
}

TEST(Covariance, IsTheInverseOfTheNormalMatrixTimesTheVariance) {
  const Linear linear = RandomLinear(30, 4, 1);
  // Storing M, and streaming it.
  for (const Index stored : {1000, 8}) {
    Problem<double> problem(4, {.stored_entries = stored});
    problem.Add("data", 30, linear);
    std::vector<double> theta(4, 0.0);
    const Summary summary = Solve(problem, theta);
    const Covariance covariance = ComputeCovariance(problem, theta);
    const Matrix<double> normal = linear.A.transpose() * linear.A;
    const double variance = summary.final_cost / 26;
    const Matrix<double> expected = variance * normal.inverse();
    EXPECT_EQ(covariance.rank, 4);
    EXPECT_NEAR(covariance.variance, variance, Rounding<double>(100));
    EXPECT_LT((covariance.matrix - expected).norm(),
              Rounding<double>(100) * expected.norm());
    EXPECT_DOUBLE_EQ(covariance.StandardError(2),
                     std::sqrt(covariance.matrix(2, 2)));
    EXPECT_NEAR(covariance.Correlation(1, 1), 1, Rounding<double>());
  }
}

// Fits to data with fresh noise scatter as the covariance says.
TEST(Covariance, PredictsTheScatterOfRepeatedFits) {
  Linear linear = RandomLinear(20, 2, 2);
  RandomStream random(3, RandomUse::kData);
  const int fits = 2000;
  const double sigma = 0.3;
  double sum = 0;
  double squares = 0;
  double claimed = 0;
  for (int fit = 0; fit < fits; ++fit) {
    for (double& y : linear.b) y = sigma * random.Normal();
    Problem<double> problem(2);
    problem.Add("data", 20, linear);
    std::vector<double> theta(2, 0.0);
    Solve(problem, theta);
    sum += theta[0];
    squares += theta[0] * theta[0];
    claimed += ComputeCovariance(problem, theta).matrix(0, 0) / fits;
  }
  const double scatter = squares / fits - sum / fits * sum / fits;
  // A variance from 2000 samples is good to 3 %.
  EXPECT_NEAR(scatter, claimed, 0.13 * claimed);
}

TEST(Covariance, WeightsThatAreInverseVariancesNeedNoEstimate) {
  const Linear linear = RandomLinear(10, 2, 4);
  Problem<double> problem(2);
  problem.Add("data", 10, linear, {.weight = 4});  // sigma = 1/2
  const std::vector<double> theta(2, 0.0);
  const Covariance covariance =
      ComputeCovariance(problem, theta, {.noise = Noise::kUnit});
  const Matrix<double> expected =
      0.25 * (linear.A.transpose() * linear.A).inverse();
  EXPECT_LT((covariance.matrix - expected).norm(),
            Rounding<double>(100) * expected.norm());
}

// The example of the header, and a third parameter that is determined.
TEST(Covariance, ParametersThatAreNotDeterminedHaveInfiniteErrors) {
  Linear linear;
  linear.A.resize(4, 3);
  linear.A << 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 2;
  linear.b = Vector<double>::Ones(4);
  Problem<double> problem(3);
  problem.Add("data", 4, linear);
  const std::vector<double> theta(3, 0.0);
  const Covariance covariance =
      ComputeCovariance(problem, theta, {.noise = Noise::kUnit});
  EXPECT_EQ(covariance.rank, 2);
  EXPECT_TRUE(std::isinf(covariance.StandardError(0)));
  EXPECT_TRUE(std::isinf(covariance.StandardError(1)));
  EXPECT_NEAR(covariance.StandardError(2), 0.5, Rounding<double>());
}

// c_3 = c_2 + e c_1: the direction left out has a part e of parameter 0, too.
TEST(Covariance, ASmallPartInADirectionLeftOutIsEnough) {
  for (const double e : {1e-3, 1e-4, 2e-5, 1e-6, 1e-8, 1e-9, 0.0}) {
    Linear linear;
    linear.A.resize(6, 3);
    linear.A.col(0) << 1, 0, 0, 1, 0, 0;
    linear.A.col(1) << 0, 1, 0, 0, 2, 1;
    linear.A.col(2) = linear.A.col(1) + e * linear.A.col(0);
    linear.b = Vector<double>::Ones(6);
    Problem<double> problem(3);
    problem.Add("data", 6, linear);
    const std::vector<double> theta(3, 0.0);
    const Covariance covariance = ComputeCovariance(problem, theta);
    EXPECT_EQ(covariance.rank, 2) << e;
    EXPECT_EQ(std::isinf(covariance.StandardError(0)), e != 0) << e;
    EXPECT_TRUE(std::isinf(covariance.StandardError(1))) << e;
    EXPECT_TRUE(std::isinf(covariance.StandardError(2))) << e;
  }
}

// Two measurements of the first two, nearly the same, beside two that are not told
// apart at all: rounding turns the direction that is left out into the nearly
// singular one.
TEST(Covariance, AParameterOfALargeErrorIsStillDetermined) {
  for (const double e : {1e-3, 1e-6, 1e-8}) {
    RandomStream random(8, RandomUse::kData);
    Matrix<double> A = testing::RandomMatrix(20, 4, random);
    A.col(1) = A.col(0) + e * A.col(1);
    A.col(3) = -0.3 * A.col(2);
    Problem<double> problem(4);
    problem.Add("data", 20, Linear{A, testing::RandomVector(20, random)});
    const std::vector<double> theta(4, 0.0);
    const Covariance covariance =
        ComputeCovariance(problem, theta, {.noise = Noise::kUnit});
    EXPECT_EQ(covariance.rank, 3) << e;
    for (const Index i : {0, 1}) {
      EXPECT_GT(covariance.StandardError(i) * e, 0.1) << e;
      EXPECT_LT(covariance.StandardError(i) * e, 1) << e;
    }
    EXPECT_TRUE(std::isinf(covariance.StandardError(2))) << e;
    EXPECT_TRUE(std::isinf(covariance.StandardError(3))) << e;
  }
}

TEST(Covariance, CollinearColumnsAreFoundInSinglePrecision) {
  Linear linear = RandomLinear(20, 3, 9);
  linear.A.col(2) = linear.A.col(0) / 3;
  Problem<float> problem(3);
  problem.Add("data", 20, linear);
  const std::vector<float> theta(3, 0.0F);
  for (const double rtol : {0.0, 1e-10}) {
    const Covariance covariance =
        ComputeCovariance(problem, theta, {.rtol = rtol});
    EXPECT_EQ(covariance.rank, 2);
    EXPECT_TRUE(std::isinf(covariance.StandardError(0)));
    EXPECT_LT(covariance.StandardError(1), 1);
    EXPECT_TRUE(std::isinf(covariance.StandardError(2)));
  }
}

// Units that differ by 1e12 are no reason to call a parameter undetermined.
TEST(Covariance, DoesNotDependOnTheUnitsOfTheParameters) {
  Linear linear = RandomLinear(12, 2, 5);
  linear.A.col(1) *= 1e-12;
  Problem<double> problem(2);
  problem.Add("data", 12, linear);
  const std::vector<double> theta(2, 0.0);
  const Covariance covariance = ComputeCovariance(problem, theta);
  EXPECT_EQ(covariance.rank, 2);
  EXPECT_TRUE(std::isfinite(covariance.StandardError(1)));
}

TEST(Covariance, WithoutSpareConditionsThereIsNoEstimate) {
  Problem<double> problem(2);
  problem.Add("data", 2, RandomLinear(2, 2, 6));
  const std::vector<double> theta(2, 0.0);
  EXPECT_TRUE(std::isnan(ComputeCovariance(problem, theta).variance));
}

TEST(Covariance, RefusesWhatItCannotDo) {
  Problem<double> sampled(2);
  sampled.Add("data", 5, RandomLinear(5, 2, 7), {.batch = 3});
  const std::vector<double> theta(2, 0.0);
  EXPECT_THROW(ComputeCovariance(sampled, theta), UsageError);
  Problem<double> problem(2);
  problem.Add("data", 5, RandomLinear(5, 2, 7));
  EXPECT_THROW(ComputeCovariance(problem, theta, {.rtol = 1}), UsageError);
  const std::vector<double> nan(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(ComputeCovariance(problem, nan), DataError);
  EXPECT_THROW(ComputeCovariance(problem, std::vector<double>(3, 0.0)),
               UsageError);
  Problem<double> empty(2);
  EXPECT_THROW(ComputeCovariance(empty, theta), UsageError);
}

}  // namespace
}  // namespace sven::solve::covariance_test
