// SPDX-License-Identifier: MIT
//
// Laplacian u = -pi^2 sum_i cos(pi x_i) in the five-dimensional unit cube, whose
// solution with that boundary is u = sum_i cos(pi x_i). The points are random.
// Usage: poisson_5d [seconds [curves.csv]]
#include <sven/base/random.h>

#include <numbers>

#include "equal_time.h"

namespace {

using sven::Index;
using sven::Matrix;
using sven::nn::Derivatives;

constexpr double kPi = std::numbers::pi;
constexpr Index kDimensions = 5;

// Of a point or of a field.
template <class Point>
double Solution(const Point& x) {
  double sum = 0;
  for (Index i = 0; i < kDimensions; ++i) sum += std::cos(kPi * x(i));
  return sum;
}

struct Poisson {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    const auto x = [&](Index i) { return u.X(i); };
    return u.Laplacian() + kPi * kPi * Solution(x);
  }
};

struct Boundary {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    const auto x = [&](Index i) { return u.X(i); };
    return u.Value() - Solution(x);
  }
};

Matrix<double> RandomPoints(Index count, std::uint64_t seed) {
  sven::RandomStream random(seed, sven::RandomUse::kData);
  Matrix<double> points(count, kDimensions);
  for (Index a = 0; a < count; ++a) {
    for (Index i = 0; i < kDimensions; ++i) points(a, i) = random.Uniform();
  }
  return points;
}

// On the ten faces in turn.
Matrix<double> BoundaryPoints(Index count) {
  Matrix<double> points = RandomPoints(count, /*seed=*/2);
  for (Index a = 0; a < count; ++a) {
    const Index face = a % (2 * kDimensions);
    points(a, face / 2) = static_cast<double>(face % 2);
  }
  return points;
}

void Run(int argc, char** argv) {
  sven::nn::Mlp<double> net({kDimensions, 32, 32, 1},
                            sven::nn::Activation::kTanh, /*seed=*/1);
  sven::pde::Problem<double> problem(net);
  problem.Add("interior", RandomPoints(1000, /*seed=*/1), Poisson(),
              {.derivatives = Derivatives::kLaplacian});
  problem.Add("boundary", BoundaryPoints(500), Boundary(), {.weight = 100});

  const example::Reference reference(net, RandomPoints(10'000, /*seed=*/3),
                                     [](const auto& x) { return Solution(x); });
  fmt::print("Poisson in five dimensions, relative L2 error at other points\n");
  example::Compare(problem, net.Parameters(), reference, {.seconds = 120}, argc,
                   argv);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("poisson_5d [seconds [curves.csv]]", argc, argv, Run);
}
