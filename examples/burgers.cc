// SPDX-License-Identifier: MIT
//
// Burgers' equation u_t + u u_x = nu u_xx with nu = 0.01 / pi, u = -sin(pi x) at
// the start and u = 0 at x = -1 and 1: a shock forms at x = 0. The reference is the
// formula of Cole and Hopf,
//
//     u = - int sin(pi y) f(y) e^(-z^2) dz / int f(y) e^(-z^2) dz,
//     y = x - z sqrt(4 nu t),   f(y) = exp(-cos(pi y) / (2 pi nu)).
//
// A network can have jumps between the points of a fixed set; so the points are
// drawn anew for each step.
// Usage: burgers [seconds [curves.csv [solution.csv]]]
#include <sven/base/random.h>

#include <numbers>

#include "equal_time.h"

namespace {

using sven::Index;
using sven::Matrix;
using sven::nn::Derivatives;

constexpr double kPi = std::numbers::pi;
constexpr double kViscosity = 0.01 / kPi;

// By the trapezoidal rule, which converges fast for what decays like this.
double Solution(double x, double t) {
  if (t == 0) return -std::sin(kPi * x);
  double above = 0;
  double below = 0;
  for (int i = -800; i <= 800; ++i) {
    const double z = 0.01 * i;
    const double y = x - z * std::sqrt(4 * kViscosity * t);
    // The largest f is exp(1 / (2 pi nu)); it would cancel.
    const double weight =
        std::exp(-(std::cos(kPi * y) + 1) / (2 * kPi * kViscosity) - z * z);
    above -= std::sin(kPi * y) * weight;
    below += weight;
  }
  return above / below;
}

// Coordinates are x and t.
struct Burgers {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.D(1) + u.Value() * u.D(0) - kViscosity * u.D(0, 0);
  }
};

// At the start, and at the ends, where the sine is zero.
struct Given {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Value() + (u.X(1) == 0 ? std::sin(kPi * u.X(0)) : 0.0);
  }
};

// Half of the points in (-1, 1), half where the shock will be.
Matrix<double> Interior(Index count) {
  sven::RandomStream random(1, sven::RandomUse::kData);
  Matrix<double> points(count, 2);
  for (Index a = 0; a < count; ++a) {
    const double width = a % 2 == 0 ? 1 : 0.1;
    points.row(a) << random.Uniform(-width, width), random.Uniform();
  }
  return points;
}

Matrix<double> StartAndEnds(int side) {
  Matrix<double> points(4 * side, 2);
  for (int i = 0; i < side; ++i) {
    const double s = (i + 0.5) / side;
    points.row(4 * i) << s, 0;
    points.row(4 * i + 1) << -s, 0;
    points.row(4 * i + 2) << -1, s;
    points.row(4 * i + 3) << 1, s;
  }
  return points;
}

void Run(int argc, char** argv) {
  sven::nn::Mlp<double> net({2, 20, 20, 20, 1}, sven::nn::Activation::kTanh,
                            /*seed=*/1);
  sven::pde::Problem<double> problem(net);
  problem.Add("interior", Interior(20'000), Burgers(),
              {.derivatives = Derivatives::kDiagonal, .batch = 500});
  problem.Add("start and ends", StartAndEnds(25), Given(), {.weight = 1000});
  sven::pde::Problem<double> fixed(net);
  fixed.Add("interior", Interior(5000), Burgers(),
            {.derivatives = Derivatives::kDiagonal, .weight = 4});
  fixed.Add("start and ends", StartAndEnds(25), Given(), {.weight = 1000});

  Matrix<double> test(201 * 21, 2);
  for (Index a = 0; a < test.rows(); ++a) {
    const auto [time, place] = std::div(a, Index{201});
    test.row(a) << place / 100.0 - 1, time / 20.0;
  }
  const example::Reference reference(
      net, test, [](const auto& x) { return Solution(x[0], x[1]); });
  fmt::print("Burgers' equation, relative L2 error\n");
  example::Compare(problem, net.Parameters(), reference,
                   {.seconds = 120,
                    .method = sven::solve::AdaptiveSven{},
                    .name = "adaptive",
                    .fixed = &fixed},
                   argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("burgers [seconds [curves.csv [solution.csv]]]", argc,
                       argv, Run);
}
