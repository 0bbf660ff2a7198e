// SPDX-License-Identifier: MIT
//
// A method of Solve, Adam and L-BFGS on the same conditions from the same start,
// each for the same wall time on one core. Shared by the examples of differential
// equations; prints a table and writes curves for docs/worked_problems.py.
#ifndef SVEN_EXAMPLES_EQUAL_TIME_H_
#define SVEN_EXAMPLES_EQUAL_TIME_H_

#include <fmt/format.h>
#include <sven/base/error.h>
#include <sven/base/random.h>
#include <sven/base/stopwatch.h>
#include <sven/optim/adam.h>
#include <sven/pde/problem.h>
#include <sven/solve/solve.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program.h"

namespace example {

using sven::Index;
using Theta = std::vector<double>;
// How far a theta is from the solution.
using ErrorOf = std::function<double(std::span<const double>)>;

// What the network should be at the rows of `points`.
class Reference {
 public:
  using Points = sven::Matrix<double>;

  // `solution` is called with a row of points.
  template <class Solution>
  Reference(const sven::nn::Mlp<double>& net, Points points,
            Solution&& solution)
      : net_(net), points_(std::move(points)), solution_(points_.rows()) {
    for (Index a = 0; a < points_.rows(); ++a) {
      solution_[a] = solution(points_.row(a));
    }
  }

  // sqrt(sum (u - v)^2 / sum v^2); theta may have more than the network's own.
  [[nodiscard]] double RelativeError(std::span<const double> theta) const {
    return (At(theta).col(0) - solution_).norm() / solution_.norm();
  }
  void Write(std::span<const double> theta, ResultFile& file) const {
    const Points u = At(theta);
    file.WriteLine("x,y,u,solution");
    for (Index a = 0; a < points_.rows(); ++a) {
      file.WriteLine(fmt::format("{:.4f},{:.4f},{:.6g},{:.6g}", points_(a, 0),
                                 points_(a, 1), u(a, 0), solution_[a]));
    }
    file.Finish();
  }

 private:
  [[nodiscard]] Points At(std::span<const double> theta) const {
    sven::nn::Mlp<double> net = net_;
    std::ranges::copy(theta.first(net.Parameters().size()),
                      net.Parameters().begin());
    return net.Predict(sven::View(points_));
  }

  sven::nn::Mlp<double> net_;
  Points points_;
  sven::Vector<double> solution_;
};

// The error over time, looked at whenever the time has grown by a tenth; looking
// does not count.
class Curve {
 public:
  Curve(std::string name, double seconds, ErrorOf error)
      : name_(std::move(name)), seconds_(seconds), error_(std::move(error)) {}

  void Look(std::span<const double> theta) {
    ++steps_;
    const double now = Seconds();
    if (now < next_) return;
    sven::Stopwatch looking;
    points_.emplace_back(now, error_(theta));
    next_ = std::max(1.1 * now, 0.01);
    paused_ += looking.Seconds();
  }
  // The last look, at the time that is over.
  void Finish(std::span<const double> theta) {
    points_.emplace_back(Seconds(), error_(theta));
  }
  [[nodiscard]] double Seconds() const { return watch_.Seconds() - paused_; }
  [[nodiscard]] bool Over() const { return Seconds() >= seconds_; }
  [[nodiscard]] double Share() const { return Seconds() / seconds_; }
  [[nodiscard]] double Last() const { return points_.back().second; }

  void Print() const {
    fmt::print("  {:<28} {:>8} steps  {:>6.1f} s   error {:.2e}\n", name_,
               steps_, points_.back().first, Last());
  }
  void Write(ResultFile& file) const {
    for (const auto& [time, error] : points_) {
      file.WriteLine(fmt::format("\"{}\",{:.4f},{:.4e}", name_, time, error));
    }
  }

