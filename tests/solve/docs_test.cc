// SPDX-License-Identifier: MIT
//
// The programs in docs/conditions.md that are not examples; scripts/check_docs.sh
// compares the page with this file.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sven/solve/check_jacobian.h"
#include "sven/solve/covariance.h"
#include "sven/solve/solve.h"

namespace {

namespace solve = sven::solve;
using sven::Index;
using sven::MatrixView;

// u(x) = sum_k theta_k x^k is to solve u'' = -pi^2 sin(pi x), u(0) = u(1) = 0.
struct Interior {
  double points;

  template <class T>
  void operator()(std::span<const T> theta, std::span<const Index> rows,
                  std::span<T> residuals) const {
    for (std::size_t a = 0; a < rows.size(); ++a) {
      const double x = (static_cast<double>(rows[a]) + 0.5) / points;
      T second = 0;  // u''(x)
      for (int k = 2; k < std::ssize(theta); ++k) {
        second += k * (k - 1) * std::pow(x, k - 2) * theta[k];
      }
      const double pi = std::numbers::pi;
      residuals[a] = second + pi * pi * std::sin(pi * x);
    }
  }
};

struct Boundary {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    residuals[0] = theta[0];  // u(0)
    residuals[1] = 0;         // u(1)
    for (const T& coefficient : theta) residuals[1] += coefficient;
  }
};

double SolutionAtHalf(const std::vector<double>& theta) {
  double u = 0;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    u += theta[k] * std::pow(0.5, static_cast<double>(k));
  }
  return u;
}

TEST(Documentation, GroupsWithWeightsAndBatches) {
  solve::Problem<double> problem(10);
  problem.Add("interior", 1000, Interior{1000}, {.batch = 20});
  problem.Add("boundary", 2, Boundary(), {.weight = 100});

  std::vector<double> theta(10, 0.0);
  const solve::Summary summary = sven::Solve(
      problem, theta,
      {.method = solve::AdaptiveSven{}, .max_iterations = 300, .seed = 1});

  EXPECT_LT(summary.final_cost, 1e-3) << summary.Brief();
  EXPECT_NEAR(SolutionAtHalf(theta), 1, 1e-3);
}

struct Decay {
  std::vector<double> t, y;

  void operator()(std::span<const double> theta,
                  std::span<double> residuals) const {
    for (std::size_t a = 0; a < t.size(); ++a) {
      residuals[a] = theta[0] * std::exp(-theta[1] * t[a]) - y[a];
    }
  }
  // M_ai = dr_a / dtheta_i
  void Jacobian(std::span<const double> theta, MatrixView<double> M) const {
    for (std::size_t a = 0; a < t.size(); ++a) {
      const double e = std::exp(-theta[1] * t[a]);
      M(a, 0) = e;
      M(a, 1) = -theta[0] * t[a] * e;
    }
  }
};

TEST(Documentation, AJacobianByHandIsChecked) {
  const Decay decay{{0, 1, 2, 3}, {2, 1.2, 0.7, 0.5}};
  solve::Problem<double> problem(2);
  problem.Add("decay", 4, decay);
  std::vector<double> theta = {1, 1};

  for (const auto& wrong : solve::CheckJacobian<double>(problem, theta)) {
    std::puts(wrong.Describe().c_str());
  }

  EXPECT_TRUE(solve::CheckJacobian<double>(problem, theta).empty());
  const solve::Summary summary =
      sven::Solve(problem, theta, {.check = solve::JacobianCheck::kAtStart});
  EXPECT_TRUE(summary.Converged());
}

// A circulant matrix that is never formed: r_a = theta_a - theta_(a+1) / 2 - 1.
struct Circulant {
  void operator()(std::span<const double> theta,
                  std::span<double> residuals) const {
    PushForward(theta, theta, residuals);
    for (double& r : residuals) r -= 1;
  }
  // out = M v
  void PushForward(std::span<const double> /*theta*/, std::span<const double> v,
                   std::span<double> out) const {
    const std::size_t n = v.size();
    for (std::size_t a = 0; a < n; ++a) out[a] = v[a] - v[(a + 1) % n] / 2;
  }
  // out = M^T w
  void PullBack(std::span<const double> /*theta*/, std::span<const double> w,
                std::span<double> out) const {
    const std::size_t n = w.size();
    for (std::size_t i = 0; i < n; ++i) out[i] = w[i] - w[(i + n - 1) % n] / 2;
  }
};

TEST(Documentation, ProductsWithoutAMatrix) {
  solve::Problem<double> problem(50);
  problem.Add("ring", 50, Circulant());
  std::vector<double> theta(50, 0.0);
  const solve::Summary summary = sven::Solve(problem, theta);
  EXPECT_TRUE(summary.Converged());
  for (const double x : theta) EXPECT_NEAR(x, 2, 1e-9);
}

TEST(Documentation, BoundsAndObservers) {
  const Decay decay{{0, 1, 2, 3}, {2, 1.2, 0.7, 0.5}};
  solve::Problem<double> problem(2);
  problem.Add("decay", 4, decay);
  std::vector<double> theta = {1, 0.1};

  const auto stop_when_good = [](const solve::Iteration<double>& iteration) {
    return iteration.cost < 1e-3 ? solve::Next::kStop : solve::Next::kContinue;
  };
  const solve::Summary summary =
      sven::Solve(problem, theta,
                  {.tolerances = {.gradient = 1e-8},
                   .max_iterations = 100,
                   .max_seconds = 10,
                   .bounds = {.lower = {0, 0}, .upper = {10, 0.4}},
                   .observers = {stop_when_good}});

  EXPECT_LE(theta[1], 0.4);
  EXPECT_TRUE(summary.Converged()) << summary.Full();
}

}  // namespace
