// SPDX-License-Identifier: MIT
//
// Letters as in the header: B conditions, N parameters, r singular values
// known, b = U^T R their coefficients.
#include "sven/core/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sven/base/error.h"
#include "sven/base/stopwatch.h"
#include "sven/linalg/cholesky.h"
#include "sven/linalg/largest_eigenvalue.h"
#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/norm.h"
#include "sven/linalg/symmetric_eigen.h"
#include "sven/linalg/thin_svd.h"

namespace sven::core {
namespace {

// Cut-offs below this want the dense road: K in double precision resolves s /
// s_1 hardly further.
constexpr double kGramResolution = 1e-6;
// From this cut-off on, K may be accumulated in single precision.
constexpr double kSingleResolution = 2e-3;
// The dense road stores M: up to 256 MB by choice, any size if forced.
constexpr Index kDenseEntries = Index{1} << 25;
// Random projections pay where they save most of an O(B^3) problem.
constexpr Index kRandomisedFrom = 512;
constexpr Index kRandomisedShare = 8;

bool AllFinite(std::span<const double> values) {
  return ConstVectorView<double>(values.data(), std::ssize(values)).allFinite();
}

// K has an error of about B eps s_1^2. Below ten times its root, singular values
// are off by a per cent and more.
double GramNoise(Index conditions) {
  return 10 * std::sqrt(static_cast<double>(conditions) *
                        std::numeric_limits<double>::epsilon());
}

bool DenseFits(Index conditions, Index parameters) {
  return parameters <= kDenseEntries / conditions;
}

// Singular values that the road cannot tell from zero are zero.
void CutNoise(double relative_noise, std::span<double> s) {
  if (s.empty()) return;
  const double noise = relative_noise * s[0];
  for (double& value : s) {
    if (value <= noise) value = 0;
  }
}

// The number of singular values that K = M M^T is asked for.
Index WantedRank(const StepOptions& options, Index conditions) {
  const auto* truncation = std::get_if<PseudoInverse>(&options.weighting);
  if (truncation == nullptr || !truncation->k) return conditions;
  return std::min(*truncation->k, conditions);
}

}  // namespace

void Validate(const StepOptions& options) {
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    throw UsageError(
        "StepOptions::learning_rate = " + FormatValue(options.learning_rate) +
        ": must satisfy learning_rate > 0");
  }
  Validate(options.weighting);
  ValidateFields("RandomisedEigenOptions", options.randomised);
  const auto* truncation = std::get_if<PseudoInverse>(&options.weighting);
  if (options.road == Road::kRandomised &&
      (truncation == nullptr || !truncation->k)) {
    throw UsageError(
        "StepOptions::road = randomised: needs a number k of singular values "
        "to look for; set k, or use the road gram or auto");
  }
}

Road ChooseRoad(const StepOptions& options, Index conditions,
                Index parameters) {
  if (options.road != Road::kAuto) return options.road;
  const bool fine = NeededResolution(options.weighting) <
                    std::max(kGramResolution, GramNoise(conditions));
  if (DenseFits(conditions, parameters) && (fine || conditions >= parameters)) {
    return Road::kDense;
  }
  const Index room =
      conditions / kRandomisedShare - WantedRank(options, conditions);
  if (conditions >= kRandomisedFrom &&
      options.randomised.oversampling <= room) {
    return Road::kRandomised;
  }
  return Road::kGram;
}

template <class T>
struct StepSolver<T>::Work {
  MatrixBuffer<double> K;
  Matrix<double> M;
  linalg::SymmetricEigen eigen;
  linalg::Cholesky cholesky;
  linalg::LargestEigenvalue largest;
  linalg::RandomisedEigen randomised;
  linalg::ThinSvd svd;
  std::vector<double> w;             // B
  std::vector<double> coefficients;  // r: b, then phi b
  std::vector<double> s;             // r
  std::vector<double> phi;           // r
  std::vector<double> delta;         // N, dense road only
  Stopwatch stopwatch;
  // Of the last step, for another one from the same place.
  Road road = Road::kAuto;
  bool same_place = false;
  bool eigen_known = false;
  double unit = 1;  // of the damping
  double mean = 0;  // of the eigenvalues of K, for damping

  // Each fills `update` with -eta M^T w and returns false with a status set if
  // that cannot be done.
  bool GramRoad(Linearization<T>& problem, const StepOptions& options,
                std::span<T> update, StepReport& report);
  bool DenseRoad(Linearization<T>& problem, const StepOptions& options,
                 std::span<T> update, StepReport& report);

