// SPDX-License-Identifier: MIT
//
// A small fit as a user writes it: how long it takes to compile is measured by
// benchmarks/compile_times.sh.
#include <sven/solve/solve.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

struct Decay {
  std::vector<double> t, y;

  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    using std::exp;
    for (std::size_t a = 0; a < t.size(); ++a) {
      residuals[a] = theta[0] * exp(-theta[1] * t[a]) - y[a];
    }
  }
};

int main() {
  sven::solve::Problem<double> problem(2);
  problem.Add("data", 4, Decay{{0, 1, 2, 3}, {2.1, 1.2, 0.8, 0.5}});
  std::vector<double> theta = {1, 1};
  const sven::solve::Summary summary = sven::Solve(problem, theta);
  std::printf("%s\ntheta %.4f %.4f\n", summary.Brief().c_str(), theta[0],
              theta[1]);
}
