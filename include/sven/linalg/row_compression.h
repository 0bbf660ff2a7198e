// SPDX-License-Identifier: MIT
#ifndef SVEN_LINALG_ROW_COMPRESSION_H_
#define SVEN_LINALG_ROW_COMPRESSION_H_

#include <vector>

#include "sven/linalg/types.h"

namespace sven::linalg {

// The triangle of a QR decomposition of a tall matrix A = Q T (rows x n) that is
// given in blocks of rows: T^T T = A^T A, and the singular values of T are those
// of A, without ever holding more of A than a block. A right-hand side that is
// appended to A as a column comes out as a column of T.
class RowCompression {
 public:
  // Forgets everything. n columns, blocks of at most block_rows rows.
  void Start(Index n, Index block_rows);

  // Room for the next rows (count x n), to be filled before Add(count).
  [[nodiscard]] MatrixView<double> Room(Index count);
  void Add(Index count);

  // T, n x n, upper triangular.
  [[nodiscard]] ConstMatrixView<double> Triangle() const {
    return {stack_.data(), n_, n_};
  }

 private:
  Index n_ = 0;
  AlignedVector<double> stack_;  // T, and below it the next block
  std::vector<double> tau_;
  std::vector<double> work_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_ROW_COMPRESSION_H_
