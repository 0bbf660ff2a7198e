// SPDX-License-Identifier: MIT
//
// The twin of everything here is the network in plain loops (testing/jets.h) in
// the numbers of a tape: R and M by reverse mode, row by row.
#include "sven/pde/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equations.h"
#include "sven/core/step.h"
#include "sven/solve/solve.h"
#include "testing/jets.h"

namespace sven::pde::problem_test {
namespace {

// Nonlinear in everything that it may ask for.
struct Everything {
  Derivatives derivatives;
  Index outputs = 1;
  Index unknowns = 0;

  template <class S>
  S operator()(const Field<double, S>& all) const {
    using std::exp, std::sin;
    S sum = S(0.3 * all.X(0));
    for (Index o = 0; o < outputs; ++o) {
      const Field<double, S> u = all.Of(o);
      sum += u.Value() * u.Value() + sin(u.Value()) * all.X(1);
      if (derivatives >= Derivatives::kGradient) sum += u.Value() * u.D(0);
      if (derivatives >= Derivatives::kGradient) sum += u.D(1) * u.D(0);
      if (derivatives >= Derivatives::kLaplacian) {
        sum += u.Laplacian() * (1.0 + u.D(1));
      }
      if (derivatives >= Derivatives::kDiagonal) sum += u.D(1, 1) * u.D(0, 0);
      if (derivatives == Derivatives::kHessian) sum += exp(0.1 * u.D(0, 1));
    }
    for (Index j = 0; j < unknowns; ++j) {
      sum += all.Unknown(j) * all.Value() + 0.1 * all.Unknown(j);
    }
    return sum;
  }
};

struct Twin {
  Matrix<double> M;
  Vector<double> R;
};

// Appends the rows of a group.
template <class F>
void AddTwin(const nn::Mlp<double>& net, std::span<const double> theta,
             const Matrix<double>& points, const F& function,
             Derivatives derivatives, double scale, Twin& twin) {
  using S = solve::Tracked<double>;
  const Index before = twin.R.size();
  twin.R.conservativeResize(before + points.rows());
  twin.M.conservativeResize(before + points.rows(), std::ssize(theta));
  for (Index a = 0; a < points.rows(); ++a) {
    solve::Tape<double> tape;
    tape.Start(theta);
    S result;
    {
      const solve::Recording<double> recording(tape);
      const auto jet = testing::JetTwin<S>(
          net.Layers(), tape.Variables(),
          {points.row(a).data(), static_cast<std::size_t>(points.cols())},
          derivatives);
      result = function(Field<double, S>(
          {.shape = {points.cols(), derivatives},
           .outputs = net.NumOutputs(),
           .row = a,
           .x = points.row(a).data(),
           .jet = jet.data(),
           .unknowns = tape.Variables().subspan(net.NumParameters())}));
    }
    tape.Clear();
    tape.Seed(result, scale);
    tape.Sweep();
    twin.R[before + a] = scale * result.Value();
    twin.M.row(before + a) =
        ConstVectorView<double>(tape.Gradient().data(), std::ssize(theta))
            .transpose();
  }
}

std::span<const double> Span(const Vector<double>& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> Span(Vector<double>& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// Residuals, M, K on both roads, M^T w, M v, against the twin.
void ExpectLike(const Twin& twin, Problem<double>& problem) {
  const Index B = problem.NumConditions();
  const Index N = problem.NumParameters();
  const double unit = 1e-9 * std::max(1.0, twin.M.cwiseAbs().maxCoeff());
  const ConstVectorView<double> R(problem.Residuals().data(), B);
  EXPECT_LT((R - twin.R).cwiseAbs().maxCoeff(), unit);
  Matrix<double> M(B, N);
  problem.Jacobian(M);
  EXPECT_TRUE(R.allFinite() && M.allFinite());
  EXPECT_LT((M - twin.M).cwiseAbs().maxCoeff(), unit);
  const Matrix<double> K = twin.M * twin.M.transpose();
  for (const auto road :
       {nn::JetRoad::kColumns, nn::JetRoad::kPairs, nn::JetRoad::kAuto}) {
    problem.SetRoad(road);
    Matrix<double> is = Matrix<double>::Constant(B, B, 7);
    problem.Gram(linalg::Accumulation::kDouble, is);
    const Matrix<double> lower = (is - K).triangularView<Eigen::Lower>();
    EXPECT_LT(lower.cwiseAbs().maxCoeff(), 1e-9 * K.diagonal().maxCoeff())
        << static_cast<int>(road);
  }
  Vector<double> w(B);
  Vector<double> v(N);
  for (Index a = 0; a < B; ++a) w[a] = std::sin(1.0 + 2.0 * double(a));
  for (Index i = 0; i < N; ++i) v[i] = std::cos(3.0 * double(i));
  Vector<double> back(N);
  Vector<double> forward(B);
  problem.PullBack(Span(std::as_const(w)), Span(back));
  problem.PushForward(Span(std::as_const(v)), Span(forward));
  EXPECT_LT((back - twin.M.transpose() * w).cwiseAbs().maxCoeff(), 10 * unit);
  EXPECT_LT((forward - twin.M * v).cwiseAbs().maxCoeff(), 10 * unit);
  EXPECT_NEAR(w.dot(forward), v.dot(back), 10 * unit);
}

TEST(PdeProblem, ProductsAreThoseOfTheDenseJacobian) {
  for (const Activation f :
       {Activation::kTanh, Activation::kGelu, Activation::kSilu}) {
    const nn::Mlp<double> net = Network({2, 6, 5, 2}, f);
    for (const Derivatives derivatives :
         {Derivatives::kValue, Derivatives::kGradient, Derivatives::kLaplacian,
          Derivatives::kDiagonal, Derivatives::kHessian}) {
      const Everything function{derivatives, 2, 2};
      const Matrix<double> points = RandomPoints(9, 2, 1);
      const Matrix<double> edge = RandomPoints(4, 2, 2);
      Problem<double> problem(net, 2);
      problem.Add("interior", points, function,
                  {.derivatives = derivatives, .weight = 4});
      problem.Add("edge", edge, Value());
      const auto theta = problem.Start(std::vector<double>{0.7, -0.4});
      problem.MoveTo(theta);
      Twin twin;
      AddTwin(net, theta, points, function, derivatives, 2.0, twin);
      AddTwin(net, theta, edge, Value(), Derivatives::kValue, 1.0, twin);
      SCOPED_TRACE(std::string(Name(f)) + ", " +
                   std::string(Name(derivatives)));
      ExpectLike(twin, problem);
    }
  }
}

TEST(PdeProblem, BlocksOfPairsCoverManyPoints) {
  const nn::Mlp<double> net = Network({2, 4, 4, 1});
  const Everything function{Derivatives::kLaplacian};
  const Matrix<double> points = RandomPoints(130, 2, 3);
  const Matrix<double> edge = RandomPoints(250, 2, 4);
  Problem<double> problem(net);
  problem.Add("interior", points, function,
              {.derivatives = Derivatives::kLaplacian});
  problem.Add("edge", edge, Value());
  problem.MoveTo(net.Parameters());
  Twin twin;
  AddTwin(net, net.Parameters(), points, function, Derivatives::kLaplacian, 1,
          twin);
  AddTwin(net, net.Parameters(), edge, Value(), Derivatives::kValue, 1, twin);
  ExpectLike(twin, problem);
}

// A jet of 102 numbers is differentiated on the tape.
struct Sum {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    return u.Laplacian() + u.Value() * u.D(99);
  }
};

TEST(PdeProblem, HasAHundredDimensions) {
  const nn::Mlp<double> net = Network({100, 5, 4, 1});
  const Matrix<double> points = RandomPoints(3, 100, 5);
  Problem<double> problem(net);
  problem.Add("interior", points, Sum(),
              {.derivatives = Derivatives::kLaplacian});
  problem.MoveTo(net.Parameters());
  Twin twin;
  AddTwin(net, net.Parameters(), points, Sum(), Derivatives::kLaplacian, 1,
          twin);
  ExpectLike(twin, problem);
}

TEST(PdeProblem, FrozenTensorsHaveNoColumns) {
  nn::Mlp<double> net = Network({2, 5, 4, 1});
  net.Freeze(0, true, false);
  net.Freeze(1, false, true);
  const Everything function{Derivatives::kLaplacian};
  const Matrix<double> points = RandomPoints(6, 2, 6);
  Problem<double> problem(net);
  problem.Add("interior", points, function,
              {.derivatives = Derivatives::kLaplacian});
  problem.MoveTo(net.Parameters());
  Twin twin;
  AddTwin(net, net.Parameters(), points, function, Derivatives::kLaplacian, 1,
          twin);
  const auto& layers = net.Layers();
  twin.M.middleCols(layers[0].weight_offset, layers[0].WeightSize()).setZero();
  twin.M.middleCols(layers[1].bias_offset, layers[1].BiasSize()).setZero();
  ExpectLike(twin, problem);
}

TEST(PdeProblem, CostIsThatOfTheResidualsAndLeavesTheLinearisationAlone) {
  const nn::Mlp<double> net = Network({2, 5, 4, 1});
  Problem<double> problem(net, 1);
  problem.Add("interior", RandomPoints(700, 2, 7),
              Everything{Derivatives::kLaplacian, 1, 1},
              {.derivatives = Derivatives::kLaplacian, .weight = 3});
  auto theta = problem.Start(std::vector<double>{0.2});
  problem.MoveTo(theta);
  const double here = problem.CostHere();
  EXPECT_NEAR(problem.Cost(theta), here, 1e-12 * here);
  EXPECT_NEAR(problem.FullCost(theta), here, 1e-12 * here);
  const std::vector<double> before(problem.Residuals().begin(),
                                   problem.Residuals().end());
  Vector<double> back(problem.NumParameters());
  problem.PullBack(before, Span(back));
  for (double& p : theta) p += 0.1;
  EXPECT_GT(std::abs(problem.Cost(theta) - here), 1e-3 * here);
  Vector<double> again(problem.NumParameters());
  problem.PullBack(problem.Residuals(), Span(again));
  EXPECT_EQ(back, again);
}

TEST(PdeProblem, ADrawnBatchHasTheShareOfItsGroup) {
  const nn::Mlp<double> net = Network({2, 5, 1});
  Problem<double> problem(net);
  const Matrix<double> points = RandomPoints(40, 2, 8);
  problem.Add("interior", points, Value(), {.weight = 2, .batch = 10});
  EXPECT_TRUE(problem.Sampled());
  RandomStream random(1, RandomUse::kSubsampling);
  double sum = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    problem.Draw(random);
    EXPECT_EQ(problem.NumConditions(), 10);
    sum += problem.Cost(net.Parameters());
  }
  const double full = problem.FullCost(net.Parameters());
  EXPECT_NEAR(sum / kDraws, full, 0.02 * full);
}

// c u' = -u with c unknown; data of exp(-x / 2) at three points.
struct Relaxation {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    return u.D(0) * u.Unknown(0) + u.Value();
  }
};
struct Data {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    return u.Value() - std::exp(-u.X(0) / 2);
  }
};

