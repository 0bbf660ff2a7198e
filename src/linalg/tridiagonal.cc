// SPDX-License-Identifier: MIT
#include "tridiagonal.h"

#include <algorithm>
#include <cmath>

#include "blas.h"

namespace sven::linalg {
namespace {

// Turns x (length m) into v with v[m-1] = 1 such that (1 - tau v v^T) x is
// beta times the last unit vector. Returns beta.
//
// The matrix has entries up to order one, so an x[0 ... m-2] below 1e-140 is
// none: left alone, where its squares would lose their digits to underflow and
// the reflection its orthogonality.
double MakeReflector(double* x, Index m, double& tau) {
  const double last = x[m - 1];
  double rest = 0;
#pragma omp simd reduction(+ : rest)
  for (Index i = 0; i < m - 1; ++i) rest += x[i] * x[i];
  if (rest < 1e-280) {
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

// One row left of the diagonal and the diagonal itself: carries out the pending
// change and adds the row's and the column's part of A v to p.
void UpdateAndMultiplyRow(double* row, Index r, const PendingUpdate& old,
                          const double* v, double* p) {
  const double vr = old.v[r];
  const double wr = old.w[r];
  const double x = v[r];
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index c = 0; c < r; ++c) {
    const double a = row[c] - (vr * old.w[c] + wr * old.v[c]);
    row[c] = a;
    sum += a * v[c];
    p[c] += a * x;
  }
  row[r] -= 2 * vr * wr;
  p[r] += sum + row[r] * x;
}

// The same for four rows from r on, in one pass: what the rows share is loaded
// once. Their diagonal block is there in full, so that its part of A v needs no
// sums along rows.
void UpdateAndMultiplyFourRows(double* rows, Index stride, Index r,
                               const PendingUpdate& old, const double* v,
                               double* p) {
  double* row0 = rows;
  double* row1 = rows + stride;
  double* row2 = rows + 2 * stride;
  double* row3 = rows + 3 * stride;
  const double* vr = old.v + r;
  const double* wr = old.w + r;
  const double* x = v + r;
  double sum0 = 0;
  double sum1 = 0;
  double sum2 = 0;
  double sum3 = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
  for (Index c = 0; c < r; ++c) {
    const double ow = old.w[c];
    const double ov = old.v[c];
    const double a0 = row0[c] - (vr[0] * ow + wr[0] * ov);
    const double a1 = row1[c] - (vr[1] * ow + wr[1] * ov);
    const double a2 = row2[c] - (vr[2] * ow + wr[2] * ov);
    const double a3 = row3[c] - (vr[3] * ow + wr[3] * ov);
    row0[c] = a0;
    row1[c] = a1;
    row2[c] = a2;
    row3[c] = a3;
    sum0 += a0 * v[c];
    sum1 += a1 * v[c];
    sum2 += a2 * v[c];
    sum3 += a3 * v[c];
    p[c] += (a0 * x[0] + a1 * x[1]) + (a2 * x[2] + a3 * x[3]);
  }
  p[r] += sum0;
  p[r + 1] += sum1;
  p[r + 2] += sum2;
  p[r + 3] += sum3;
#pragma omp simd
  for (Index c = r; c < r + 4; ++c) {
    const double ow = old.w[c];
    const double ov = old.v[c];
    row0[c] -= vr[0] * ow + wr[0] * ov;
    row1[c] -= vr[1] * ow + wr[1] * ov;
    row2[c] -= vr[2] * ow + wr[2] * ov;
    row3[c] -= vr[3] * ow + wr[3] * ov;
    p[c] +=
        (row0[c] * x[0] + row1[c] * x[1]) + (row2[c] * x[2] + row3[c] * x[3]);
  }
}

// Carries out the pending change on the leading m x m block and computes
// p = A v with the result, in one pass over the lower triangle.
void UpdateAndMultiply(double* A, Index stride, Index m,
                       const PendingUpdate& old, const double* v, double* p) {
  std::fill(p, p + m, 0.0);
  Index r = 0;
  for (; r + 4 <= m; r += 4) {
    UpdateAndMultiplyFourRows(A + r * stride, stride, r, old, v, p);
  }
  for (; r < m; ++r) UpdateAndMultiplyRow(A + r * stride, r, old, v, p);
}

// Completes the diagonal blocks of four rows from their lower triangles.
void FillDiagonalBlocks(MatrixView<double> A) {
  for (Index block = 0; block + 4 <= A.rows(); block += 4) {
    for (Index r = block; r < block + 4; ++r) {
      for (Index c = r + 1; c < block + 4; ++c) A(r, c) = A(c, r);
    }
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

void ReduceSmall(MatrixView<double> A, std::vector<double>& tau,
                 std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal,
                 std::vector<double>& scratch) {
  const Index n = A.rows();
  FillDiagonalBlocks(A);
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

void ReduceLarge(MatrixView<double> A, std::vector<double>& tau,
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
