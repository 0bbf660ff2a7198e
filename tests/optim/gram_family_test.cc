// SPDX-License-Identifier: MIT
//
// The methods on the Gram matrix against dense computations that share no code
// with them: J from plain loops in complex numbers, systems solved in the space
// of the parameters by Eigen's LU with full pivoting.
//
// Letters: B samples, C outputs, N parameters, J = df/dtheta (B C x N), g the
// gradient of the mean loss.
#include <gtest/gtest.h>

#include "sven/optim/gauss_newton.h"
#include "sven/optim/half_inverse.h"
#include "sven/optim/jacobian_descent.h"
#include "sven/optim/levenberg_marquardt.h"
#include "sven/optim/min_sr.h"
#include "sven/optim/natural_gradient.h"
#include "sven/optim/sgd.h"
#include "sven/optim/spring.h"
#include "testing/decompositions.h"
#include "testing/problems.h"
#include "testing/references.h"

namespace sven::optim::gram_family_test {
namespace {

using testing::MakeProblem;
using testing::OneHot;
using testing::PlainOutputJacobian;
using testing::PlainOutputs;
using testing::Problem;
using testing::RelativeError;
using testing::Softmax;
using testing::SolvePlain;
using testing::ToVector;

constexpr double kTolerance = 1e-8;

Problem<double> SquaredProblem(std::uint64_t seed = 1) {
  return MakeProblem<double>({.widths = {3, 6, 5, 2},
                              .batch = 7,
                              .loss = nn::Loss::kSquaredError,
                              .activation = nn::Activation::kTanh,
                              .seed = seed});
}

Problem<double> CrossEntropyProblem(std::uint64_t seed = 1) {
  return MakeProblem<double>({.widths = {3, 6, 5, 4},
                              .batch = 6,
                              .loss = nn::Loss::kCrossEntropy,
                              .activation = nn::Activation::kSilu,
                              .seed = seed});
}

// f - y, or p - onehot, in the order of J's rows.
Vector<double> OutputErrors(const Problem<double>& problem) {
  const Matrix<double> f = PlainOutputs(problem);
  const Matrix<double> errors =
      problem.loss.kind == nn::Loss::kCrossEntropy
          ? Matrix<double>(Softmax(f) - OneHot(problem))
          : Matrix<double>(f - problem.data.y);
  return errors.reshaped<Eigen::RowMajor>();
}

// blockdiag(diag(p) - p p^T), or the identity.
Matrix<double> OutputHessian(const Problem<double>& problem) {
  const Matrix<double> f = PlainOutputs(problem);
  const Index C = f.cols();
  Matrix<double> Q = Matrix<double>::Identity(f.size(), f.size());
  if (problem.loss.kind != nn::Loss::kCrossEntropy) return Q;
  const Matrix<double> p = Softmax(f);
  for (Index a = 0; a < f.rows(); ++a) {
    const Vector<double> row = p.row(a).transpose();
    Q.block(a * C, a * C, C, C) =
        Matrix<double>(row.asDiagonal()) - row * row.transpose();
  }
  return Q;
}

template <class T>
Vector<double> UpdateOf(Optimizer<T>& optimizer, Problem<T>& problem) {
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kOk);
  return ToVector<T>(optimizer.Update());
}

// - (J^T Q J / B + lambda)^-1 J^T r / B
Vector<double> DenseGaussNewton(const Problem<double>& problem, double lambda) {
  const Matrix<double> J = PlainOutputJacobian(problem);
  const auto B = static_cast<double>(problem.data.Size());
  const Matrix<double> H =
      J.transpose() * OutputHessian(problem) * J / B +
      lambda * Matrix<double>::Identity(J.cols(), J.cols());
  return -SolvePlain(H, J.transpose() * OutputErrors(problem) / B);
}

TEST(GaussNewton, IsTheDampedNewtonStepOfTheGaussNewtonMatrix) {
  for (const double lambda : {1e-3, 1.0, 100.0}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      for (Problem<double> problem :
           {SquaredProblem(seed), CrossEntropyProblem(seed)}) {
        const Vector<double> expected = 0.7 * DenseGaussNewton(problem, lambda);
        GaussNewton<double> optimizer({.learning_rate = 0.7, .lambda = lambda});
        EXPECT_LT(RelativeError(UpdateOf(optimizer, problem), expected),
                  kTolerance)
            << "lambda " << lambda << ", seed " << seed << ", "
            << Name(problem.loss.kind);
      }
    }
  }
}