  // The damping's unit and the mean eigenvalue from K, or from the singular
  // values, and the options with the damping in units of one.
  void FindUnit(const StepOptions& options, Road road, Index conditions);
  [[nodiscard]] StepOptions InUnitsOfOne(StepOptions options) const;
  void NoteDamping(const StepOptions& in_units_of_one,
                   StepReport& report) const;
  // Whether the damping drowns in the rounding of K, and M can be had instead.
  [[nodiscard]] bool WantsDense(const Linearization<T>& problem,
                                const StepOptions& options) const;
  bool WeightsByCholesky(std::span<const double> R, const StepOptions& options,
                         StepReport& report);
  bool WeightsByEigenvalues(std::span<const double> R,
                            const StepOptions& options, StepReport& report);
  bool FilterSpectrum(const StepOptions& options, StepReport& report);
};

// Given s and b: phi, and everything the report says of them. False (rank
// zero) if nothing is kept.
template <class T>
bool StepSolver<T>::Work::FilterSpectrum(const StepOptions& options,
                                         StepReport& report) {
  phi.resize(s.size());
  report.kept = Filter(options.weighting, s, phi);
  const auto* truncation = std::get_if<PseudoInverse>(&options.weighting);
  if (truncation != nullptr && truncation->min_gain > 0) {
    const Index kept =
        WorthKeeping(truncation->min_gain, coefficients, report.kept);
    std::fill(phi.begin() + kept, phi.end(), 0.0);
    report.kept = kept;
  }
  if (options.spectrum) report.singular_values.assign(s.begin(), s.end());
  if (report.kept == 0) {
    report.status = StepStatus::kRankZero;
    return false;
  }
  report.largest = s[0];
  report.smallest_kept = s[report.kept - 1];
  // With the share x_i = eta s_i phi_i of coefficient i that the step removes:
  // sum b_i^2 - sum (b_i - x_i b_i)^2.
  report.predicted_decrease = 0;
  for (Index i = 0; i < report.kept; ++i) {
    const double share = options.learning_rate * s[i] * phi[i];
    report.predicted_decrease +=
        coefficients[i] * coefficients[i] * share * (2 - share);
  }
  return true;
}

template <class T>
bool StepSolver<T>::Work::WeightsByCholesky(std::span<const double> R,
                                            const StepOptions& options,
                                            StepReport& report) {
  const double lambda = std::get<Tikhonov>(options.weighting).lambda;
  if (!cholesky.Factor(std::as_const(K).View(), lambda)) return false;
  w.assign(R.begin(), R.end());
  cholesky.Solve(w);
  report.kept = std::ssize(R);
  // M delta = -eta K w = -eta (R - lambda w).
  const double eta = options.learning_rate;
  report.predicted_decrease = 0;
  for (Index a = 0; a < std::ssize(R); ++a) {
    const double change = eta * (R[a] - lambda * w[a]);
    report.predicted_decrease += change * (2 * R[a] - change);
  }
  return true;
}

template <class T>
bool StepSolver<T>::Work::WeightsByEigenvalues(std::span<const double> R,
                                               const StepOptions& options,
                                               StepReport& report) {
  const Index B = std::ssize(R);
  const bool randomly = report.road == Road::kRandomised;
  w.assign(R.begin(), R.end());
  bool finite = eigen_known;
  if (finite) {
    // Only the numbers of the weighting have changed.
  } else if (randomly) {
    RandomStream random(options.seed, RandomUse::kProjection);
    finite = randomised.Factor(std::as_const(K).View(), WantedRank(options, B),
                               options.randomised, random);
  } else {
    finite = eigen.Factor(std::as_const(K).View());
  }
  if (!finite) {
    report.status = StepStatus::kNonFiniteJacobian;
    return false;
  }
  eigen_known = true;
  const std::span<const double> squares =
      randomly ? randomised.Eigenvalues() : eigen.Eigenvalues();
  s.resize(squares.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = squares[i] > 0 ? std::sqrt(squares[i]) : 0.0;
  }
  // Damping keeps weak directions harmless; they must not be cut.
  if (!std::holds_alternative<Tikhonov>(options.weighting)) {
    CutNoise(GramNoise(B), s);
  }
  coefficients.resize(s.size());
  if (randomly) {
    randomised.ToEigenbasis(w, coefficients);
  } else {
    eigen.ToEigenbasis(w);
    coefficients.assign(w.begin(), w.end());
  }
  if (!FilterSpectrum(options, report)) return false;
  const auto* damping = std::get_if<Tikhonov>(&options.weighting);
  if (damping != nullptr) report.kept = B;
  for (std::size_t i = 0; i < s.size(); ++i) {
    // A damped direction has its weight even where K rounds its s to zero: M
    // in the pull-back knows it better.
    coefficients[i] *= damping != nullptr ? 1 / (s[i] * s[i] + damping->lambda)
                       : phi[i] == 0      ? 0.0
                                          : phi[i] / s[i];
  }
  if (randomly) {
    randomised.FromEigenbasis(coefficients, w);
  } else {
    w.assign(coefficients.begin(), coefficients.end());
    eigen.FromEigenbasis(w);
  }
  return true;
}

