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
  // `count` samples from `first` on.
  [[nodiscard]] nn::Batch<T> Rows(Index first, Index count) const;
};

// The same of a batch; a view again.
template <class T>
nn::Batch<T> Rows(const nn::Batch<T>& batch, Index first, Index count);

// Where a stream of batches is: enough to go on from there.
struct BatchPosition {
  RandomStream random;  // as it was before it gave the order of this epoch
  Index next = 0;       // samples of the epoch that were given out
  bool operator==(const BatchPosition&) const = default;
};

// Batches of a data set in random order, a new one each epoch.
//
//   BatchStream<double> stream(data, 32, /*seed=*/1);
//   while (auto batch = stream.Next()) { ... *batch ... }   // one epoch
template <class T>
class BatchStream {
 public:
  // What `data` shows must outlive the stream. Throws a UsageError for a batch
  // size below one, a DataError for an empty data set. Without `shuffle` the
  // order is that of the data.
  BatchStream(const nn::Batch<T>& data, Index batch_size, std::uint64_t seed,
              bool shuffle = true);
  BatchStream(const Dataset<T>& data, Index batch_size, std::uint64_t seed,
              bool shuffle = true)
      : BatchStream(data.All(), batch_size, seed, shuffle) {}

  // The next batch of the epoch, valid until the next call; the last one may be
  // smaller. Nothing at the end of the epoch; the call after that starts anew.
  [[nodiscard]] std::optional<nn::Batch<T>> Next();

  [[nodiscard]] Index BatchesPerEpoch() const;

  // A stream that is set to the position of another one of the same data, batch
  // size and way of shuffling goes on as that one would. `next` must be at most
  // the number of samples.
  [[nodiscard]] BatchPosition Position() const {
    return {.random = epoch_random_, .next = next_};
  }
  void SetPosition(const BatchPosition& position);

 private:
  void Order();

  nn::Batch<T> data_;
  Index batch_size_;
  bool shuffle_;
  RandomStream random_;
  RandomStream epoch_random_;
  std::vector<Index> order_;
  Index next_ = 0;
  Dataset<T> gathered_;
};

}  // namespace sven::data

#endif  // SVEN_DATA_DATASET_H_
