// SPDX-License-Identifier: MIT
#include "sven/linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scaling.h"
#include "sven/base/error.h"
#include "tridiagonal.h"

namespace sven::linalg {
namespace {

// Up to this size the matrix stays in the second-level cache, where our own
// reduction needs no blocking; beyond, LAPACK's blocked one is used.
constexpr Index kSmall = 160;
// QL steps per eigenvalue; about 1.5 are needed, dozens never.
constexpr int kMaxSweeps = 60;

// Copies the lower triangle and returns its largest absolute entry, NaN or
// infinity if there is one.
double CopyLower(const ConstMatrixView<double>& K, MatrixView<double> A) {
  double largest = 0;
  bool finite = true;
  for (Index r = 0; r < K.rows(); ++r) {
    const double* in = K.data() + r * K.cols();
    double* out = A.data() + r * K.cols();
#pragma omp simd reduction(max : largest) reduction(&& : finite)
    for (Index c = 0; c <= r; ++c) {
      const double size = std::abs(in[c]);
      out[c] = in[c];
      finite = finite && size <= std::numeric_limits<double>::max();
      largest = size > largest ? size : largest;
    }
  }
  return finite ? largest : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool SymmetricEigen::Factor(const ConstMatrixView<double>& K) {
  Check(K.rows() == K.cols() && K.rows() >= 1, "K must be square, not empty");
  n_ = K.rows();
  const auto size = static_cast<std::size_t>(n_);
  reflectors_.Resize(n_, n_);
  MatrixView<double> A = reflectors_.View();
  tau_.resize(size);
  diagonal_.resize(size);
  off_diagonal_.assign(size, 0.0);
  rotations_.reserve(size * size);  // about 0.85 n^2 are used
  sweeps_.reserve(4 * size);
  signs_.resize(size);
  eigenvalues_.resize(size);
  order_.resize(size);

  const double largest = CopyLower(K, A);
  if (std::isnan(largest)) return false;
  const PowerOfTwo scale = NearestPowerOfTwo(largest);
  scale_ = scale.value;
  for (Index r = 0; r < n_; ++r) {
    A.row(r).head(r + 1) *= scale.inverse;
  }
  Reduce();
  if (!Diagonalise()) return false;
  SortDescending();
  return true;
}

void SymmetricEigen::Reduce() {
  if (n_ <= kSmall) {
    ReduceSmall(reflectors_.View(), tau_, diagonal_, off_diagonal_, scratch_);
  } else {
    ReduceLarge(reflectors_.View(), tau_, diagonal_, off_diagonal_, scratch_);
  }
  off_diagonal_[n_ - 1] = 0;
}

// Square-root-free QL (Pal, Walker and Kahan; Parlett, The Symmetric Eigenvalue
// Problem, section 8.15): it works with the squares of the couplings, cosines
// and sines, so that the chain of operations from one rotation to the next has
// one division and no root. The roots for the rotations themselves are taken
// afterwards, many at a time.
bool SymmetricEigen::Diagonalise() {
  rotations_.clear();
  sweeps_.clear();
  // No eigenvalue is larger (Gershgorin).
  double norm = 0;
  double before = 0;
  for (Index i = 0; i < n_; ++i) {
    const double after = std::abs(off_diagonal_[i]);
    norm = std::max(norm, before + std::abs(diagonal_[i]) + after);
    before = after;
  }
  // The squares know no signs: basis vectors are turned such that all
  // couplings are positive.
  signs_[0] = 1;
  for (Index i = 0; i + 1 < n_; ++i) {
    signs_[i + 1] = off_diagonal_[i] < 0 ? -signs_[i] : signs_[i];
    off_diagonal_[i] *= off_diagonal_[i];
  }
  // The reduction has an error of some eps |K| anyway, so couplings well below
  // it can go. Where K is numerically of low rank that saves most of the work.
  // Half an eps is also the least that lets every block converge: the shift
  // d - e of two equal entries d with a smaller coupling e would round to d.
  const double negligible = 0.5 * std::numeric_limits<double>::epsilon() * norm;
  for (Index first = 0; first < n_; ++first) {
    if (!IsolateEigenvalue(first, negligible * negligible)) return false;
  }
  TakeRoots();
  return true;
}

bool SymmetricEigen::IsolateEigenvalue(Index first, double negligible) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    Index last = first;
    while (last < n_ - 1 && off_diagonal_[last] > negligible) ++last;
    if (last == first) return true;
    QlSweep(first, last);
  }
  return false;
}

// One QL step with Wilkinson's shift sigma on the block first ... last. pi is
// the entry that each rotation turns into the pivot; p = pi^2, gamma = c pi.
void SymmetricEigen::QlSweep(Index first, Index last) {
  // Below this, squares are taken for zero: their quotients would overflow.
  constexpr double kTiny = 1e-200;
  double* d = diagonal_.data();
  double* e2 = off_diagonal_.data();
  const double root = std::sqrt(e2[first]);
  const double half = (d[first + 1] - d[first]) / (2 * root);
  const double sigma =
      d[first] -
      root / (half + std::copysign(std::sqrt(half * half + 1), half));
  const std::size_t start = rotations_.size();
  rotations_.resize(start + static_cast<std::size_t>(last - first));
  Rotation* rotation = rotations_.data() + start;

  double c2 = 1;
  double s2 = 0;
  double gamma = d[last] - sigma;
  double p = gamma * gamma;
  bool pi_negative = gamma < 0;
  bool c_negative = false;
  for (Index i = last - 1; i >= first; --i, ++rotation) {
    const double b2 = e2[i];
    const double r = p + b2;
    const bool regular = p > kTiny;
    const double inverse_r = 1 / r;
    if (i != last - 1) e2[i + 1] = s2 * r;
    const double old_c2 = c2;
    c2 = regular ? p * inverse_r : 0.0;
    s2 = regular ? b2 * inverse_r : 1.0;
    *rotation = {.c = pi_negative ? -c2 : c2, .s = s2};
    const double old_gamma = gamma;
    const double alpha = d[i];
    // r gamma, so that gamma = c2 (alpha - sigma) - s2 old_gamma and p =
    // gamma^2 / c2 need one division each, side by side.
    const double t = p * (alpha - sigma) - b2 * old_gamma;
    gamma = t * inverse_r;
    p = regular ? t * t / (r * p) : old_c2 * b2;
    d[i + 1] = old_gamma + (alpha - gamma);
    // pi = gamma / c, or -c_old e where c is zero.
    const bool new_pi_negative =
        regular ? (gamma < 0) != pi_negative : !c_negative;
    c_negative = regular && pi_negative;
    pi_negative = new_pi_negative;
  }
  e2[first] = s2 * p;
  d[first] = sigma + gamma;
  // The last coupling has the sign of pi: turn its basis vector.
  sweeps_.push_back({.first = first, .last = last - 1, .turn = pi_negative});
}

void SymmetricEigen::TakeRoots() {
  for (Rotation& rotation : rotations_) {
    rotation.c = std::copysign(std::sqrt(std::abs(rotation.c)), rotation.c);
    rotation.s = std::sqrt(rotation.s);
  }
}

void SymmetricEigen::SortDescending() {
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(), [this](Index a, Index b) {
    if (diagonal_[a] != diagonal_[b]) return diagonal_[a] > diagonal_[b];
    return a < b;
  });
  for (Index j = 0; j < n_; ++j) {
    eigenvalues_[j] = diagonal_[order_[j]] * scale_;
  }
}

