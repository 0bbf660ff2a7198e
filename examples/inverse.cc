// SPDX-License-Identifier: MIT
//
// An inverse problem: of u_t = c u_xx the conductivity c is not known, but u was
// measured at 200 random places and times with noise of 0.02, and u = 0 at both
// ends. The network and c, which is 0.25, are found together; c has an error bar.
// Usage: inverse [seconds [curves.csv [solution.csv]]]
#include <sven/base/random.h>
#include <sven/solve/covariance.h>

#include <numbers>

#include "equal_time.h"

namespace {

using sven::Index;
using sven::Matrix;
using sven::nn::Derivatives;

constexpr double kPi = std::numbers::pi;
constexpr double kTrue = 0.25;
constexpr double kNoise = 0.02;

double Solution(double x, double t) {
  return std::exp(-kPi * kPi * kTrue * t) * std::sin(kPi * x);
}

// Coordinates are x and t; the only unknown is c.
struct Heat {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.D(1) - u.Unknown(0) * u.D(0, 0);
  }
};

struct Measured {
  std::vector<double> values;

  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Value() - values[u.Row()];
  }
};

struct Cold {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Value();
  }
};

struct Data {
  Matrix<double> points;
  Measured measured;
};

Data Measure(Index count) {
  sven::RandomStream random(1, sven::RandomUse::kData);
  Data data{.points = Matrix<double>(count, 2), .measured = {}};
  for (Index a = 0; a < count; ++a) {
    data.points.row(a) << random.Uniform(), random.Uniform();
    data.measured.values.push_back(
        Solution(data.points(a, 0), data.points(a, 1)) +
        kNoise * random.Normal());
  }
  return data;
}

Matrix<double> Grid(int side) {
  Matrix<double> points(side * side, 2);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      points.row(i * side + j) << i / (side - 1.0), j / (side - 1.0);
    }
  }
  return points;
}

Matrix<double> Ends(int count) {
  Matrix<double> points(2 * count, 2);
  for (int i = 0; i < count; ++i) {
    points.row(2 * i) << 0, (i + 0.5) / count;
    points.row(2 * i + 1) << 1, (i + 0.5) / count;
  }
  return points;
}

void Run(int argc, char** argv) {
  const sven::nn::Mlp<double> net({2, 12, 12, 1}, sven::nn::Activation::kTanh,
                                  /*seed=*/1);
  sven::pde::Problem<double> problem(net, /*unknowns=*/1);
  Data data = Measure(200);
  problem.Add("equation", Grid(20), Heat(),
              {.derivatives = Derivatives::kDiagonal, .weight = 1000});
  problem.Add("ends", Ends(20), Cold(), {.weight = 1e5});
  problem.Add("data", data.points, data.measured,
              {.weight = 1 / (kNoise * kNoise)});

  const auto error = [](std::span<const double> theta) {
    return std::abs(theta.back() / kTrue - 1);
  };
  const example::Reference reference(
      net, Grid(50), [](const auto& x) { return Solution(x[0], x[1]); });
  fmt::print("Conductivity from noisy data, relative error of c\n");
  const example::Theta found =
      example::Compare(problem, problem.Start(std::vector<double>{1.0}),
                       reference, {.seconds = 10, .error = error}, argc, argv);
  const auto covariance = sven::solve::ComputeCovariance(
      problem, found, {.noise = sven::solve::Noise::kUnit});
  fmt::print("c = {:.4f} +- {:.4f}, true {}\n", found.back(),
             covariance.StandardError(net.NumParameters()), kTrue);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("inverse [seconds [curves.csv [solution.csv]]]", argc,
                       argv, Run);
}