TEST(PdeProblem, EveryMethodSolvesAnEquationWithAnUnknownCoefficient) {
  const nn::Mlp<double> net({1, 8, 1}, Activation::kTanh, 1);
  Matrix<double> points(20, 1);
  for (Index a = 0; a < 20; ++a) points(a, 0) = static_cast<double>(a) / 10;
  Matrix<double> data(3, 1);
  data << 0, 1, 2;
  const solve::Method methods[] = {
      solve::LevenbergMarquardt{}, solve::AdaptiveSven{},
      solve::Sven{.learning_rate = 0.5, .truncation = {.rtol = 1e-3}},
      solve::Spring{.learning_rate = 0.1, .lambda = 0.1}};
  for (const solve::Method& method : methods) {
    Problem<double> problem(net, 1);
    problem.Add("interior", points, Relaxation(),
                {.derivatives = Derivatives::kGradient});
    problem.Add("data", data, Data(), {.weight = 10});
    auto theta = problem.Start(std::vector<double>{1.0});
    sven::Solve(problem, theta, {.method = method, .max_iterations = 500});
    EXPECT_NEAR(theta.back(), 2, 0.02) << method.index();
  }
}

TEST(PdeProblem, SinglePrecisionSolvesToo) {
  struct Single {
    float operator()(const Field<float, float>& u) const {
      return u.Value() - u.X(0);
    }
    void Slopes(const Field<float, float>& /*u*/,
                FieldSlopes<float>& slopes) const {
      slopes.AddValue(1);
    }
  };
  nn::Mlp<float> net({1, 8, 1}, Activation::kTanh, 1);
  Matrix<float> points(10, 1);
  for (Index a = 0; a < 10; ++a) points(a, 0) = static_cast<float>(a) / 10;
  Problem<float> problem(net);
  problem.Add("line", points, Single());
  const auto summary = sven::Solve(problem, net.Parameters());
  EXPECT_LT(summary.final_cost, 1e-6);
}

