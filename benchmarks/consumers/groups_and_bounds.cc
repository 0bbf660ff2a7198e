// SPDX-License-Identifier: MIT
//
// Two groups of conditions, one of them weighted, and bounds on the parameters, as
// a user writes it: how long it takes to compile is measured by
// benchmarks/compile_times.sh.
#include <sven/solve/solve.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

// A spectral line on a sloping background.
struct Line {
  std::vector<double> x, y;

  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    using std::exp;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const T u = (x[a] - theta[1]) / theta[2];
      residuals[a] =
          theta[0] * exp(-0.5 * u * u) + theta[3] + theta[4] * x[a] - y[a];
    }
  }
};

// What is known from elsewhere.
struct Expected {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    residuals[0] = theta[1] - 2.0;
    residuals[1] = theta[4];
  }
};

int main() {
  Line line;
  for (int a = 0; a < 40; ++a) {
    const double x = 0.1 * a;
    line.x.push_back(x);
    line.y.push_back(3 * std::exp(-2 * (x - 2.1) * (x - 2.1)) + 0.5 + 0.1 * x);
  }
  sven::solve::Problem<double> problem(5);
  problem.Add("line", 40, line);
  problem.Add("expected", 2, Expected{}, {.weight = 0.1});
  std::vector<double> theta = {1, 2, 1, 0, 0};
  const std::vector<double> lower = {0, 1, 0.05, -1, -1};
  const std::vector<double> upper = {10, 3, 2, 1, 1};
  const sven::solve::Summary summary =
      sven::Solve(problem, theta, {.bounds = {.lower = lower, .upper = upper}});
  std::printf("%s\n", summary.Brief().c_str());
  for (const double value : theta) std::printf("%.4f ", value);
  std::printf("\n");
}