// b <- Q b with Q = H_{n-1} ... H_1, or Q^T b.
void SymmetricEigen::ApplyQ(double* b, bool transpose) {
  for (Index step = 1; step < n_; ++step) {
    const Index i = transpose ? n_ - step : step;
    if (tau_[i] == 0) continue;
    const double* v = reflectors_.View().data() + i * n_;
    double dot = 0;
#pragma omp simd reduction(+ : dot)
    for (Index j = 0; j < i; ++j) dot += v[j] * b[j];
    dot *= tau_[i];
#pragma omp simd
    for (Index j = 0; j < i; ++j) b[j] -= dot * v[j];
  }
}

void SymmetricEigen::ToEigenbasis(std::span<double> b) {
  Check(std::ssize(b) == n_, "b must have as many entries as K has rows");
  ApplyQ(b.data(), /*transpose=*/true);
  for (Index i = 0; i < n_; ++i) b[i] *= signs_[i];
  const Rotation* rotation = rotations_.data();
  for (const Sweep& sweep : sweeps_) {
    double upper = b[sweep.last + 1];
    for (Index i = sweep.last; i >= sweep.first; --i, ++rotation) {
      const double lower = b[i];
      b[i + 1] = rotation->s * lower + rotation->c * upper;
      upper = rotation->c * lower - rotation->s * upper;
    }
    b[sweep.first] = sweep.turn ? -upper : upper;
  }
  scratch_.assign(b.begin(), b.end());
  for (Index j = 0; j < n_; ++j) b[j] = scratch_[order_[j]];
}

void SymmetricEigen::FromEigenbasis(std::span<double> b) {
  Check(std::ssize(b) == n_, "b must have as many entries as K has rows");
  scratch_.assign(b.begin(), b.end());
  for (Index j = 0; j < n_; ++j) b[order_[j]] = scratch_[j];
  const Rotation* rotation = rotations_.data() + rotations_.size();
  for (auto sweep = sweeps_.rbegin(); sweep != sweeps_.rend(); ++sweep) {
    double lower = sweep->turn ? -b[sweep->first] : b[sweep->first];
    for (Index i = sweep->first; i <= sweep->last; ++i) {
      --rotation;
      const double upper = b[i + 1];
      b[i] = rotation->s * upper + rotation->c * lower;
      lower = rotation->c * upper - rotation->s * lower;
    }
    b[sweep->last + 1] = lower;
  }
  for (Index i = 0; i < n_; ++i) b[i] *= signs_[i];
  ApplyQ(b.data(), /*transpose=*/false);
}

}  // namespace sven::linalg
