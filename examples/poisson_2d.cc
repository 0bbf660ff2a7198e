// SPDX-License-Identifier: MIT
//
// Laplacian u = -2 pi^2 sin(pi x) sin(pi y) on the unit square, u = 0 on its edge,
// with a tanh network of about 1,000 parameters; against Adam and L-BFGS.
// Usage: poisson_2d [seconds [curves.csv [solution.csv]]]
#include <numbers>

#include "equal_time.h"

namespace {

using sven::Index;
using sven::Matrix;
using sven::nn::Derivatives;

constexpr double kPi = std::numbers::pi;
constexpr int kSide = 30;  // points in a row

double Solution(double x, double y) {
  return std::sin(kPi * x) * std::sin(kPi * y);
}

struct Poisson {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Laplacian() + 2 * kPi * kPi * Solution(u.X(0), u.X(1));
  }
};

struct Edge {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Value();
  }
};

// A grid of side x side points, with or without the edge.
Matrix<double> Grid(int side, bool edge) {
  Matrix<double> points(side * side, 2);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double shift = edge ? 0 : 0.5;
      const double width = edge ? side - 1 : side;
      points.row(i * side + j) << (i + shift) / width, (j + shift) / width;
    }
  }
  return points;
}

Matrix<double> EdgePoints() {
  Matrix<double> points(4 * kSide, 2);
  for (int i = 0; i < kSide; ++i) {
    const double s = static_cast<double>(i) / kSide;
    points.row(4 * i) << s, 0;
    points.row(4 * i + 1) << 1, s;
    points.row(4 * i + 2) << 1 - s, 1;
    points.row(4 * i + 3) << 0, 1 - s;
  }
  return points;
}

void Run(int argc, char** argv) {
  sven::nn::Mlp<double> net({2, 30, 30, 1}, sven::nn::Activation::kTanh,
                            /*seed=*/1);
  sven::pde::Problem<double> problem(net);
  problem.Add("interior", Grid(kSide, false), Poisson(),
              {.derivatives = Derivatives::kLaplacian});
  problem.Add("edge", EdgePoints(), Edge(), {.weight = 1000});

  const example::Reference reference(
      net, Grid(101, true), [](const auto& x) { return Solution(x[0], x[1]); });
  fmt::print("Poisson in two dimensions, relative L2 error on a finer grid\n");
  example::Compare(problem, net.Parameters(), reference, {.seconds = 120}, argc,
                   argv);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("poisson_2d [seconds [curves.csv [solution.csv]]]", argc,
                       argv, Run);
}
