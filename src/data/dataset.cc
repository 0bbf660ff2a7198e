// SPDX-License-Identifier: MIT
#include "sven/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sven/base/error.h"

namespace sven::data {

template <class T>
nn::Batch<T> Dataset<T>::All() const {
  return {.x = View(x), .y = View(y), .labels = labels};
}

template <class T>
nn::Batch<T> Dataset<T>::Rows(Index first, Index count) const {
  return data::Rows(All(), first, count);
}

template <class T>
nn::Batch<T> Rows(const nn::Batch<T>& batch, Index first, Index count) {
  Check(first >= 0 && count >= 0 && first + count <= batch.Size(),
        "rows outside of the batch");
  const auto rows = [&](const ConstMatrixView<T>& m) {
    if (m.rows() == 0) return ConstMatrixView<T>(nullptr, 0, m.cols());
    return ConstMatrixView<T>(m.data() + first * m.cols(), count, m.cols());
  };
  return {
      .x = rows(batch.x),
      .y = rows(batch.y),
      .labels = batch.labels.empty()
                    ? batch.labels
                    : batch.labels.subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(count))};
}

template <class T>
BatchStream<T>::BatchStream(const nn::Batch<T>& data, Index batch_size,
                            std::uint64_t seed, bool shuffle)
    : data_(data),
      batch_size_(batch_size),
      shuffle_(shuffle),
      random_(seed, RandomUse::kShuffling),
      epoch_random_(random_) {
  if (batch_size < 1) {
    throw UsageError(
        fmt::format("batch size {}: must be at least 1", batch_size));
  }
  if (data.Size() < 1) throw DataError("the data set has no samples");
  batch_size_ = std::min(batch_size, data.Size());
  gathered_.x.resize(batch_size_, data.x.cols());
  if (data.y.size() > 0) gathered_.y.resize(batch_size_, data.y.cols());
  if (!data.labels.empty()) {
    gathered_.labels.resize(static_cast<std::size_t>(batch_size_));
  }
}

template <class T>
Index BatchStream<T>::BatchesPerEpoch() const {
  return (data_.Size() + batch_size_ - 1) / batch_size_;
}

template <class T>
void BatchStream<T>::Order() {
  epoch_random_ = random_;
  if (shuffle_) {
    RandomPermutation(data_.Size(), random_, order_);
  } else {
    order_.resize(static_cast<std::size_t>(data_.Size()));
    std::iota(order_.begin(), order_.end(), Index{0});
  }
}

template <class T>
void BatchStream<T>::SetPosition(const BatchPosition& position) {
  Check(position.next >= 0 && position.next <= data_.Size(),
        "a position within the data");
  random_ = position.random;
  epoch_random_ = position.random;
  next_ = position.next;
  if (next_ > 0) Order();
}

template <class T>
std::optional<nn::Batch<T>> BatchStream<T>::Next() {
  if (next_ == 0) Order();
  if (next_ == data_.Size()) {
    next_ = 0;
    epoch_random_ = random_;
    return std::nullopt;
  }
  const Index count = std::min(batch_size_, data_.Size() - next_);
  for (Index i = 0; i < count; ++i) {
    const Index row = order_[next_ + i];
    gathered_.x.row(i) = data_.x.row(row);
    if (data_.y.size() > 0) gathered_.y.row(i) = data_.y.row(row);
    if (!data_.labels.empty()) gathered_.labels[i] = data_.labels[row];
  }
  next_ += count;
  return gathered_.Rows(0, count);
}

template struct Dataset<float>;
template struct Dataset<double>;
template nn::Batch<float> Rows(const nn::Batch<float>&, Index, Index);
template nn::Batch<double> Rows(const nn::Batch<double>&, Index, Index);
template class BatchStream<float>;
template class BatchStream<double>;

}  // namespace sven::data