template <class T>
void StepSolver<T>::Work::FindUnit(const StepOptions& options, Road chosen,
                                   Index conditions) {
  const auto* damping = std::get_if<Tikhonov>(&options.weighting);
  unit = 1;
  mean = 0;
  if (damping == nullptr) return;
  const bool dense = chosen == Road::kDense;
  const double trace =
      dense ? std::inner_product(s.begin(), s.end(), s.begin(), 0.0)
            : K.View().trace();
  mean = trace / static_cast<double>(conditions);
  if (damping->unit == DampingUnit::kLargest) {
    unit = dense ? s[0] * s[0] : largest.Estimate(std::as_const(K).View());
  } else if (damping->unit == DampingUnit::kMean) {
    unit = mean;
  }
}

template <class T>
StepOptions StepSolver<T>::Work::InUnitsOfOne(StepOptions options) const {
  if (auto* damping = std::get_if<Tikhonov>(&options.weighting)) {
    damping->lambda =
        std::max(damping->lambda * unit, damping->least_of_mean * mean);
    damping->unit = DampingUnit::kOne;
  }
  return options;
}

template <class T>
void StepSolver<T>::Work::NoteDamping(const StepOptions& in_units_of_one,
                                      StepReport& report) const {
  const auto* damping = std::get_if<Tikhonov>(&in_units_of_one.weighting);
  if (damping != nullptr) report.damping = damping->lambda / unit;
}

template <class T>
bool StepSolver<T>::Work::WantsDense(const Linearization<T>& problem,
                                     const StepOptions& options) const {
  const auto* damping = std::get_if<Tikhonov>(&options.weighting);
  if (damping == nullptr || options.road != Road::kAuto) return false;
  const Index B = problem.NumConditions();
  const double rounding = static_cast<double>(B) *
                          std::numeric_limits<double>::epsilon() *
                          K.View().diagonal().maxCoeff();
  return damping->lambda < 100 * rounding &&
         DenseFits(B, problem.NumParameters());
}

template <class T>
bool StepSolver<T>::Work::GramRoad(Linearization<T>& problem,
                                   const StepOptions& given,
                                   std::span<T> update, StepReport& report) {
  const auto accumulation =
      NeededResolution(given.weighting) >= kSingleResolution
          ? linalg::Accumulation::kWorking
          : linalg::Accumulation::kDouble;
  const Index B = problem.NumConditions();
  if (!same_place) {
    K.Resize(B, B);
    problem.Gram(accumulation, K.View());
    eigen_known = false;
  }
  report.seconds.gram = stopwatch.Lap();
  if (K.View().diagonal().isZero(0)) {
    report.status = StepStatus::kRankZero;
    return false;
  }
  if (!same_place) FindUnit(given, Road::kGram, B);
  const StepOptions options = InUnitsOfOne(given);
  NoteDamping(options, report);
  if (!same_place && WantsDense(problem, options)) {
    report.road = Road::kDense;
    return DenseRoad(problem, given, update, report);
  }
  const std::span<const double> R = problem.Residuals();
  const bool damped = std::holds_alternative<Tikhonov>(options.weighting);
  const bool solved =
      (damped && !options.spectrum && WeightsByCholesky(R, options, report)) ||
      WeightsByEigenvalues(R, options, report);
  if (!solved) return false;
  for (double& value : w) value *= -options.learning_rate;
  report.seconds.weights = stopwatch.Lap();
  problem.PullBack(w, update);
  return true;
}

