// SPDX-License-Identifier: MIT
//
// Fits a damped oscillation to noisy data and prints the parameters with error
// bars from the covariance.
// Usage: fit_curve [curve.csv]
#include <fmt/format.h>
#include <sven/base/random.h>
#include <sven/solve/covariance.h>
#include <sven/solve/solve.h>

#include <cmath>
#include <optional>
#include <vector>

#include "program.h"

namespace {

using File = std::optional<example::ResultFile>;
using sven::Index;
using sven::Matrix;

// y = A exp(-t / tau) cos(omega t + phi), measured at times t.
struct Oscillation {
  std::vector<double> t;
  std::vector<double> y;

  template <class T>
  void operator()(std::span<const T> theta, std::span<T> residuals) const {
    using std::cos, std::exp;
    const auto [A, tau, omega, phi] =
        std::tuple(theta[0], theta[1], theta[2], theta[3]);
    for (std::size_t a = 0; a < t.size(); ++a) {
      residuals[a] = A * exp(-t[a] / tau) * cos(omega * t[a] + phi) - y[a];
    }
  }
};

constexpr const char* kNames[] = {"A", "tau", "omega", "phi"};
constexpr double kTrue[] = {2.0, 5.0, 1.5, 0.3};
constexpr double kNoise = 0.1;
constexpr int kSamples = 60;

double Truth(double t) {
  const auto [A, tau, omega, phi] = kTrue;
  return A * std::exp(-t / tau) * std::cos(omega * t + phi);
}

Oscillation Measure(std::uint64_t seed) {
  sven::RandomStream random(seed, sven::RandomUse::kData);
  Oscillation data;
  for (int a = 0; a < kSamples; ++a) {
    data.t.push_back(0.2 * a);
    data.y.push_back(Truth(data.t[a]) + kNoise * random.Normal());
  }
  return data;
}

// The fit with standard errors sqrt(m C m^T), for the row m of M at each time.
void Write(example::ResultFile& file, sven::solve::Problem<double>& problem,
           const std::vector<double>& theta, const Matrix<double>& C,
           const Oscillation& data) {
  problem.MoveTo(theta);
  Matrix<double> M(kSamples, 4);
  problem.Jacobian(M);
  file.WriteLine("t,y,fit,error,true");
  for (int a = 0; a < kSamples; ++a) {
    const double error = std::sqrt(M.row(a) * C * M.row(a).transpose());
    file.WriteLine(fmt::format("{:.1f},{:.4f},{:.4f},{:.4f},{:.4f}", data.t[a],
                               data.y[a], data.y[a] + problem.Residuals()[a],
                               error, Truth(data.t[a])));
  }
  file.Finish();
}

// Returns how many of the true values are within two error bars.
int Fit(std::uint64_t seed, bool print, File file = {}) {
  sven::solve::Problem<double> problem(4);
  problem.Add("data", kSamples, Measure(seed));

  std::vector<double> theta = {1, 10, 1.2, 0};
  const sven::solve::Summary summary = sven::Solve(problem, theta);
  const auto covariance = sven::solve::ComputeCovariance(problem, theta);

  if (file) Write(*file, problem, theta, covariance.matrix, Measure(seed));
  int within = 0;
  if (print) fmt::print("{}\n\n", summary.Brief());
  for (Index i = 0; i < 4; ++i) {
    const double error = covariance.StandardError(i);
    if (std::abs(theta[i] - kTrue[i]) < 2 * error) ++within;
    if (!print) continue;
    fmt::print("{:>6} = {:7.4f} +- {:.4f}   (true {})\n", kNames[i], theta[i],
               error, kTrue[i]);
  }
  if (print) {
    fmt::print("{:>6} = {:7.4f}             (true {})\n", "noise",
               std::sqrt(covariance.variance), kNoise);
    fmt::print("\ncorrelation of omega and phi: {:.2f}\n",
               covariance.Correlation(2, 3));
  }
  return within;
}

void Run(int argc, char** argv) {
  File file;
  if (argc > 1) file.emplace(argv[1]);
  Fit(/*seed=*/1, /*print=*/true, std::move(file));
  constexpr int kFits = 500;
  int within = 0;
  for (int seed = 1; seed <= kFits; ++seed) within += Fit(seed, false);
  fmt::print("{} fits: {:.1f} % of the true values within two error bars\n",
             kFits, 100.0 * within / (4 * kFits));
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("fit_curve [curve.csv]", argc, argv, Run);
}
