// SPDX-License-Identifier: MIT
//
// More unknowns than conditions: how does an arm of twenty joints reach a point
// with the least motion?
// Usage: arm [arms.csv]
#include <fmt/format.h>
#include <sven/solve/solve.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "program.h"

namespace {

// The end of a chain of unit links is at (x, y), its last link points upwards.
struct Arm {
  double x, y;

  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    using std::cos, std::sin;
    T direction = 0;
    residuals[0] = -x;
    residuals[1] = -y;
    for (const T& joint : theta) {
      direction += joint;
      residuals[0] += cos(direction);
      residuals[1] += sin(direction);
    }
    residuals[2] = direction - std::numbers::pi / 2;
  }
};

using File = std::optional<example::ResultFile>;

void Write(File& file, const char* name, std::span<const double> theta) {
  if (!file) return;
  double x = 0;
  double y = 0;
  double direction = 0;
  file->WriteLine(fmt::format("{},0,0", name));
  for (const double joint : theta) {
    direction += joint;
    x += std::cos(direction);
    y += std::sin(direction);
    file->WriteLine(fmt::format("{},{:.3f},{:.3f}", name, x, y));
  }
}

void ReachPoint(File& file, const char* name,
                const sven::solve::Method& method) {
  sven::solve::Problem<double> problem(20);
  problem.Add("hand", 3, Arm{12, 8});
  std::vector<double> theta(20, 0.05);  // nearly straight
  const std::vector<double> start = theta;
  const auto summary = sven::Solve(problem, theta, {.method = method});
  double motion = 0;
  for (int i = 0; i < 20; ++i) motion += std::pow(theta[i] - start[i], 2);
  Write(file, name, theta);
  fmt::print("  {:<20} {} iterations, |R| = {:.1e}, motion {:.4f} rad\n", name,
             summary.iterations, std::sqrt(summary.final_cost),
             std::sqrt(motion));
}

void Run(int argc, char** argv) {
  File file;
  if (argc > 1) file.emplace(argv[1]);
  fmt::print("20 joints, 3 conditions\n");
  if (file) file->WriteLine("what,x,y");
  Write(file, "start", std::vector<double>(20, 0.05));
  namespace solve = sven::solve;
  ReachPoint(file, "Sven", solve::Sven{});
  ReachPoint(file, "Sven with lr 0.1", solve::Sven{.learning_rate = 0.1});
  ReachPoint(file, "AdaptiveSven", solve::AdaptiveSven{});
  ReachPoint(file, "LevenbergMarquardt", solve::LevenbergMarquardt{});
  if (file) file->Finish();
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("arm [arms.csv]", argc, argv, Run);
}
