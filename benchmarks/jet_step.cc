// SPDX-License-Identifier: MIT
//
// Time and memory of a step on a differential equation: Laplacian conditions on a
// tanh network in two dimensions. The parts of a step as multiples of the gradient
// of |R|^2, forward and backward through all points and the weight gradient.
// Usage: jet_step [WIDTH [CONDITIONS]]    (68 and 4096: 9,657 parameters)
#include <fmt/format.h>
#include <sven/base/random.h>
#include <sven/base/stopwatch.h>
#include <sven/core/step.h>
#include <sven/pde/problem.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <utility>

namespace {

using sven::Index;

struct Poisson {
  template <class S>
  S operator()(const sven::pde::Field<double, S>& u) const {
    return u.Laplacian() + std::sin(3 * u.X(0)) * std::cos(2 * u.X(1));
  }
};

double Megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Seconds of a call, the least of some.
template <class Call>
double Time(int repetitions, Call&& call) {
  double least = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const sven::Stopwatch watch;
    call();
    least = std::min(least, watch.Seconds());
  }
  return least;
}

void Run(Index width, Index conditions) {
  sven::nn::Mlp<double> net({2, width, width, width, 1},
                            sven::nn::Activation::kTanh, /*seed=*/1);
  sven::RandomStream random(1, sven::RandomUse::kData);
  sven::Matrix<double> points(conditions, 2);
  for (Index k = 0; k < points.size(); ++k) points.data()[k] = random.Uniform();
  sven::pde::Problem<double> problem(net);
  problem.Add("interior", points, Poisson(),
              {.derivatives = sven::nn::Derivatives::kLaplacian});
  sven::AlignedVector<double> update(
      static_cast<std::size_t>(net.NumParameters()));
  const double gradient = Time(5, [&] {
    problem.MoveTo(net.Parameters());
    problem.PullBack(problem.Residuals(), update);
  });
  fmt::print("{} parameters, {} conditions\n", net.NumParameters(), conditions);
  fmt::print("gradient       {:9.4f} s\n", gradient);
  using sven::nn::JetRoad;
  const std::pair<const char*, JetRoad> roads[] = {
      {"pairs", JetRoad::kPairs},
      {"columns", JetRoad::kColumns},
      {"auto", JetRoad::kAuto}};
  for (const auto& [name, road] : roads) {
    problem.SetRoad(road);
    sven::core::StepSolver<double> solver;
    sven::StepReport report;
    const double step = Time(3, [&] {
      problem.MoveTo(net.Parameters());
      report = solver.Compute(problem,
                              {.weighting = sven::core::Tikhonov{1e-6},
                               .road = sven::core::Road::kGram},
                              update);
    });
    fmt::print(
        "step, {:<8} {:9.4f} s = {:5.1f} gradients; K {:.4f} s, weights {:.4f} "
        "s\n",
        name, step, step / gradient, report.seconds.gram,
        report.seconds.weights);
  }
  fmt::print("most memory    {:9.0f} MB\n", Megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Run(argc > 1 ? std::atol(argv[1]) : 68,
        argc > 2 ? std::atol(argv[2]) : 4096);
  } catch (const std::exception& error) {
    fmt::print(stderr, "jet_step: {}\n", error.what());
    return 1;
  }
  return 0;
}
