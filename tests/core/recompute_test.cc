// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <utility>

#include "sven/core/dense_linearization.h"
#include "sven/core/step.h"
#include "testing/references.h"
#include "testing/solve_dense.h"

namespace sven::core::recompute_test {
namespace {

using testing::RandomMatrix;
using testing::RandomVector;
using testing::RelativeError;
using testing::Solve;

// A problem that counts how often its matrices are asked for.
class Counting : public DenseLinearization<double> {
 public:
  using DenseLinearization<double>::DenseLinearization;
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override {
    ++asked;
    DenseLinearization<double>::Gram(accumulation, K);
  }
  void Jacobian(MatrixRef<double> M) override {
    ++asked;
    DenseLinearization<double>::Jacobian(M);
  }
  int asked = 0;
};

TEST(Recompute, IsTheStepWithTheOtherNumbersFromTheSameMatrix) {
  const Matrix<double> M = RandomMatrix(12, 40, 1);
  const Vector<double> R = RandomVector(12, 2);
  const std::pair<Weighting, Weighting> pairs[] = {
      {PseudoInverse{.k = 10, .rtol = 1e-3},
       PseudoInverse{.k = 3, .rtol = 0.2}},
      {Tikhonov{0.1}, Tikhonov{7}},
      {SmoothCutoff{1e-4}, SmoothCutoff{1e-2}},
      {PowerInverse{.p = 0.5}, PowerInverse{.p = 0.25, .rcond = 0.5}}};
  for (const Road road : {Road::kGram, Road::kDense}) {
    for (const auto& [first, second] : pairs) {
      Counting problem(R, M);
      StepSolver<double> solver;
      Vector<double> update(40);
      const std::span<double> out(update.data(), 40);
      solver.Compute(problem, {.weighting = first, .road = road}, out);
      const StepOptions options{
          .learning_rate = 0.3, .weighting = second, .road = road};
      const StepReport report = solver.Recompute(problem, options, out);
      EXPECT_EQ(problem.asked, 1);
      const Step<double> expected = Solve(M, R, options);
      EXPECT_LT(RelativeError(update, expected.delta), 1e-13) << Name(road);
      EXPECT_EQ(report.kept, expected.report.kept);
      EXPECT_NEAR(report.predicted_decrease, expected.report.predicted_decrease,
                  1e-12);
    }
  }
}

TEST(Recompute, DoesNotOutliveTheNextCompute) {
  StepSolver<double> solver;
  const StepOptions options{.weighting = PseudoInverse{.rtol = 1e-3}};
  Vector<double> update(20);
  const std::span<double> out(update.data(), 20);
  for (const std::uint64_t seed : {1, 2}) {
    const Matrix<double> M = RandomMatrix(6, 20, seed);
    const Vector<double> R = RandomVector(6, seed);
    DenseLinearization<double> problem(R, M);
    solver.Compute(problem, options, out);
    solver.Recompute(problem, options, out);
    EXPECT_LT(RelativeError(update, Solve(M, R, options).delta), 1e-13);
  }
}

}  // namespace
}  // namespace sven::core::recompute_test
