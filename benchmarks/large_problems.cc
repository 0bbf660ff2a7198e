// SPDX-License-Identifier: MIT
//
// The memory of an iteration of Solve on a problem whose Jacobian is not kept: a
// function that takes rows and is differentiated automatically, each of whose
// conditions depends on ten of the parameters.
// Usage: large_problems CONDITIONS PARAMETERS
#include <fmt/format.h>
#include <sven/solve/solve.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <vector>

namespace {

using sven::Index;

struct Waves {
  template <class T>
  void operator()(std::span<const T> theta, std::span<const Index> rows,
                  std::span<T> residuals) const {
    using std::sin;
    const Index N = std::ssize(theta);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      T sum = -1;
      for (Index j = 0; j < 10; ++j) {
        const double slope = std::cos(1e-3 * static_cast<double>(rows[a] * j));
        sum += slope * sin(theta[(rows[a] + 37 * j) % N]);
      }
      residuals[a] = sum;
    }
  }
};

void Run(Index conditions, Index parameters) {
  sven::solve::Problem<double> problem(parameters);
  problem.Add("waves", conditions, Waves());
  std::vector<double> theta(static_cast<std::size_t>(parameters), 0.1);
  const auto summary = sven::Solve(problem, theta, {.max_iterations = 2});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{}\nM alone {:.0f} MB, the whole program {} MB\n",
             summary.Brief(),
             8e-6 * static_cast<double>(conditions * parameters),
             usage.ru_maxrss / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const Index conditions = argc > 2 ? std::atol(argv[1]) : 0;
  const Index parameters = argc > 2 ? std::atol(argv[2]) : 0;
  if (conditions < 1 || parameters < 1) {
    fmt::print(stderr, "usage: large_problems CONDITIONS PARAMETERS\n");
    return 2;
  }
  try {
    Run(conditions, parameters);
  } catch (const std::exception& error) {
    fmt::print(stderr, "large_problems: {}\n", error.what());
    return 1;
  }
  return 0;
}