TEST(GaussNewton, OfLabelRegressionIsThatOfTheSquaredErrorAgainstOneHot) {
  Problem<double> labels = CrossEntropyProblem();
  labels.loss = nn::Loss::kLabelRegression;
  Problem<double> squared = labels;
  squared.loss = nn::Loss::kSquaredError;
  squared.data.y = OneHot(labels);
  GaussNewton<double> one;
  GaussNewton<double> other;
  EXPECT_LT(RelativeError(UpdateOf(one, labels), UpdateOf(other, squared)),
            1e-14);
}

TEST(GaussNewton, WithoutDampingInTheLimitMeetsEveryOutput) {
  Problem<double> problem = SquaredProblem();
  const Matrix<double> J = PlainOutputJacobian(problem);
  const Vector<double> r = OutputErrors(problem);
  GaussNewton<double> optimizer({.lambda = 1e-14});
  const Vector<double> update = UpdateOf(optimizer, problem);
  EXPECT_LT((J * update + r).norm(), 1e-6 * r.norm());
}

TEST(GaussNewton, UnderHeavyDampingFollowsTheGradient) {
  for (Problem<double> problem : {SquaredProblem(), CrossEntropyProblem()}) {
    const double lambda = 1e9;
    const Vector<double> g = PlainOutputJacobian(problem).transpose() *
                             OutputErrors(problem) /
                             static_cast<double>(problem.data.Size());
    GaussNewton<double> optimizer({.lambda = lambda});
    EXPECT_LT(RelativeError(lambda * UpdateOf(optimizer, problem),
                            Vector<double>(-g)),
              1e-7);
  }
}

TEST(GaussNewton, SurvivesProbabilitiesThatUnderflow) {
  // One sample at a loss of 1000: its softmax is 0 and 1.
  nn::Mlp<double> net({nn::DenseSpec{.in = 1, .out = 2}});
  net.Parameters()[0] = 1000;
  const Matrix<double> x = Matrix<double>::Ones(1, 1);
  const std::vector<std::int64_t> labels = {1};
  GaussNewton<double> optimizer;
  const StepReport report = optimizer.Step(net, nn::Loss::kCrossEntropy,
                                           {.x = View(x), .labels = labels});
  EXPECT_EQ(report.status, StepStatus::kOk);
  // No curvature left: the gradient over lambda, (1, -1) for weight and bias.
  EXPECT_NEAR(net.Parameters()[1], 1, 1e-12);
  EXPECT_NEAR(net.Parameters()[0], 999, 1e-9);
}

TEST(NaturalGradient, IsTheGradientInTheMetricOfTheOutputs) {
  for (const double lambda : {1e-3, 1.0}) {
    for (Problem<double> problem : {SquaredProblem(), CrossEntropyProblem()}) {
      const Matrix<double> J = PlainOutputJacobian(problem);
      const auto B = static_cast<double>(problem.data.Size());
      const bool squared = problem.loss.kind == nn::Loss::kSquaredError;
      const Vector<double> g =
          J.transpose() * OutputErrors(problem) * (squared ? 2 : 1) / B;
      const Matrix<double> F =
          J.transpose() * J / B +
          lambda * Matrix<double>::Identity(J.cols(), J.cols());
      NaturalGradient<double> optimizer(
          {.learning_rate = 0.3, .lambda = lambda});
      EXPECT_LT(RelativeError(UpdateOf(optimizer, problem),
                              Vector<double>(-0.3 * SolvePlain(F, g))),
                kTolerance)
          << "lambda " << lambda << ", " << Name(problem.loss.kind);
    }
  }
}

TEST(NaturalGradient, IsTheSameWithFewerParametersThanOutputs) {
  // 5 parameters, 40 outputs: the road through the parameters' space.
  Problem<double> problem = MakeProblem<double>(
      {.widths = {1, 1, 1}, .batch = 40, .activation = nn::Activation::kTanh});
  const Matrix<double> J = PlainOutputJacobian(problem);
  const double lambda = 1e-3;
  const Vector<double> g = J.transpose() * OutputErrors(problem) * 2 / 40;
  const Matrix<double> F =
      J.transpose() * J / 40 +
      lambda * Matrix<double>::Identity(J.cols(), J.cols());
  NaturalGradient<double> optimizer({.learning_rate = 1, .lambda = lambda});
  EXPECT_LT(RelativeError(UpdateOf(optimizer, problem),
                          Vector<double>(-SolvePlain(F, g))),
            kTolerance);
}

