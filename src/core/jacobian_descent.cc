// SPDX-License-Identifier: MIT
//
// Each problem argmin v^T G v for v >= l is, with v = l + z and q = G l, the
// linear complementarity problem
//
//     y = q + G z >= 0,    z >= 0,    y_j z_j = 0 for all j.
//
// P, the passive set, holds the j with z_j > 0. Once it is known,
// z_P = -G_PP^-1 q_P. It is found by block principal pivoting (Kim and Park,
// Fast Nonnegative Matrix Factorization, SIAM J. Sci. Comput. 33, 2011): solve
// for z, then move every j with z_j < 0 out of P and every j with y_j < 0 into
// it. Should that not settle, a descent from one feasible point to the next
// does (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23).
//
// From P empty that takes three to six solutions per problem. UPGrad, with B
// problems of one G, first looks for all its P at once by Douglas-Rachford
// splitting, whose iterations are matrix products and may be inexact: with v
// the point t cut off at its bounds,
//
//     t <- t + r (x - v),    x = rho (G + rho I)^-1 (2 v - t).
//
// After a few of them one or two solutions remain.
#include "sven/core/jacobian_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sven/base/error.h"
#include "sven/linalg/cholesky.h"
#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/product.h"

namespace sven::core {
namespace {

// Block exchanges that may fail to leave fewer wrong signs, in a row.
constexpr int kPatience = 3;
// Steps of the descent, in units of B: far beyond what was ever seen.
constexpr Index kMostSteps = 100;
// Iterations of the splitting, rho in units of the mean eigenvalue of G, and r:
// the best of those tried on Gram matrices of networks and random ones, for
// B = 32 ... 256.
constexpr int kGuessIterations = 25;
constexpr double kGuessWeight = 0.25;
constexpr float kGuessRelaxation = 1.8F;
// Below this many problems, the inverse costs more than it saves.
constexpr Index kGuessFrom = 8;

bool LowerIsFinite(const ConstMatrixView<double>& K) {
  for (Index r = 0; r < K.rows(); ++r) {
    if (!K.row(r).head(r + 1).allFinite()) return false;
  }
  return true;
}

}  // namespace

struct ConflictFreeWeights::Work {
  MatrixBuffer<double> G;
  std::vector<double> root;  // sqrt(G_jj)
  double tolerance = 0;      // of y_j, relative to the terms it sums
  linalg::Cholesky cholesky;

  // One problem.
  std::vector<char> passive;     // whether j is in P
  std::vector<char> wrong;       // whether z_j or y_j is negative
  std::vector<Index> chosen;     // P, ascending
  AlignedVector<double> solved;  // z_P
  AlignedVector<double> z;
  AlignedVector<double> y;
  AlignedVector<double> feasible;  // z of the descent
  AlignedVector<double> sums;      // q of DualProj

  // The guess; one row per problem, B columns.
  std::vector<Index> conflicts;  // which problems
  MatrixBuffer<double> inverse;  // (G + rho I)^-1
  MatrixBuffer<float> H;         // rho (G + rho I)^-1
  MatrixBuffer<float> T;         // t
  MatrixBuffer<float> D;         // 2 v - t
  MatrixBuffer<float> X;         // x

  void Reserve(Index B);
  void ReserveGuess(Index B);
  void Scale(const ConstMatrixView<double>& K, double regularisation);
  bool UpGrad(std::span<double> w);
  bool DualProj(std::span<double> w);

  bool Guess();