 private:
  std::string name_;
  double seconds_;
  ErrorOf error_;
  sven::Stopwatch watch_;
  double paused_ = 0;
  double next_ = 0;
  Index steps_ = 0;
  std::vector<std::pair<double, double>> points_;
};

// |R|^2; fills g with its gradient 2 M^T R.
inline double Gradient(sven::solve::System<double>& system, const Theta& theta,
                       Theta& g) {
  system.MoveTo(theta);
  g.resize(theta.size());
  system.PullBack(system.Residuals(), g);
  for (double& x : g) x *= 2;
  return system.CostHere();
}

inline Theta RunSolve(sven::solve::System<double>& system, Theta theta,
                      const sven::solve::Method& method, Curve& curve) {
  const auto summary = sven::Solve(
      system, theta,
      {.method = method,
       .max_iterations = 1'000'000,
       .observers = {[&](const sven::solve::Iteration<double>& iteration) {
         curve.Look(iteration.theta);
         return curve.Over() ? sven::solve::Next::kStop
                             : sven::solve::Next::kContinue;
       }}});
  curve.Finish(theta);
  fmt::print("  {}\n", summary.Brief());
  return theta;
}

// With a rate that falls to zero by a cosine.
inline void RunAdam(sven::solve::System<double>& system, Theta theta,
                    double rate, Curve& curve) {
  sven::RandomStream random(1, sven::RandomUse::kSubsampling);
  sven::optim::AdamState<double> state;
  state.Resize(std::ssize(theta), /*amsgrad=*/false);
  Theta update;
  while (!curve.Over()) {
    const double cosine = std::cos(3.14159265358979 * curve.Share());
    if (system.Sampled()) system.Draw(random);
    Gradient(system, theta, update);
    sven::optim::AdamUpdate<double>({.learning_rate = rate * (1 + cosine) / 2},
                                    theta, state, update);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += update[i];
    curve.Look(theta);
  }
  curve.Finish(theta);
}

// The two loops over the last 50 pairs of steps s and changes y of the gradient,
// and a bisection for the weak Wolfe conditions.
inline void RunLbfgs(sven::solve::System<double>& system, Theta theta,
                     Curve& curve) {
  struct Pair {
    Theta s, y;
    double inverse;
  };
  const auto dot = [](const Theta& a, const Theta& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto add = [](Theta& a, double c, const Theta& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += c * b[i];
  };
  std::deque<Pair> pairs;
  Theta g, next_g, next;
  double cost = Gradient(system, theta, g);
  while (!curve.Over()) {
    Theta d = g;
    std::vector<double> alpha(pairs.size());
    for (std::size_t i = pairs.size(); i-- > 0;) {
      alpha[i] = pairs[i].inverse * dot(pairs[i].s, d);
      add(d, -alpha[i], pairs[i].y);
    }
    const double scale =
        pairs.empty()
            ? 1 / std::sqrt(dot(g, g))
            : 1 / (pairs.back().inverse * dot(pairs.back().y, pairs.back().y));
    for (double& x : d) x *= scale;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      add(d, alpha[i] - pairs[i].inverse * dot(pairs[i].y, d), pairs[i].s);
    }
    for (double& x : d) x = -x;
    const double slope = dot(g, d);
    double low = 0, high = INFINITY, t = 1, next_cost = cost;
    bool found = false;
    for (int tries = 0; tries < 40 && !found && slope < 0; ++tries) {
      next = theta;
      add(next, t, d);
      next_cost = Gradient(system, next, next_g);
      const bool decreased = next_cost <= cost + 1e-4 * t * slope;
      found = decreased && dot(next_g, d) >= 0.9 * slope;
      (decreased ? low : high) = t;
      if (!found) t = std::isinf(high) ? 2 * t : (low + high) / 2;
    }
    if (!found && !(next_cost < cost)) {
      if (pairs.empty()) break;  // nothing but rounding is left
      pairs.clear();
      continue;
    }
    Pair pair{.s = next, .y = next_g, .inverse = 0};
    add(pair.s, -1, theta);
    add(pair.y, -1, g);
    pair.inverse = 1 / dot(pair.s, pair.y);
    if (pair.inverse > 0 && std::isfinite(pair.inverse)) {
      pairs.push_back(std::move(pair));
    }
    if (pairs.size() > 50) pairs.pop_front();
    theta.swap(next);
    g.swap(next_g);
    cost = next_cost;
    curve.Look(theta);
  }
  curve.Finish(theta);
}

// The program's argument, a positive, finite number of seconds.
inline double Seconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(seconds > 0) ||
      !std::isfinite(seconds)) {
    throw sven::UsageError("seconds = '" + text +
                           "': must be a positive, finite number");
  }
  return seconds;
}

struct Comparison {
  double seconds;
  // If it is not that of the reference.
  ErrorOf error = nullptr;
  sven::solve::Method method = sven::solve::LevenbergMarquardt{};
  std::string name = "Levenberg-Marquardt";
  // For L-BFGS, if conditions are drawn: they would change under its feet.
  sven::solve::System<double>* fixed = nullptr;
};

// Runs all of them and returns the theta that Solve has found. The arguments of
// the program: seconds, a file for the curves, and one for the solution.
inline Theta Compare(sven::solve::System<double>& system,
                     std::span<const double> begin, const Reference& reference,
                     Comparison what, int argc, char** argv) {
  if (argc > 1) what.seconds = Seconds(argv[1]);
  std::optional<ResultFile> curves_file;
  std::optional<ResultFile> solution_file;
  if (argc > 2) curves_file.emplace(argv[2]);
  if (argc > 3) solution_file.emplace(argv[3]);
  const Theta start(begin.begin(), begin.end());
  const ErrorOf error = what.error ? what.error : [&](auto theta) {
    return reference.RelativeError(theta);
  };
  fmt::print("{} parameters, {} conditions in a step\n", system.NumParameters(),
             system.NumConditions());
  std::vector<Curve> curves;
  curves.emplace_back("Sven: " + what.name, what.seconds, error);
  Theta result = RunSolve(system, start, what.method, curves.back());
  curves.back().Print();
  for (const double rate : {1e-2, 3e-3, 1e-3}) {
    curves.emplace_back(fmt::format("Adam, lr {}, cosine", rate), what.seconds,
                        error);
    RunAdam(system, start, rate, curves.back());
    curves.back().Print();
  }
  curves.emplace_back("L-BFGS, 50 pairs", what.seconds, error);
  RunLbfgs(what.fixed != nullptr ? *what.fixed : system, start, curves.back());
  curves.back().Print();
  if (curves_file) {
    curves_file->WriteLine("method,seconds,error");
    for (const Curve& curve : curves) curve.Write(*curves_file);
    curves_file->Finish();
  }
  if (solution_file) reference.Write(result, *solution_file);
  return result;
}

}  // namespace example

#endif  // SVEN_EXAMPLES_EQUAL_TIME_H_