TEST(HalfInverse, ScalesSingularDirectionsByTheInverseRoot) {
  for (Problem<double> problem : {SquaredProblem(), CrossEntropyProblem()}) {
    const Matrix<double> J = PlainOutputJacobian(problem);
    const testing::PlainSvd svd = testing::SvdOf(J);
    const bool squared = problem.loss.kind == nn::Loss::kSquaredError;
    const Vector<double> dL = OutputErrors(problem) * (squared ? 2 : 1) /
                              static_cast<double>(problem.data.Size());
    Vector<double> expected = Vector<double>::Zero(J.cols());
    const Vector<double>& s = svd.s;
    constexpr double kRcond = 1e-2;  // cuts some
    Index kept = 0;
    for (Index i = 0; i < s.size() && s[i] > kRcond * s[0]; ++i, ++kept) {
      expected -= 0.4 * svd.V.col(i) * svd.U.col(i).dot(dL) / std::sqrt(s[i]);
    }
    HalfInverse<double> optimizer(
        {.learning_rate = 0.4, .power = {.p = 0.5, .rcond = kRcond}});
    const StepReport report =
        optimizer.Step(problem.net, problem.loss, problem.Batch());
    EXPECT_EQ(report.kept, kept);
    EXPECT_LT(RelativeError(ToVector<double>(optimizer.Update()), expected),
              kTolerance);
  }
}

// M and R of conditions that are losses with kappa = 1: sqrt(l).
struct LossConditions {
  Matrix<double> M;
  Vector<double> R;
};
LossConditions RootLosses(const Problem<double>& problem) {
  const Matrix<double> J = PlainOutputJacobian(problem);
  const Vector<double> r = OutputErrors(problem);
  const Index C = problem.net.NumOutputs();
  const Index B = problem.data.Size();
  LossConditions result{Matrix<double>(B, J.cols()), Vector<double>(B)};
  for (Index a = 0; a < B; ++a) {
    const Vector<double> own = r.segment(a * C, C);
    result.R[a] = own.norm();
    result.M.row(a) = own.transpose() * J.middleRows(a * C, C) / result.R[a];
  }
  return result;
}

Vector<double> DampedStep(const Matrix<double>& M, const Vector<double>& R,
                          double lambda) {
  const Matrix<double> A =
      M * M.transpose() + lambda * Matrix<double>::Identity(M.rows(), M.rows());
  return -M.transpose() * SolvePlain(A, R);
}

TEST(MinSr, IsTheDampedInverseOfTheGramMatrix) {
  for (const double lambda : {1e-4, 1e-2, 10.0}) {
    Problem<double> problem = SquaredProblem();
    const Matrix<double> J = PlainOutputJacobian(problem);
    const Vector<double> r = OutputErrors(problem);
    MinSr<double> outputs({.learning_rate = 1,
                           .lambda = lambda,
                           .conditions = Conditions::kOutputs});
    Problem<double> copy = problem;
    EXPECT_LT(RelativeError(UpdateOf(outputs, copy), DampedStep(J, r, lambda)),
              kTolerance);
    const LossConditions roots = RootLosses(problem);
    MinSr<double> losses({.learning_rate = 1, .lambda = lambda});
    EXPECT_LT(RelativeError(UpdateOf(losses, problem),
                            DampedStep(roots.M, roots.R, lambda)),
              kTolerance);
  }
}

TEST(MinSr, TendsToGaussNewtonAndToTheGradient) {
  Problem<double> problem = SquaredProblem();
  const Matrix<double> J = PlainOutputJacobian(problem);
  const Vector<double> r = OutputErrors(problem);
  const auto run = [&](double lambda) {
    Problem<double> copy = problem;
    MinSr<double> optimizer({.learning_rate = 1,
                             .lambda = lambda,
                             .conditions = Conditions::kOutputs});
    return UpdateOf(optimizer, copy);
  };
  EXPECT_LT(
      RelativeError(run(1e-14), testing::DenseStep(J, r, std::nullopt, 0)),
      1e-5);
  EXPECT_LT(RelativeError(1e9 * run(1e9), Vector<double>(-J.transpose() * r)),
            1e-7);
}

TEST(Spring, WithoutMemoryIsMinSr) {
  Problem<double> one = SquaredProblem();
  Problem<double> other = one;
  Spring<double> spring({.mu = 0});
  MinSr<double> minsr;
  for (int i = 0; i < 5; ++i) {
    UpdateOf(spring, one);
    UpdateOf(minsr, other);
  }
  EXPECT_LT(
      RelativeError(
          ToVector<double>(std::span<const double>(one.net.Parameters())),
          ToVector<double>(std::span<const double>(other.net.Parameters()))),
      1e-12);
}