// The same condition with and without derivatives of its own.
TEST(PdeProblem, SlopesByHandGiveTheSameJacobian) {
  const nn::Mlp<double> net = Network({2, 6, 1});
  const Matrix<double> points = RandomPoints(5, 2, 9);
  Matrix<double> M[2];
  for (int way = 0; way < 2; ++way) {
    Problem<double> problem(net);
    const GroupOptions options{.derivatives = Derivatives::kDiagonal};
    if (way == 0) problem.Add("pde", points, Burgers(), options);
    if (way == 1) problem.Add("pde", points, BurgersByHand(), options);
    problem.MoveTo(net.Parameters());
    M[way].resize(5, net.NumParameters());
    problem.Jacobian(M[way]);
    EXPECT_EQ(problem.JacobianFault(net.Parameters(), {}), "");
  }
  EXPECT_LT((M[0] - M[1]).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(PdeProblem, FrozenTensorsDoNotMoveInAnyMethod) {
  for (const solve::Method& method :
       {solve::Method(solve::LevenbergMarquardt{}),
        solve::Method(solve::AdaptiveSven{}), solve::Method(solve::Sven{}),
        solve::Method(solve::Spring{})}) {
    nn::Mlp<double> net({1, 4, 1}, Activation::kTanh, 1);
    net.Freeze(0);
    const std::vector<double> before(net.Parameters().begin(),
                                     net.Parameters().end());
    Matrix<double> points(10, 1);
    for (Index a = 0; a < 10; ++a) points(a, 0) = static_cast<double>(a) / 10;
    Problem<double> problem(net);
    problem.Add("square", points,
                [](const auto& u) { return u.Value() - u.X(0) * u.X(0); });
    const auto summary = sven::Solve(problem, net.Parameters(),
                                     {.method = method, .max_iterations = 100});
    EXPECT_LT(summary.final_cost, 0.1 * summary.initial_cost) << method.index();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(net.Parameters()[i], before[i]) << method.index();
    }
  }
}

// Residuals of a drawn batch are those of its points, in its order.
TEST(PdeProblem, ADrawnBatchIsLinearisedAtItsOwnPoints) {
  const nn::Mlp<double> net = Network({2, 5, 1});
  Matrix<double> points = RandomPoints(40, 2, 8);
  Problem<double> problem(net);
  problem.Add("numbered", points,
              [&](const auto& u) {
                EXPECT_EQ(u.X(0), points(u.Row(), 0));
                EXPECT_EQ(u.X(1), points(u.Row(), 1));
                return u.Value() + static_cast<double>(u.Row());
              },
              {.batch = 10});
  const Vector<double> all =
      problem.GroupResiduals("numbered", net.Parameters());
  RandomStream random(1, RandomUse::kSubsampling);
  problem.Draw(random);
  problem.MoveTo(net.Parameters());
  EXPECT_EQ(problem.Describe(0).substr(0, 23), "group 'numbered', point");
  for (Index a = 0; a < 10; ++a) {
    const std::string text = problem.Describe(a);
    const auto row = std::stol(text.substr(text.rfind(' ')));
    EXPECT_NEAR(problem.Residuals()[a], 2 * all[row], 1e-12);  // sqrt(40 / 10)
  }
}

struct Both {
  template <class T, class S>
  S operator()(const Field<T, S>& u) const {
    return u.Laplacian() * u.Value() + u.D(0);
  }
};

TEST(PdeProblem, ProductsInSinglePrecisionAreThoseInDouble) {
  const nn::Mlp<double> net = Network({2, 6, 5, 1});
  nn::Mlp<float> single({2, 6, 5, 1}, Activation::kTanh, 1);
  for (Index i = 0; i < net.NumParameters(); ++i) {
    single.Parameters()[i] = static_cast<float>(net.Parameters()[i]);
  }
  const Matrix<double> points = RandomPoints(12, 2, 5);
  Problem<double> exact(net);
  exact.Add("all", points, Both(), {.derivatives = Derivatives::kLaplacian});
  Problem<float> rounded(single);
  rounded.Add("all", points.cast<float>(), Both(),
              {.derivatives = Derivatives::kLaplacian});
  exact.MoveTo(net.Parameters());
  rounded.MoveTo(single.Parameters());
  Matrix<double> K(12, 12);
  Matrix<double> L(12, 12);
  exact.Gram(linalg::Accumulation::kDouble, K);
  rounded.Gram(linalg::Accumulation::kDouble, L);
  const auto lower = [](Matrix<double>& A) {
    A.triangularView<Eigen::StrictlyUpper>().setZero();
  };
  lower(K);
  lower(L);
  EXPECT_LT((K - L).norm(), 1e-4 * K.norm());
  const std::vector<double> w(12, 1.0);
  Vector<double> out(net.NumParameters());
  exact.PullBack(w, Span(out));
  std::vector<float> out_single(single.Parameters().size());
  rounded.PullBack(w, out_single);
  const ConstVectorView<float> view(out_single.data(), out.size());
  EXPECT_LT((out - view.cast<double>()).norm(), 1e-4 * out.norm());
}

}  // namespace
}  // namespace sven::pde::problem_test
