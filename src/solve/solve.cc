// SPDX-License-Identifier: MIT
#include "sven/solve/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loop.h"
#include "sven/base/error.h"

namespace sven::solve {
namespace {

std::string_view MethodName(const Method& method) {
  constexpr std::string_view kNames[] = {"LevenbergMarquardt", "AdaptiveSven",
                                         "Sven", "Spring"};
  static_assert(std::size(kNames) == std::variant_size_v<Method>);
  return kNames[method.index()];
}

void ThrowIfAny(const std::string& fault) {
  if (!fault.empty()) throw DataError("the Jacobian is wrong: " + fault);
}

// Whether derivatives that are wrong may be the reason. A start that is not
// finite is none of theirs; batches and methods that try nothing go on, but get
// nowhere.
bool Failed(const Summary& summary) {
  if (!std::isfinite(summary.initial_cost)) return false;
  if (summary.ending == Ending::kIterations) {
    return summary.iterations > 10 * summary.accepted ||
           !(summary.final_cost < summary.initial_cost);
  }
  return summary.ending == Ending::kStalled ||
         summary.ending == Ending::kNonFinite;
}

// After a run that failed for another reason, perhaps.
template <class T>
std::string FaultIfAny(System<T>& system, std::span<const T> theta,
                       const Bounds<T>& bounds) {
  try {
    return system.JacobianFault(theta, bounds);
  } catch (const Error&) {
    return {};  // a function that cannot be evaluated near theta is not wrong
  }
}

}  // namespace

template <class T>
void SolveOptions<T>::Validate(Index parameters) const {
  std::visit([&](const auto& m) { ValidateFields(MethodName(method), m); },
             method);
  ValidateFields("Tolerances", tolerances);
  const auto fail = [](std::string_view what) {
    throw UsageError("SolveOptions::" + std::string(what));
  };
  if (max_iterations < 0) {
    fail(fmt::format("max_iterations = {}: must satisfy max_iterations >= 0",
                     max_iterations));
  }
  if (!(max_seconds >= 0)) {
    fail(fmt::format("max_seconds = {}: must satisfy max_seconds >= 0",
                     max_seconds));
  }
  bounds.Validate(parameters);
}

template <class T>
Observer<T> PrintIterations() {
  return [](const Iteration<T>& i) {
    if (i.number == 1) {
      fmt::print(stderr, "{:>5} {:>13} {:>9} {:>9} {:>9} {:>9}\n", "step",
                 "|R|^2", "gradient", "|delta|", "gain", "damping");
    }
    fmt::print(stderr, "{:>5} {:>13.6e} {:>9.2e} {:>9.2e} {:>9.2e} {:>9.2e}\n",
               i.number, i.cost, i.gradient, i.step, i.gain, i.damping);
    return Next::kContinue;
  };
}

template struct SolveOptions<float>;
template struct SolveOptions<double>;
template Observer<float> PrintIterations();
template Observer<double> PrintIterations();

}  // namespace sven::solve

namespace sven {

template <class T>
solve::Summary Solve(
    solve::System<T>& system, std::type_identity_t<std::span<T>> theta,
    const std::type_identity_t<solve::SolveOptions<T>>& options) {
  solve::internal::CheckSizes<T>(system, theta);
  options.Validate(system.NumParameters());
  options.bounds.CheckInside(theta);
  using Policy = solve::JacobianCheck;
  if (options.check == Policy::kAtStart) {
    solve::ThrowIfAny(system.JacobianFault(theta, options.bounds));
  }
  solve::Loop<T> loop(system, theta, options);
  solve::Summary summary = loop.Run();
  if (options.check == Policy::kOnFailure && solve::Failed(summary) &&
      summary.seconds < options.max_seconds) {
    solve::ThrowIfAny(solve::FaultIfAny<T>(system, theta, options.bounds));
    solve::ThrowIfAny(
        solve::FaultIfAny<T>(system, loop.Theta(), options.bounds));
  }
  std::ranges::copy(loop.Theta(), theta.begin());
  return summary;
}

template solve::Summary Solve(solve::System<float>&, std::span<float>,
                              const solve::SolveOptions<float>&);
template solve::Summary Solve(solve::System<double>&, std::span<double>,
                              const solve::SolveOptions<double>&);

}  // namespace sven