  bool Solve(std::span<const double> q, double bound);
  bool SolveForPassive(std::span<const double> q);
  Index FindWrong(double bound);
  bool Descend(std::span<const double> q, double bound);
  bool MoveTowardsSolution();
};

// P, and with it what is solved, may be larger in a later call; so may be the
// number of problems.
void ConflictFreeWeights::Work::Reserve(Index B) {
  const auto size = static_cast<std::size_t>(B);
  cholesky.Reserve(B);
  passive.resize(size);
  wrong.resize(size);
  chosen.reserve(size);
  solved.reserve(size);
  z.resize(size);
  y.resize(size);
  feasible.resize(size);
}

void ConflictFreeWeights::Work::ReserveGuess(Index B) {
  conflicts.reserve(static_cast<std::size_t>(B));
  inverse.Resize(B, B);
  for (auto* buffer : {&H, &T, &D, &X}) buffer->Resize(B, B);
}

// G, both triangles, and what follows from it.
void ConflictFreeWeights::Work::Scale(const ConstMatrixView<double>& K,
                                      double regularisation) {
  const Index B = K.rows();
  // In two steps: the trace itself may overflow.
  const double largest = K.diagonal().maxCoeff();
  const double share = (K.diagonal() / largest).sum();
  G.Resize(B, B);
  MatrixView<double> view = G.View();
  for (Index r = 0; r < B; ++r) {
    for (Index c = 0; c <= r; ++c) {
      view(r, c) = view(c, r) = K(r, c) / largest / share;
    }
  }
  view.diagonal().array() += regularisation;
  root.resize(static_cast<std::size_t>(B));
  for (Index j = 0; j < B; ++j) root[j] = std::sqrt(view(j, j));
  // A z_j whose sign is lost in rounding leaves y_j >= -sqrt(G_jj / s) |r| when
  // it is set to zero, r being the residual of the solution and s the smallest
  // eigenvalue of G, which is at least the regularisation.
  tolerance = 4 * std::numeric_limits<double>::epsilon() *
              std::sqrt(view.trace() / regularisation);
}

// Sets z_P, z and y for the present P. False if G is not positive definite.
bool ConflictFreeWeights::Work::SolveForPassive(std::span<const double> q) {
  const Index B = std::ssize(q);
  chosen.clear();
  for (Index j = 0; j < B; ++j) {
    if (passive[j] != 0) chosen.push_back(j);
  }
  std::fill(z.begin(), z.end(), 0.0);
  std::copy(q.begin(), q.end(), y.begin());
  if (chosen.empty()) return true;
  solved.resize(chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) solved[k] = -q[chosen[k]];
  if (!cholesky.Factor(std::as_const(G).View(), 0, chosen)) return false;
  cholesky.Solve(solved);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const double value = solved[k];
    const double* row = G.View().data() + chosen[k] * B;
    z[chosen[k]] = value;
#pragma omp simd
    for (Index j = 0; j < B; ++j) y[j] += value * row[j];
  }
  return true;
}

// The number of wrong signs. `bound` is the sum of l_j sqrt(G_jj).
Index ConflictFreeWeights::Work::FindWrong(double bound) {
  double terms = bound;
  for (const Index j : chosen) terms += root[j] * std::abs(z[j]);
  Index count = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    // |G_jk| <= sqrt(G_jj G_kk)
    wrong[j] = passive[j] != 0 ? z[j] < 0 : y[j] < -tolerance * root[j] * terms;
    count += wrong[j];
  }
  return count;
}

// Sets z, starting from the P that it finds in `passive`.
bool ConflictFreeWeights::Work::Solve(std::span<const double> q, double bound) {
  Index fewest = std::ssize(q) + 1;
  int patience = kPatience;
  while (true) {
    if (!SolveForPassive(q)) return false;
    const Index count = FindWrong(bound);
    if (count == 0) return true;
    if (count < fewest) {
      fewest = count;
      patience = kPatience;
    } else if (--patience < 0) {
      return Descend(q, bound);
    }
    for (std::size_t j = 0; j < wrong.size(); ++j) passive[j] ^= wrong[j];
  }
}

// Moves the feasible point towards the z of its P until an entry becomes zero,
// and takes that out of P. False if none does: z is reached.
bool ConflictFreeWeights::Work::MoveTowardsSolution() {
  double step = 1;
  for (const Index j : chosen) {
    if (z[j] < 0) step = std::min(step, feasible[j] / (feasible[j] - z[j]));
  }
  bool blocked = false;
  for (const Index j : chosen) {
    // The same quotient as above: a product might round the other way.
    const bool blocks = z[j] < 0 && feasible[j] / (feasible[j] - z[j]) <= step;
    feasible[j] = blocks ? 0 : feasible[j] + step * (z[j] - feasible[j]);
    passive[j] = blocks ? 0 : 1;
    blocked = blocked || blocks;
  }
  return blocked;
}

// The same as Solve, from the last z.
bool ConflictFreeWeights::Work::Descend(std::span<const double> q,
                                        double bound) {
  const Index B = std::ssize(q);
  for (Index j = 0; j < B; ++j) {
    feasible[j] = std::max(z[j], 0.0);
    passive[j] = z[j] > 0;
  }
  for (Index step = 0; step < kMostSteps * B; ++step) {
    if (!SolveForPassive(q)) return false;
    if (MoveTowardsSolution()) continue;
    if (FindWrong(bound) == 0) return true;
    // The steepest way down.
    Index entering = -1;
    for (Index j = 0; j < B; ++j) {
      const bool steeper =
          entering < 0 || y[j] * root[entering] < y[entering] * root[j];
      if (wrong[j] != 0 && steeper) entering = j;
    }
    passive[entering] = 1;
  }
  return false;
}