// The formulas of the header, step by step.
TEST(Spring, FollowsItsRecursion) {
  constexpr double kLambda = 0.02;
  constexpr double kMu = 0.8;
  for (const bool corrected : {false, true}) {
    for (const std::optional<double> limit :
         {std::optional<double>(), std::optional<double>(1e-4)}) {
      Problem<double> problem = SquaredProblem();
      Spring<double> optimizer({.learning_rate = 0.3,
                                .lambda = kLambda,
                                .mu = kMu,
                                .norm_limit = limit,
                                .bias_correction = corrected,
                                .conditions = Conditions::kOutputs});
      Vector<double> phi = Vector<double>::Zero(problem.net.NumParameters());
      for (int t = 1; t <= 6; ++t) {
        const Matrix<double> J = PlainOutputJacobian(problem);
        const Vector<double> R = OutputErrors(problem) - kMu * J * phi;
        phi = kMu * phi - DampedStep(J, R, kLambda);
        Vector<double> expected = -0.3 * phi;
        if (corrected) expected /= std::sqrt(1 - std::pow(kMu, 2 * t));
        if (limit && expected.squaredNorm() > *limit) {
          expected *= std::sqrt(*limit) / expected.norm();
        }
        EXPECT_LT(RelativeError(UpdateOf(optimizer, problem), expected),
                  kTolerance)
            << "step " << t;
        EXPECT_LT(RelativeError(ToVector<double>(std::span<const double>(
                                    optimizer.State().phi)),
                                phi),
                  kTolerance);
      }
    }
  }
}

TEST(LevenbergMarquardt, StepsAsGaussNewtonWithItsDampingAndLowersIt) {
  Problem<double> problem = SquaredProblem();
  const Vector<double> expected = DenseGaussNewton(problem, 1.0);
  LevenbergMarquardt<double> optimizer({.lambda_start = 1});
  EXPECT_LT(RelativeError(UpdateOf(optimizer, problem), expected), kTolerance);
  EXPECT_DOUBLE_EQ(optimizer.State().lambda, 0.1);
}

TEST(LevenbergMarquardt, OnLossesUsesTheirRoots) {
  Problem<double> problem = SquaredProblem();
  const LossConditions roots = RootLosses(problem);
  const auto B = static_cast<double>(problem.data.Size());
  LevenbergMarquardt<double> optimizer(
      {.lambda_start = 0.1, .conditions = Conditions::kLosses});
  EXPECT_LT(RelativeError(UpdateOf(optimizer, problem),
                          DampedStep(roots.M, roots.R, 0.1 * B)),
            kTolerance);
}

TEST(LevenbergMarquardt, DampsMoreUntilTheLossFalls) {
  // At five times the step the first tries overshoot.
  Problem<double> problem = SquaredProblem();
  const double before =
      nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch());
  const Problem<double> start = problem;
  LevenbergMarquardt<double> optimizer(
      {.learning_rate = 5, .lambda_start = 1e-6});
  const Vector<double> update = UpdateOf(optimizer, problem);
  EXPECT_LT(nn::MeanLoss<double>(problem.net, problem.loss, problem.Batch()),
            before);
  // The step is the one at the damping before the last change.
  const double lambda = optimizer.State().lambda / 0.1;
  EXPECT_GT(lambda, 1e-5);
  EXPECT_LT(RelativeError(update, 5 * DenseGaussNewton(start, lambda)),
            kTolerance);
}

TEST(LevenbergMarquardt, KeepsTheParametersWhenEveryTryFails) {
  Problem<double> problem = SquaredProblem();
  // Far beyond the step, whatever the damping.
  LevenbergMarquardt<double> optimizer(
      {.learning_rate = 1e9, .lambda_start = 1e-3, .attempts = 3});
  const std::vector<double> before(problem.net.Parameters().begin(),
                                   problem.net.Parameters().end());
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kRejected);
  EXPECT_EQ(report.update_norm, 0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(),
                         problem.net.Parameters().begin()));
  EXPECT_DOUBLE_EQ(optimizer.State().lambda, 1.0);
}

TEST(LevenbergMarquardt, KeepsItsDampingInRange) {
  Problem<double> problem = SquaredProblem();
  LevenbergMarquardt<double> optimizer(
      {.lambda_start = 1e-3, .lambda_min = 1e-4});
  for (int i = 0; i < 10; ++i) UpdateOf(optimizer, problem);
  EXPECT_EQ(optimizer.State().lambda, 1e-4);
}

TEST(LevenbergMarquardt, KeepsItsDampingWhereABatchIsMet) {
  Problem<double> problem = SquaredProblem();
  problem.data.y = problem.net.Predict(View(problem.data.x));
  LevenbergMarquardt<double> optimizer;
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  EXPECT_EQ(report.status, StepStatus::kOk);
  EXPECT_EQ(report.update_norm, 0);
  EXPECT_EQ(optimizer.State().lambda, 1e-3);
}

