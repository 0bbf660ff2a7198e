// SPDX-License-Identifier: MIT
#include "tridiagonal.h"

#include <algorithm>
#include <cmath>

#include "blas.h"

namespace sven::linalg {
namespace {

// Turns x (length m) into v with v[m-1] = 1 such that (1 - tau v v^T) x is
// beta times the last unit vector. Returns beta.
double MakeReflector(double* x, Index m, double& tau) {
  const double last = x[m - 1];
  double rest = 0;
#pragma omp simd reduction(+ : rest)
  for (Index i = 0; i < m - 1; ++i) rest += x[i] * x[i];
  if (rest == 0) {
    tau = 0;
    return last;
  }
  const double beta = -std::copysign(std::sqrt(last * last + rest), last);
  tau = (beta - last) / beta;
  const double factor = 1 / (last - beta);
#pragma omp simd
  for (Index i = 0; i < m - 1; ++i) x[i] *= factor;
  x[m - 1] = 1;
  return beta;
}

// A symmetric rank-two change A - v w^T - w v^T that is not yet carried out.
struct PendingUpdate {
  const double* v;
  const double* w;
};

void UpdateRow(double* row, Index r, Index count, const PendingUpdate& old) {
  const double vr = old.v[r];
  const double wr = old.w[r];
#pragma omp simd
  for (Index c = 0; c < count; ++c) {
    row[c] -= vr * old.w[c] + wr * old.v[c];
  }
}

// Carries out the pending change on the leading m x m block and computes
// p = A v with the result, in one pass over the lower triangle.
void UpdateAndMultiply(double* A, Index stride, Index m,
                       const PendingUpdate& old, const double* v, double* p) {
  std::fill(p, p + m, 0.0);
  const double* old_v = old.v;
  const double* old_w = old.w;
  for (Index r = 0; r < m; ++r) {
    double* row = A + r * stride;
    const double vr = old_v[r];
    const double wr = old_w[r];
    const double x = v[r];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index c = 0; c < r; ++c) {
      const double a = row[c] - (vr * old_w[c] + wr * old_v[c]);
      row[c] = a;
      sum += a * v[c];
      p[c] += a * x;
    }
    row[r] -= 2 * vr * wr;
    p[r] += sum + row[r] * x;
  }
}

// w = tau p - (tau^2 / 2) (p . v) v
void FinishUpdate(Index m, double tau, const double* v, const double* p,
                  double* w) {
  double dot = 0;
#pragma omp simd reduction(+ : dot)
  for (Index i = 0; i < m; ++i) dot += p[i] * v[i];
  const double half = 0.5 * tau * tau * dot;
#pragma omp simd
  for (Index i = 0; i < m; ++i) w[i] = tau * p[i] - half * v[i];
}

}  // namespace

void ReduceSmall(Matrix<double>& A, std::vector<double>& tau,
                 std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal,
                 std::vector<double>& scratch) {
  const Index n = A.rows();
  scratch.assign(static_cast<std::size_t>(4 * n), 0.0);
  double* p = scratch.data();
  double* w = p + n;
  const double* zero = w + n;
  PendingUpdate pending = {.v = zero, .w = zero};
  for (Index i = n - 1; i > 0; --i) {
    double* v = A.data() + i * n;
    UpdateRow(v, i, i + 1, pending);
    diagonal[i] = v[i];
    off_diagonal[i - 1] = MakeReflector(v, i, tau[i]);
    UpdateAndMultiply(A.data(), n, i, pending, v, p);
    FinishUpdate(i, tau[i], v, p, w);
    pending = {.v = v, .w = w};
    if (tau[i] == 0) pending = {.v = zero, .w = zero};
  }
  diagonal[0] = A(0, 0) - 2 * pending.v[0] * pending.w[0];
}

void ReduceLarge(Matrix<double>& A, std::vector<double>& tau,
                 std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal,
                 std::vector<double>& scratch) {
  InitialiseThreads();
  const int n = ToBlas(A.rows());
  constexpr int kBlock = 64;  // generous for dsytrd's block size
  scratch.resize(static_cast<std::size_t>(n) * kBlock);
  // The lower triangle by rows is the upper one by columns.
  LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'U', n, A.data(), n, diagonal.data(),
                      off_diagonal.data(), tau.data() + 1, scratch.data(),
                      n * kBlock);
  for (Index i = 1; i < n; ++i) A(i, i - 1) = 1;
}

}  // namespace sven::linalg
