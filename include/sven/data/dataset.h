// SPDX-License-Identifier: MIT
#ifndef SVEN_DATA_DATASET_H_
#define SVEN_DATA_DATASET_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sven/base/random.h"
#include "sven/nn/batch.h"

namespace sven::data {

template <class T>
struct Dataset {
  Matrix<T> x;                       // samples x inputs
  Matrix<T> y;                       // samples x outputs, for regression
  std::vector<std::int64_t> labels;  // for classification

  [[nodiscard]] Index Size() const { return x.rows(); }
  // All of it as one batch.
  [[nodiscard]] nn::Batch<T> All() const;
};

// Batches of a data set in random order, a new one each epoch.
//
//   BatchStream<double> stream(data, 32, /*seed=*/1);
//   while (auto batch = stream.Next()) { ... *batch ... }   // one epoch
template <class T>
class BatchStream {
 public:
  // `data` must outlive the stream. Throws a UsageError for a batch size below
  // one, a DataError for an empty data set.
  BatchStream(const Dataset<T>& data, Index batch_size, std::uint64_t seed);

  // The next batch of the epoch, valid until the next call; the last one may be
  // smaller. Nothing at the end of the epoch; the call after that starts anew.
  [[nodiscard]] std::optional<nn::Batch<T>> Next();

 private:
  const Dataset<T>& data_;
  Index batch_size_;
  RandomStream random_;
  std::vector<Index> order_;
  Index next_ = 0;
  Dataset<T> gathered_;
};

}  // namespace sven::data

#endif  // SVEN_DATA_DATASET_H_