TEST(LevenbergMarquardt, RadiusRuleFollowsTheGainRatio) {
  Problem<double> problem = SquaredProblem();
  const Problem<double> start = problem;
  LevenbergMarquardt<double> optimizer(
      {.lambda_start = 0.01, .rule = DampingRule::kRadius});
  const StepReport report =
      optimizer.Step(problem.net, problem.loss, problem.Batch());
  ASSERT_EQ(report.status, StepStatus::kOk);
  const auto B = static_cast<double>(problem.data.Size());
  const Matrix<double> J = PlainOutputJacobian(start);
  const Vector<double> r = OutputErrors(start);
  const Vector<double> update = ToVector<double>(optimizer.Update());
  const double predicted = (r.squaredNorm() - (r + J * update).squaredNorm());
  EXPECT_NEAR(report.predicted_decrease, predicted, 1e-9 * predicted);
  const double actual = r.squaredNorm() - OutputErrors(problem).squaredNorm();
  const double rho = actual / predicted;
  EXPECT_NEAR(optimizer.State().lambda,
              0.01 * std::max(1.0 / 3, 1 - std::pow(2 * rho - 1, 3)), 1e-12);
  EXPECT_NEAR(report.loss, r.squaredNorm() / B, 1e-12);
}

TEST(LevenbergMarquardt, SolvesALinearModelInOneStep) {
  Problem<double> problem =
      MakeProblem<double>({.widths = {4, 3}, .batch = 30});
  LevenbergMarquardt<double> optimizer({.lambda_start = 1e-10});
  UpdateOf(optimizer, problem);
  const Vector<double> g =
      PlainOutputJacobian(problem).transpose() * OutputErrors(problem);
  EXPECT_LT(g.norm(), 1e-6);
}

// Gradients of the samples' losses.
Matrix<double> SampleGradients(const Problem<double>& problem) {
  const LossConditions roots = RootLosses(problem);
  return 2 * roots.R.asDiagonal() * roots.M;  // l = R^2
}

TEST(JacobianDescent, ConflictsWithNoSample) {
  for (const auto aggregation :
       {core::Aggregation::kUpGrad, core::Aggregation::kDualProj}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      Problem<double> problem = SquaredProblem(seed);
      const Matrix<double> M = SampleGradients(problem);
      JacobianDescent<double> optimizer({.learning_rate = 1,
                                         .aggregation = aggregation,
                                         .regularisation = 1e-9});
      const Vector<double> update = UpdateOf(optimizer, problem);
      const Vector<double> change = M * update;
      EXPECT_LT(change.maxCoeff(), 1e-6 * M.norm() * update.norm())
          << Name(aggregation) << ", seed " << seed;
      // The mean gradient would conflict with someone.
      const Vector<double> mean = M.colwise().mean().transpose();
      EXPECT_LT((M * mean).minCoeff(), 0) << "an easy problem, seed " << seed;
    }
  }
}

TEST(JacobianDescent, IsTheMeanGradientIfNothingConflicts) {
  // One sample, and the same sample twice.
  Problem<double> problem = MakeProblem<double>({.batch = 1});
  problem.data.x = problem.data.x.replicate(2, 1).eval();
  problem.data.y = problem.data.y.replicate(2, 1).eval();
  Problem<double> copy = problem;
  JacobianDescent<double> optimizer({.learning_rate = 0.5});
  Sgd<double> sgd({.learning_rate = 0.5});
  EXPECT_LT(RelativeError(UpdateOf(optimizer, problem), UpdateOf(sgd, copy)),
            1e-12);
}

template <class Method, class Options>
std::string Refusal(const Options& options) {
  try {
    const Method method(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(GramFamily, SettingsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(
      (Refusal<LevenbergMarquardt<double>>(
          LevenbergMarquardtOptions{.lambda_min = 1, .lambda_max = 0.5})),
      "LevenbergMarquardtOptions::lambda_min = 1: must satisfy lambda_min "
      "<= lambda_max, which is 0.5");
  EXPECT_EQ((Refusal<MinSr<double>>(MinSrOptions{.lambda = 0})),
            "MinSrOptions::lambda = 0: must satisfy lambda > 0");
  EXPECT_EQ((Refusal<Spring<double>>(SpringOptions{.mu = 1})),
            "SpringOptions::mu = 1: must satisfy 0 <= mu < 1");
}

}  // namespace
}  // namespace sven::optim::gram_family_test
