// SPDX-License-Identifier: MIT
#ifndef SVEN_NN_BATCH_H_
#define SVEN_NN_BATCH_H_

#include <cstdint>
#include <span>

#include "sven/linalg/types.h"

namespace sven::nn {

// Samples with their targets, as views of memory that somebody else owns.
// Which of the two kinds of targets is used depends on the loss.
template <class T>
struct Batch {
  ConstMatrixView<T> x{nullptr, 0, 0};        // B x in
  ConstMatrixView<T> y{nullptr, 0, 0};        // B x out, for regression
  std::span<const std::int64_t> labels = {};  // B, for classification

  [[nodiscard]] Index Size() const { return x.rows(); }
};

}  // namespace sven::nn

#endif  // SVEN_NN_BATCH_H_