// Fills T, positive where P is likely, for the problems in `conflicts`.
bool ConflictFreeWeights::Work::Guess() {
  const ConstMatrixView<double> g = std::as_const(G).View();
  const Index count = std::ssize(conflicts);
  const double rho = kGuessWeight * g.diagonal().mean();
  if (!cholesky.Factor(g, rho)) return false;
  cholesky.Invert(inverse.View());
  H.View() = (rho * inverse.View()).cast<float>();
  for (auto* buffer : {&T, &D, &X}) buffer->Resize(count, g.cols());
  auto t = T.View().array();
  auto d = D.View().array();
  const auto x = X.View().array();
  t.setZero();
  for (Index k = 0; k < count; ++k) t(k, conflicts[k]) = 1;
  d = t;
  for (int iteration = 0; iteration < kGuessIterations; ++iteration) {
    linalg::MultiplyAB<float>(std::as_const(D).View(), std::as_const(H).View(),
                              X.View());
    // v = (t + d) / 2, and d = 2 max(t, l) - t = l + |t - l|.
    t += kGuessRelaxation * (x - 0.5F * (t + d));
    d = t.abs();
    for (Index k = 0; k < count; ++k) {
      d(k, conflicts[k]) = 1 + std::abs(t(k, conflicts[k]) - 1);
    }
  }
  return true;
}

bool ConflictFreeWeights::Work::UpGrad(std::span<double> w) {
  const Index B = std::ssize(w);
  const ConstMatrixView<double> g = std::as_const(G).View();
  ReserveGuess(B);
  // Without a negative entry in its row of G, v_i = e_i.
  conflicts.clear();
  for (Index i = 0; i < B; ++i) {
    if (g.row(i).minCoeff() < 0) conflicts.push_back(i);
  }
  const Index count = std::ssize(conflicts);
  const bool guess = count >= kGuessFrom;
  if (guess && !Guess()) return false;
  std::fill(w.begin(), w.end(), 1.0);
  for (Index k = 0; k < count; ++k) {
    const Index i = conflicts[k];
    for (Index j = 0; j < B; ++j) {
      passive[j] = guess && j != i && T.View()(k, j) > 0;
    }
    const std::span<const double> q(g.data() + i * B, w.size());
    if (!Solve(q, root[i])) return false;
    for (Index j = 0; j < B; ++j) w[j] += z[j];
  }
  return true;
}

bool ConflictFreeWeights::Work::DualProj(std::span<double> w) {
  const Index B = std::ssize(w);
  sums.resize(w.size());
  VectorView<double>(sums.data(), B) = G.View().rowwise().sum();
  std::fill(passive.begin(), passive.end(), 0);
  double bound = 0;
  for (const double value : root) bound += value;
  if (!Solve(sums, bound)) return false;
  for (Index j = 0; j < B; ++j) w[j] = 1 + z[j];
  return true;
}

ConflictFreeWeights::ConflictFreeWeights() : work_(std::make_unique<Work>()) {}
ConflictFreeWeights::~ConflictFreeWeights() = default;
ConflictFreeWeights::ConflictFreeWeights(ConflictFreeWeights&&) noexcept =
    default;
ConflictFreeWeights& ConflictFreeWeights::operator=(
    ConflictFreeWeights&&) noexcept = default;

StepStatus ConflictFreeWeights::Compute(const ConstMatrixView<double>& K,
                                        Aggregation aggregation,
                                        double regularisation,
                                        std::span<double> w) {
  const Index B = K.rows();
  Check(K.cols() == B && B >= 1, "K must be square, not empty");
  Check(std::ssize(w) == B, "w must have one entry per condition");
  Check(regularisation > 0, "the regularisation must be larger than 0");
  std::fill(w.begin(), w.end(), 0.0);
  if (!LowerIsFinite(K)) return StepStatus::kNonFiniteJacobian;
  if (K.diagonal().isZero(0)) return StepStatus::kRankZero;
  if (K.diagonal().minCoeff() < 0) return StepStatus::kNonFiniteStep;
  Work& work = *work_;
  work.Reserve(B);
  work.Scale(K, regularisation);
  const bool solved =
      aggregation == Aggregation::kUpGrad ? work.UpGrad(w) : work.DualProj(w);
  if (!solved) {
    std::fill(w.begin(), w.end(), 0.0);
    return StepStatus::kNonFiniteStep;
  }
  for (double& value : w) value /= static_cast<double>(B);
  return StepStatus::kOk;
}

}  // namespace sven::core
