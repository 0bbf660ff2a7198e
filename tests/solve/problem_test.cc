// SPDX-License-Identifier: MIT
#include "sven/solve/problem.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <limits>
#include <string>
#include <vector>

#include "sven/core/dense_linearization.h"
#include "sven/core/step.h"
#include "testing/conditions.h"
#include "testing/matrices.h"
#include "testing/tolerances.h"

namespace sven::solve::problem_test {
namespace {

using testing::Rounding;
using testing::Span;

std::vector<double> Theta(Index N) {
  std::vector<double> theta;
  for (Index i = 0; i < N; ++i) {
    theta.push_back(0.3 + std::sin(static_cast<double>(i)));
  }
  return theta;
}

// By the formulas.
Matrix<double> PlainJacobian(std::span<const double> theta, Index B) {
  Matrix<double> M(B, std::ssize(theta));
  for (Index a = 0; a < B; ++a) {
    for (Index i = 0; i < M.cols(); ++i) {
      M(a, i) = testing::WaveSlope(theta, a, i);
    }
  }
  return M;
}

struct Form {
  std::string name;
  std::function<void(Problem<double>&, Index)> add;
};

std::vector<Form> Forms() {
  using P = Problem<double>;
  const auto with = [](auto function, Mode mode = Mode::kAuto) {
    return [=](P& problem, Index count) {
      problem.Add("wave", count, function, {.mode = mode});
    };
  };
  return {
      {"all", with(testing::WaveAll())},
      {"all forward", with(testing::WaveAll(), Mode::kForward)},
      {"all reverse", with(testing::WaveAll(), Mode::kReverse)},
      {"rows forward", with(testing::WaveRows(), Mode::kForward)},
      {"rows reverse", with(testing::WaveRows(), Mode::kReverse)},
      {"jacobian", with(testing::WaveJacobianAll())},
      {"jacobian rows", with(testing::WaveJacobianRows())},
      {"products rows", with(testing::WaveProductsRows())},
      {"products",
       [](P& problem, Index count) {
         problem.Add("wave", count, testing::WaveProductsAll{{}, count});
       }},
  };
}

struct Shape {
  Index B;
  Index N;
  Index stored;  // entries of M that are kept
};

class FormTest : public ::testing::TestWithParam<Shape> {};

// Stored, and asked again in blocks down to single rows.
INSTANTIATE_TEST_SUITE_P(All, FormTest,
                         ::testing::Values(Shape{5, 3, 1000}, Shape{1, 2, 1000},
                                           Shape{4, 20, 1000},
                                           Shape{30, 9, 1000}, Shape{4, 20, 50},
                                           Shape{9, 21, 100}, Shape{20, 30, 0}),
                         [](const auto& shape) {
                           return "B" + std::to_string(shape.param.B) + "N" +
                                  std::to_string(shape.param.N) + "S" +
                                  std::to_string(shape.param.stored);
                         });

TEST_P(FormTest, EveryFormHasTheProductsOfTheFormulas) {
  const auto [B, N, stored] = GetParam();
  const std::vector<double> theta = Theta(N);
  const Matrix<double> M = PlainJacobian(theta, B);
  const Matrix<double> K = M * M.transpose();
  RandomStream random(3, RandomUse::kData);
  const Vector<double> w = testing::RandomVector(B, random);
  const Vector<double> v = testing::RandomVector(N, random);
  for (const Form& form : Forms()) {
    SCOPED_TRACE(form.name);
    Problem<double> problem(N, {.stored_entries = stored});
    form.add(problem, B);
    problem.MoveTo(theta);
    ASSERT_EQ(problem.NumConditions(), B);
    for (Index a = 0; a < B; ++a) {
      EXPECT_NEAR(problem.Residuals()[a],
                  testing::WaveResidual(std::span<const double>(theta), a),
                  Rounding<double>());
    }
    Matrix<double> formed(B, N);
    problem.Jacobian(formed);
    EXPECT_LT((formed - M).norm(), Rounding<double>() * M.norm());
    Matrix<double> gram(B, B);
    problem.Gram(linalg::Accumulation::kDouble, gram);
    const Matrix<double> lower = (gram - K).triangularView<Eigen::Lower>();
    EXPECT_LT(lower.norm(), Rounding<double>() * K.norm());
    Vector<double> pulled(N);
    problem.PullBack(Span(w), Span(pulled));
    EXPECT_LT((pulled - M.transpose() * w).norm(),
              Rounding<double>() * M.norm() * w.norm());
    Vector<double> pushed(B);
    problem.PushForward(Span(v), Span(pushed));
    EXPECT_LT((pushed - M * v).norm(),
              Rounding<double>() * M.norm() * v.norm());
  }
}

TEST(Problem, FloatHasTheSameConditions) {
  const std::vector<double> theta = Theta(5);
  const std::vector<float> single(theta.begin(), theta.end());
  Problem<float> problem(5);
  problem.Add("wave", 8, testing::WaveRows());
  problem.MoveTo(single);
  Matrix<double> M(8, 5);
  problem.Jacobian(M);
  EXPECT_LT((M - PlainJacobian(theta, 8)).norm(), Rounding<float>() * M.norm());
}

// Streamed, a tall problem becomes a square one with the same step.
TEST(Problem, CompressedConditionsHaveTheSameStepCostAndGradient) {
  const Index B = 300;
  const Index N = 6;
  const std::vector<double> theta = Theta(N);
  for (const Index stored : {0, 100, 1000}) {
    for (const bool rows : {false, true}) {
      Problem<double> whole(N);
      Problem<double> streamed(N, {.stored_entries = stored});
      for (auto* problem : {&whole, &streamed}) {
        if (rows) {
          problem->Add("wave", B, testing::WaveRows(), {.weight = 2});
        } else {
          problem->Add("wave", B, testing::WaveJacobianAll(), {.weight = 2});
        }
        problem->MoveTo(theta);
      }
      EXPECT_EQ(streamed.NumConditions(), N);
      EXPECT_EQ(streamed.NumSummed(), B);
      EXPECT_EQ(whole.NumConditions(), B);
      EXPECT_EQ(streamed.CostHere(), whole.CostHere());
      EXPECT_EQ(streamed.Loss(), whole.Loss());
      const auto expected = core::SvenStep<double>(whole);
      const auto step = core::SvenStep<double>(streamed);
      EXPECT_LT((step.delta - expected.delta).norm(),
                Rounding<double>(100) * expected.delta.norm());
      EXPECT_NEAR(step.report.predicted_decrease,
                  expected.report.predicted_decrease,
                  Rounding<double>() * whole.CostHere());
      EXPECT_EQ(step.report.kept, expected.report.kept);
    }
  }
}

TEST(Problem, WeightsMultiplyTheSquaresOfAGroup) {
  const std::vector<double> theta = Theta(3);
  Problem<double> plain(3);
  plain.Add("wave", 5, testing::WaveAll());
  Problem<double> problem(3);
  problem.Add("first", 5, testing::WaveAll(), {.weight = 4});
  problem.Add("second", 5, testing::WaveJacobianAll(), {.weight = 0.25});
  plain.MoveTo(theta);
  problem.MoveTo(theta);
  ASSERT_EQ(problem.NumConditions(), 10);
  Matrix<double> M(10, 3);
  problem.Jacobian(M);
  const Matrix<double> expected = PlainJacobian(theta, 5);
  EXPECT_LT((M.topRows(5) - 2 * expected).norm(), Rounding<double>());
  EXPECT_LT((M.bottomRows(5) - expected / 2).norm(), Rounding<double>());
  EXPECT_NEAR(problem.CostHere(), 4.25 * plain.CostHere(),
              Rounding<double>() * plain.CostHere());
  EXPECT_NEAR(problem.Cost(theta), problem.CostHere(), Rounding<double>(10));
  EXPECT_EQ(problem.GroupResiduals("second", theta),
            problem.GroupResiduals("first", theta));
}

TEST(Problem, TheMeanCostOfBatchesIsTheFullCost) {
  const std::vector<double> theta = Theta(3);
  Problem<double> problem(3);
  problem.Add("data", 40, testing::WaveRows(), {.batch = 7});
  problem.Add("boundary", 3, testing::WaveAll(), {.weight = 2});
  EXPECT_TRUE(problem.Sampled());
  EXPECT_EQ(problem.NumConditions(), 10);
  RandomStream random(1, RandomUse::kSubsampling);
  double sum = 0;
  double squares = 0;
  const int draws = 4000;
  for (int draw = 0; draw < draws; ++draw) {
    problem.Draw(random);
    const double cost = problem.Cost(theta);
    sum += cost;
    squares += cost * cost;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(mean, problem.FullCost(theta), 4 * error);
  EXPECT_GT(error, 0);
}

TEST(Problem, ABatchOfAFunctionThatTakesNoRowsIsPicked) {
  const std::vector<double> theta = Theta(4);
  Problem<double> picked(4);
  Problem<double> asked(4);
  picked.Add("wave", 30, testing::WaveAll(), {.batch = 6});
  asked.Add("wave", 30, testing::WaveRows(), {.batch = 6});
  RandomStream first(5, RandomUse::kSubsampling);
  RandomStream second(5, RandomUse::kSubsampling);
  Matrix<double> M(6, 4);
  Matrix<double> expected(6, 4);
  for (int draw = 0; draw < 3; ++draw) {
    picked.Draw(first);
    asked.Draw(second);
    picked.MoveTo(theta);
    asked.MoveTo(theta);
    picked.Jacobian(M);
    asked.Jacobian(expected);
    EXPECT_EQ(M, expected);
    EXPECT_EQ(picked.CostHere(), asked.CostHere());
  }
}

// The last condition cannot be evaluated.
struct NanAtTheEnd {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    testing::WaveAll()(theta, r);
    r.back() += std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(Problem, ANanResidualLeavesTheOthersTheirJacobian) {
  const std::vector<double> theta = Theta(4);
  for (const Index stored : {1000, 0}) {
    Problem<double> problem(4, {.stored_entries = stored});
    problem.Add("wave", 3, NanAtTheEnd());
    problem.MoveTo(theta);
    EXPECT_TRUE(std::isnan(problem.CostHere()));
    Matrix<double> M(3, 4);
    problem.Jacobian(M);
    const Matrix<double> expected = PlainJacobian(theta, 3);
    EXPECT_LT((M - expected).topRows(2).norm(), Rounding<double>());
  }
}

TEST(Problem, ANanResidualIsAStatusOfTheStepHoweverMIsKept) {
  for (const Index stored : {1000, 0}) {
    for (const Index B : {3, 20}) {
      Problem<double> problem(4, {.stored_entries = stored});
      problem.Add("wave", B, NanAtTheEnd());
      problem.MoveTo(Theta(4));
      ASSERT_EQ(std::ssize(problem.Residuals()), problem.NumConditions());
      const auto step = core::SvenStep<double>(problem);
      EXPECT_EQ(step.report.status, StepStatus::kNonFiniteResidual);
    }
  }
}

TEST(Problem, AJacobianOfTheWrongSizeIsRefused) {
  Problem<double> problem(4);
  problem.Add("wave", 3, testing::WaveAll());
  Matrix<double> M(3, 4);
  EXPECT_THROW(problem.Jacobian(M), std::logic_error);  // before MoveTo
  problem.MoveTo(Theta(4));
  EXPECT_NO_THROW(problem.Jacobian(M));
  Matrix<double> flat(2, 4);
  EXPECT_THROW(problem.Jacobian(flat), std::logic_error);
}

struct OnAThread {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    std::async(std::launch::async, [&] { testing::WaveAll()(theta, r); }).get();
  }
};

TEST(Problem, AFunctionThatUsesThreadsIsToldToBeInForwardMode) {
  const std::vector<double> theta = Theta(4);
  // Kept, and asked again for products.
  for (const Index stored : {1000, 0}) {
    Problem<double> reverse(4, {.stored_entries = stored});
    Problem<double> forward(4, {.stored_entries = stored});
    reverse.Add("wave", 3, OnAThread(), {.mode = Mode::kReverse});
    forward.Add("wave", 3, OnAThread(), {.mode = Mode::kForward});
    const std::vector<double> w = {1, 2, 3};
    Vector<double> product(4);
    try {
      reverse.MoveTo(theta);
      reverse.PullBack(w, Span(product));
      ADD_FAILURE();
    } catch (const DataError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("group 'wave': ")) << text;
      EXPECT_NE(text.find("GroupOptions::mode = Mode::kForward"),
                std::string::npos)
          << text;
    }
    forward.MoveTo(theta);
    forward.PullBack(w, Span(product));
    const Vector<double> expected = PlainJacobian(theta, 3).transpose() *
                                    ConstVectorView<double>(w.data(), 3);
    EXPECT_LT((product - expected).norm(),
              Rounding<double>() * expected.norm());
  }
}

// Derivatives by hand that nothing would call.
struct NotConst : testing::WaveAll {
  void Jacobian(std::span<const double> theta, MatrixView<double> M);
};
struct OtherMatrix : testing::WaveAll {
  void Jacobian(std::span<const double> theta, Eigen::MatrixXd& M) const;
};
struct OtherNumber : testing::WaveAll {
  void Jacobian(std::span<const float> theta, MatrixView<float> M) const;
};
struct Overloaded : testing::WaveAll {
  void Jacobian(std::span<const double> theta) const;
  void Jacobian(MatrixView<double> M) const;
};
struct Templated : testing::WaveAll {
  template <class T>
  void Jacobian(std::span<const T> theta, Eigen::MatrixXd& M) const;
};
struct Final final : testing::WaveAll {
  void Jacobian(std::span<const double> theta, MatrixView<double> M);
};
struct WithoutRows : testing::WaveRows {
  void Jacobian(std::span<const double> theta, MatrixView<double> M) const;
};
struct WithRows : testing::WaveAll {
  void Jacobian(std::span<const double> theta, std::span<const Index> rows,
                MatrixView<double> M) const;
};
static_assert(MisdeclaresJacobian<NotConst, double>);
static_assert(MisdeclaresJacobian<OtherMatrix, double>);
static_assert(MisdeclaresJacobian<OtherNumber, double>);
static_assert(MisdeclaresJacobian<Overloaded, double>);
static_assert(MisdeclaresJacobian<Templated, double>);
static_assert(MisdeclaresJacobian<Final, double>);
static_assert(MisdeclaresJacobian<WithoutRows, double>);
static_assert(MisdeclaresJacobian<WithRows, double>);

struct OneProduct : testing::WaveAll {
  void PullBack(std::span<const double> theta, std::span<const double> w,
                std::span<double> out) const;
};
struct OtherProduct : testing::WaveAll {
  void PushForward(std::span<const double> theta, std::span<const double> v,
                   std::span<double> out) const;
};
struct ProductsWithoutRows : testing::WaveRows {
  void PullBack(std::span<const double> theta, std::span<const double> w,
                std::span<double> out) const;
  void PushForward(std::span<const double> theta, std::span<const double> v,
                   std::span<double> out) const;
};
static_assert(MisdeclaresProducts<OneProduct, double>);
static_assert(MisdeclaresProducts<OtherProduct, double>);
static_assert(MisdeclaresProducts<ProductsWithoutRows, double>);

template <class F>
constexpr bool kFits =
    !MisdeclaresJacobian<F, double> && !MisdeclaresProducts<F, double>;
// A Jacobian with a helper of its own.
struct JacobianAndOneProduct : OneProduct {
  void Jacobian(std::span<const double> theta, MatrixView<double> M) const;
};
struct FinalAndFits final : testing::WaveJacobianAll {};
using Pointer = void (*)(std::span<const double>, std::span<double>);
static_assert(kFits<testing::WaveAll> && kFits<testing::WaveRows>);
static_assert(kFits<testing::WaveJacobianAll>);
static_assert(kFits<testing::WaveJacobianRows>);
static_assert(kFits<testing::WaveProductsAll>);
static_assert(kFits<testing::WaveProductsRows>);
static_assert(kFits<JacobianAndOneProduct>);
static_assert(kFits<FinalAndFits> && kFits<Pointer>);
static_assert(kFits<decltype([](auto x, auto r) { r[0] = x[0]; })>);

std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Problem, WrongSettingsOfAGroupAreNamed) {
  Problem<double> problem(2);
  const auto add = [&](Index count, const GroupOptions& options) {
    return MessageOf(
        [&] { problem.Add("data", count, testing::WaveAll(), options); });
  };
  EXPECT_EQ(add(0, {}), "group 'data': count = 0: must satisfy count >= 1");
  EXPECT_EQ(add(2, {.weight = 0}),
            "group 'data': weight = 0: must satisfy weight > 0");
  EXPECT_EQ(add(2, {.batch = 3}),
            "group 'data': batch = 3: must satisfy 1 <= batch <= 2, the number "
            "of conditions");
  EXPECT_EQ(add(2, {}), "nothing thrown");
  EXPECT_EQ(add(2, {}), "group 'data': the name is taken");
  EXPECT_EQ(MessageOf([] { Problem<double> none(0); }),
            "Problem::parameters = 0: must satisfy parameters >= 1");
}

}  // namespace
}  // namespace sven::solve::problem_test
