// SPDX-License-Identifier: MIT
#include "sven/linalg/row_compression.h"

#include <algorithm>

#include "blas.h"

namespace sven::linalg {
namespace {

// Columns that LAPACK treats at once, at most.
constexpr Index kBlock = 64;

}  // namespace

void RowCompression::Start(Index n, Index block_rows) {
  Check(n >= 1 && block_rows >= 1, "there must be rows and columns");
  n_ = n;
  const auto size = static_cast<std::size_t>((n + block_rows) * n);
  if (stack_.size() < size) stack_.resize(size);
  std::fill_n(stack_.begin(), n * n, 0.0);
  tau_.resize(static_cast<std::size_t>(n));
  work_.resize(static_cast<std::size_t>(kBlock * n));
  InitialiseThreads();
}

MatrixView<double> RowCompression::Room(Index count) {
  Check((n_ + count) * n_ <= std::ssize(stack_), "the block must fit");
  return {stack_.data() + n_ * n_, count, n_};
}

void RowCompression::Add(Index count) {
  // LAPACK reads the stack (n + count rows) as its transpose by columns, so the
  // LQ decomposition there is the QR decomposition here.
  const int n = ToBlas(n_);
  LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, n, ToBlas(n_ + count), stack_.data(), n,
                      tau_.data(), work_.data(), ToBlas(std::ssize(work_)));
  for (Index i = 1; i < n_; ++i) {
    std::fill_n(stack_.begin() + i * n_, i, 0.0);  // the reflections
  }
}

}  // namespace sven::linalg
