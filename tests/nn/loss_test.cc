// SPDX-License-Identifier: MIT
#include "sven/nn/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sven/base/error.h"
#include "sven/nn/mlp.h"
#include "testing/problems.h"

namespace sven::nn::loss_test {
namespace {

using testing::MakeProblem;

double OneLoss(const Loss& loss, const Matrix<double>& f,
               const Matrix<double>& y, std::int64_t label,
               Matrix<double>* gradient = nullptr) {
  const std::vector<std::int64_t> labels = {label};
  double value = 0;
  std::vector<double> scratch;
  Matrix<double> g(1, f.cols());
  MatrixView<double> view = MutableView(g);
  EvaluateLoss<double>(loss, View(f),
                       {.x = View(f), .y = View(y), .labels = labels},
                       {&value, 1}, &view, scratch);
  if (gradient != nullptr) *gradient = g;
  return value;
}

TEST(Loss, ValuesAreTheFormulas) {
  const Matrix<double> f{{1.0, -2.0, 0.5}};
  const Matrix<double> y{{0.5, 0.0, 0.5}};
  EXPECT_DOUBLE_EQ(OneLoss(Loss::kSquaredError, f, y, 0), 0.25 + 4);
  EXPECT_DOUBLE_EQ(OneLoss(Loss::kLabelRegression, f, y, 2), 1 + 4 + 0.25);
  EXPECT_DOUBLE_EQ(
      OneLoss(Loss::kCrossEntropy, f, y, 1),
      std::log(std::exp(1.0) + std::exp(-2.0) + std::exp(0.5)) + 2);
  EXPECT_DOUBLE_EQ(OneLoss(Loss::kHuber, f, y, 0), 0.125 + (2 - 0.5));
  EXPECT_DOUBLE_EQ(OneLoss(Loss(Loss::kHuber, 0.1), f, y, 0),
                   0.1 * (0.5 - 0.05) + 0.1 * (2 - 0.05));
}

TEST(Loss, CrossEntropyIsNeverNegativeAndNeverOverflows) {
  const Matrix<double> y(1, 2);
  EXPECT_EQ(
      OneLoss(Loss::kCrossEntropy, Matrix<double>{{1000.0, -1000.0}}, y, 0), 0);
  EXPECT_EQ(
      OneLoss(Loss::kCrossEntropy, Matrix<double>{{1000.0, -1000.0}}, y, 1),
      2000);
}

TEST(Loss, CrossEntropyKeepsItsDigitsWhenASampleIsClassifiedWell) {
  for (const double gap : {1.0, 30.0, 40.0, 300.0}) {
    Matrix<double> gradient;
    const double loss = OneLoss(Loss::kCrossEntropy, Matrix<double>{{gap, 0.0}},
                                Matrix<double>(1, 2), 0, &gradient);
    const double p = std::exp(-gap) / (1 + std::exp(-gap));
    EXPECT_NEAR(loss, std::log1p(std::exp(-gap)), 1e-15 * loss);
    EXPECT_NEAR(gradient(0, 0), -p, 1e-15 * p);
    EXPECT_NEAR(gradient(0, 1), p, 1e-15 * p);
  }
}

TEST(Loss, AHuberLimitThatIsNotPositiveIsRefused) {
  EXPECT_THROW(Loss(Loss::kHuber, 0), UsageError);
  EXPECT_THROW(Loss(Loss::kHuber, -1), UsageError);
}

TEST(Loss, TheMeanLossIsTheMeanOverTheBatch) {
  const auto problem = MakeProblem<double>({.widths = {3, 4, 2}, .batch = 5});
  const Matrix<double> f = problem.net.Predict(View(problem.data.x));
  EXPECT_NEAR(
      MeanLoss<double>(problem.net, Loss::kSquaredError, problem.Batch()),
      (f - problem.data.y).squaredNorm() / 5, 1e-14);
}

TEST(Loss, ManyOutputsAreNoSpecialCase) {
  const Matrix<double> f = testing::RandomMatrix(1, 1000, 1);
  const Matrix<double> y = testing::RandomMatrix(1, 1000, 2);
  EXPECT_NEAR(OneLoss(Loss::kSquaredError, f, y, 0), (f - y).squaredNorm(),
              1e-10);
}

TEST(CheckBatch, NamesWhatIsWrong) {
  const auto message =
      [](const std::function<void(testing::Problem<double>&)>& damage,
         Loss loss = Loss::kSquaredError) -> std::string {
    auto problem = MakeProblem<double>({.widths = {3, 4, 2}, .batch = 5});
    damage(problem);
    try {
      CheckBatch<double>(loss, problem.Batch(), 3, 2);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& p) { p.data.x.resize(5, 4); }),
            "x has 4 columns, but the network has 3 inputs");
  EXPECT_EQ(message([](auto& p) { p.data.x.resize(0, 3); }),
            "x: an empty batch; expected at least one sample");
  EXPECT_NE(message([](auto& p) {
              p.data.y.resize(5, 3);
            }).find("y has shape 5 x 3; expected 5 x 2"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.data.labels[3] = 2; }, Loss::kCrossEntropy)
                .find("label 2 of sample 3: must be from 0 to 1"),
            std::string::npos);
  EXPECT_NE(
      message([](auto& p) { p.data.labels[0] = -1; }, Loss::kLabelRegression)
          .find("label -1 of sample 0"),
      std::string::npos);
  EXPECT_NE(
      message([](auto& p) { p.data.labels.pop_back(); }, Loss::kCrossEntropy)
          .find("4 labels for 5 samples"),
      std::string::npos);
}

}  // namespace
}  // namespace sven::nn::loss_test
