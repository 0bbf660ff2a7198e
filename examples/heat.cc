// SPDX-License-Identifier: MIT
//
// The heat equation u_t = u_xx / 4 for x and t in (0, 1), u = 0 at both ends and
// u = sin(pi x) at the start, whose solution is exp(-pi^2 t / 4) sin(pi x).
// Usage: heat [seconds [curves.csv [solution.csv]]]
#include <numbers>

#include "equal_time.h"

namespace {

using sven::Index;
using sven::Matrix;
using sven::nn::Derivatives;

constexpr double kPi = std::numbers::pi;
constexpr double kConductivity = 0.25;
constexpr int kSide = 25;  // points in a row

double Solution(double x, double t) {
  return std::exp(-kPi * kPi * kConductivity * t) * std::sin(kPi * x);
}

// Coordinates are x and t.
struct Heat {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.D(1) - kConductivity * u.D(0, 0);
  }
};

// At the ends and at the start.
struct Given {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Value() - Solution(u.X(0), u.X(1));
  }
};

Matrix<double> Grid(int side) {
  Matrix<double> points(side * side, 2);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      points.row(i * side + j) << (i + 0.5) / side, (j + 0.5) / side;
    }
  }
  return points;
}

Matrix<double> StartAndEnds() {
  Matrix<double> points(3 * kSide, 2);
  for (int i = 0; i < kSide; ++i) {
    const double s = i / (kSide - 1.0);
    points.row(3 * i) << s, 0;
    points.row(3 * i + 1) << 0, s;
    points.row(3 * i + 2) << 1, s;
  }
  return points;
}

void Run(int argc, char** argv) {
  sven::nn::Mlp<double> net({2, 20, 20, 1}, sven::nn::Activation::kTanh,
                            /*seed=*/1);
  sven::pde::Problem<double> problem(net);
  problem.Add("interior", Grid(kSide), Heat(),
              {.derivatives = Derivatives::kDiagonal});
  problem.Add("start and ends", StartAndEnds(), Given(), {.weight = 100});

  const example::Reference reference(
      net, Grid(100), [](const auto& x) { return Solution(x[0], x[1]); });
  fmt::print("Heat equation, relative L2 error on a finer grid\n");
  example::Compare(problem, net.Parameters(), reference, {.seconds = 60}, argc,
                   argv);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("heat [seconds [curves.csv [solution.csv]]]", argc, argv,
                       Run);
}