template <class T>
bool StepSolver<T>::Work::DenseRoad(Linearization<T>& problem,
                                    const StepOptions& given,
                                    std::span<T> update, StepReport& report) {
  const Index longer =
      std::max(problem.NumConditions(), problem.NumParameters());
  if (!same_place) {
    M.resize(problem.NumConditions(), problem.NumParameters());
    problem.Jacobian(M);
    report.seconds.gram += stopwatch.Lap();
    if (!svd.Factor(M)) {
      report.status = StepStatus::kNonFiniteJacobian;
      return false;
    }
  }
  s.assign(svd.SingularValues().begin(), svd.SingularValues().end());
  CutNoise(static_cast<double>(longer) * std::numeric_limits<double>::epsilon(),
           s);
  if (!same_place) FindUnit(given, Road::kDense, problem.NumConditions());
  const StepOptions options = InUnitsOfOne(given);
  NoteDamping(options, report);
  coefficients.resize(s.size());
  svd.MultiplyUt(problem.Residuals(), coefficients);
  if (!FilterSpectrum(options, report)) return false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    coefficients[i] *= -options.learning_rate * phi[i];
  }
  report.seconds.weights = stopwatch.Lap();
  delta.resize(update.size());
  svd.MultiplyV(coefficients, delta);
  for (std::size_t i = 0; i < delta.size(); ++i) {
    update[i] = static_cast<T>(delta[i]);
  }
  return true;
}

template <class T>
StepSolver<T>::StepSolver() : work_(std::make_unique<Work>()) {}
template <class T>
StepSolver<T>::~StepSolver() = default;
template <class T>
StepSolver<T>::StepSolver(StepSolver&&) noexcept = default;
template <class T>
StepSolver<T>& StepSolver<T>::operator=(StepSolver&&) noexcept = default;

template <class T>
StepReport StepSolver<T>::Compute(Linearization<T>& problem,
                                  const StepOptions& options,
                                  std::span<T> update) {
  Check(std::ssize(update) == problem.NumParameters(),
        "update must have one entry per parameter");
  Check(problem.NumConditions() >= 1, "there must be a condition");
  work_->same_place = false;
  work_->road =
      ChooseRoad(options, problem.NumConditions(), problem.NumParameters());
  return Solve(problem, options, update);
}

template <class T>
StepReport StepSolver<T>::Recompute(Linearization<T>& problem,
                                    const StepOptions& options,
                                    std::span<T> update) {
  Check(work_->road != Road::kAuto, "there must be a step to start from");
  work_->same_place = true;
  return Solve(problem, options, update);
}

template <class T>
StepReport StepSolver<T>::Solve(Linearization<T>& problem,
                                const StepOptions& options,
                                std::span<T> update) {
  StepReport report;
  report.loss = problem.Loss();
  report.learning_rate = options.learning_rate;
  report.road = work_->road;
  work_->stopwatch.Lap();
  bool done = false;
  if (!AllFinite(problem.Residuals()) || !std::isfinite(report.loss)) {
    report.status = StepStatus::kNonFiniteResidual;
  } else if (report.road == Road::kDense) {
    done = work_->DenseRoad(problem, options, update, report);
  } else {
    done = work_->GramRoad(problem, options, update, report);
  }
  if (done) {
    report.update_norm = linalg::Norm<T>(update);
    if (!std::isfinite(report.update_norm)) {
      report.status = StepStatus::kNonFiniteStep;
    }
  }
  work_->road = *report.road;
  if (!report.Applied()) {
    report.update_norm = 0;
    report.predicted_decrease = 0;
    std::fill(update.begin(), update.end(), T{0});
  }
  report.seconds.pull_back = work_->stopwatch.Lap();
  return report;
}

template <class T>
Step<T> SvenStep(Linearization<T>& problem, const StepOptions& options) {
  Validate(options);
  Step<T> step;
  step.delta.resize(problem.NumParameters());
  StepSolver<T> solver;
  step.report = solver.Compute(
      problem, options,
      {step.delta.data(), static_cast<std::size_t>(step.delta.size())});
  return step;
}

template class StepSolver<float>;
template class StepSolver<double>;
template Step<float> SvenStep(Linearization<float>&, const StepOptions&);
template Step<double> SvenStep(Linearization<double>&, const StepOptions&);

}  // namespace sven::core
