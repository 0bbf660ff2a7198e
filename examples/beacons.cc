// SPDX-License-Identifier: MIT
//
// More conditions than unknowns: where is a receiver that measures its distance to
// eight beacons, with errors?
// Usage: beacons [beacons.csv]
#include <fmt/format.h>
#include <sven/base/random.h>
#include <sven/solve/covariance.h>
#include <sven/solve/solve.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "program.h"

namespace {

// |theta - beacon| = distance for each beacon.
struct Distances {
  std::vector<double> x, y, distance;

  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    using std::hypot;
    for (std::size_t a = 0; a < x.size(); ++a) {
      residuals[a] = hypot(theta[0] - x[a], theta[1] - y[a]) - distance[a];
    }
  }
};

void Run(int argc, char** argv) {
  std::optional<example::ResultFile> file;
  if (argc > 1) file.emplace(argv[1]);
  sven::RandomStream random(1, sven::RandomUse::kData);
  const double true_x = 3.2;
  const double true_y = -1.7;
  Distances beacons;
  for (int a = 0; a < 8; ++a) {
    const double angle = a * std::numbers::pi / 4;
    beacons.x.push_back(10 * std::cos(angle));
    beacons.y.push_back(10 * std::sin(angle));
    beacons.distance.push_back(
        std::hypot(true_x - beacons.x[a], true_y - beacons.y[a]) +
        0.05 * random.Normal());
  }
  sven::solve::Problem<double> problem(2);
  problem.Add("beacons", 8, beacons);
  std::vector<double> theta = {0, 0};
  const auto summary = sven::Solve(problem, theta);
  const auto covariance = sven::solve::ComputeCovariance(problem, theta);
  fmt::print("8 distances, 2 unknowns\n{}\n", summary.Brief());
  fmt::print("x = {:.3f} +- {:.3f} (true {})\n", theta[0],
             covariance.StandardError(0), true_x);
  fmt::print("y = {:.3f} +- {:.3f} (true {})\n", theta[1],
             covariance.StandardError(1), true_y);
  if (!file) return;
  file->WriteLine("what,x,y,distance");
  file->WriteLine(fmt::format("receiver,{:.4f},{:.4f},0", theta[0], theta[1]));
  for (std::size_t a = 0; a < beacons.x.size(); ++a) {
    file->WriteLine(fmt::format("beacon,{:.4f},{:.4f},{:.4f}", beacons.x[a],
                                beacons.y[a], beacons.distance[a]));
  }
  file->Finish();
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("beacons [beacons.csv]", argc, argv, Run);
}
