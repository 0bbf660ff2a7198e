// SPDX-License-Identifier: MIT
#include "sven/optim/gradient_method.h"

#include <cmath>
#include <limits>

#include "frozen.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/norm.h"

namespace sven::optim {
namespace {

// PyTorch's: keeps the factor finite for a zero gradient.
constexpr double kClipMargin = 1e-6;

// Whether the squares of a vector of this norm can be summed in T.
template <class T>
bool SquaresFit(double norm) {
  return norm < std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
}

}  // namespace

template <class T>
StepReport GradientMethod<T>::Propose(BatchProblem<T>& problem,
                                      const ScheduleFactors& factors,
                                      std::span<T> update) {
  StepReport report;
  report.loss = problem.Gradient(update);
  Stopwatch stopwatch;
  double norm = linalg::Norm<T>(update);
  if (!std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
    return report;
  }
  const std::optional<double>& clip = this->Chain().clip;
  if (clip && norm + kClipMargin > *clip) {
    const double factor = *clip / (norm + kClipMargin);
    for (T& value : update) value *= static_cast<T>(factor);
    norm *= factor;
  }
  if (!SquaresFit<T>(norm)) {
    report.status = StepStatus::kNonFiniteJacobian;
    return report;
  }
  nn::Mlp<T>& net = problem.Net();
  report.learning_rate = Transform({.net = net,
                                    .parameters = net.Parameters(),
                                    .loss = report.loss,
                                    .gradient_norm = norm,
                                    .rate_factor = factors.learning_rate,
                                    .layers = problem.Layers()},
                                   update);
  ZeroFrozen<T>(net.Layers(), update);
  problem.seconds.apply += stopwatch.Lap();
  return report;
}

template class GradientMethod<float>;
template class GradientMethod<double>;

}  // namespace sven::optim
