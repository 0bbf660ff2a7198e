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

// Up to this size the matrix stays in the cache and our own reduction is faster
// than LAPACK's (measured in benchmarks/kernels.cc).
constexpr Index kSmall = 160;
// QL steps per eigenvalue; about 1.5 are needed, dozens never.
constexpr int kMaxSweeps = 60;

// Copies the lower triangle and returns its largest absolute entry, NaN or
// infinity if there is one.
double CopyLower(const ConstMatrixView<double>& K, Matrix<double>& A) {
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
  reflectors_.resize(n_, n_);
  tau_.resize(size);
  diagonal_.resize(size);
  off_diagonal_.assign(size, 0.0);
  rotations_.reserve(size * size);  // about 0.85 n^2 are used
  sweeps_.reserve(4 * size);
  eigenvalues_.resize(size);
  order_.resize(size);

  const double largest = CopyLower(K, reflectors_);
  if (std::isnan(largest)) return false;
  const PowerOfTwo scale = NearestPowerOfTwo(largest);
  scale_ = scale.value;
  for (Index r = 0; r < n_; ++r) {
    reflectors_.row(r).head(r + 1) *= scale.inverse;
  }
  Reduce();
  if (!Diagonalise()) return false;
  SortDescending();
  return true;
}

void SymmetricEigen::Reduce() {
  if (n_ <= kSmall) {
    ReduceSmall(reflectors_, tau_, diagonal_, off_diagonal_, scratch_);
  } else {
    ReduceLarge(reflectors_, tau_, diagonal_, off_diagonal_, scratch_);
  }
  off_diagonal_[n_ - 1] = 0;
}

bool SymmetricEigen::Diagonalise() {
  rotations_.clear();
  sweeps_.clear();
  double norm = 0;
  for (Index i = 0; i < n_; ++i) {
    norm = std::max(norm, std::abs(diagonal_[i]) + std::abs(off_diagonal_[i]));
  }
  // The reduction has an error of some eps |K| anyway, so couplings well below
  // it can go. Where K is numerically of low rank that saves most of the work.
  const double negligible = 0.1 * std::numeric_limits<double>::epsilon() * norm;
  for (Index first = 0; first < n_; ++first) {
    if (!IsolateEigenvalue(first, negligible)) return false;
  }
  return true;
}

bool SymmetricEigen::IsolateEigenvalue(Index first, double negligible) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    Index last = first;
    while (last < n_ - 1 && std::abs(off_diagonal_[last]) > negligible) ++last;
    if (last == first) return true;
    QlSweep(first, last);
  }
  return false;
}

// One implicit QL step with Wilkinson's shift on the block first ... last
// (Wilkinson and Reinsch, Handbook for Automatic Computation II, tql2).
void SymmetricEigen::QlSweep(Index first, Index last) {
  double* d = diagonal_.data();
  double* e = off_diagonal_.data();
  double g = (d[first + 1] - d[first]) / (2 * e[first]);
  const double root = std::sqrt(g * g + 1);
  g = d[last] - d[first] + e[first] / (g + std::copysign(root, g));
  double s = 1;
  double c = 1;
  double p = 0;
  Index i = last - 1;
  for (; i >= first; --i) {
    const double f = s * e[i];
    const double b = c * e[i];
    const double r = std::sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) break;  // the block splits here
    const double inverse = 1 / r;
    s = f * inverse;
    c = g * inverse;
    g = d[i + 1] - p;
    const double t = (d[i] - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    rotations_.push_back({.c = c, .s = s});
  }
  sweeps_.push_back({.first = i + 1, .last = last - 1});
  if (i >= first) {
    d[i + 1] -= p;
  } else {
    d[first] -= p;
    e[first] = g;
  }
  e[last] = 0;
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
    const double* v = reflectors_.data() + i * n_;
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
  const Rotation* rotation = rotations_.data();
  for (const Sweep& sweep : sweeps_) {
    double upper = b[sweep.last + 1];
    for (Index i = sweep.last; i >= sweep.first; --i, ++rotation) {
      const double lower = b[i];
      b[i + 1] = rotation->s * lower + rotation->c * upper;
      upper = rotation->c * lower - rotation->s * upper;
    }
    b[sweep.first] = upper;
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
    double lower = b[sweep->first];
    for (Index i = sweep->first; i <= sweep->last; ++i) {
      --rotation;
      const double upper = b[i + 1];
      b[i] = rotation->s * upper + rotation->c * lower;
      lower = rotation->c * upper - rotation->s * lower;
    }
    b[sweep->last + 1] = lower;
  }
  ApplyQ(b.data(), /*transpose=*/false);
}

}  // namespace sven::linalg
