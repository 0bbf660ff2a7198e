// SPDX-License-Identifier: MIT
#include "sven/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>

#include "sven/base/error.h"

namespace sven::data {

template <class T>
nn::Batch<T> Dataset<T>::All() const {
  return {.x = View(x), .y = View(y), .labels = labels};
}

template <class T>
BatchStream<T>::BatchStream(const Dataset<T>& data, Index batch_size,
                            std::uint64_t seed)
    : data_(data),
      batch_size_(batch_size),
      random_(seed, RandomUse::kShuffling) {
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
std::optional<nn::Batch<T>> BatchStream<T>::Next() {
  if (next_ == 0) RandomPermutation(data_.Size(), random_, order_);
  if (next_ == data_.Size()) {
    next_ = 0;
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
  const auto rows = [count](const Matrix<T>& m) {
    return ConstMatrixView<T>(m.data(), m.size() > 0 ? count : 0, m.cols());
  };
  const std::span<const std::int64_t> labels = gathered_.labels;
  return nn::Batch<T>{
      .x = rows(gathered_.x),
      .y = rows(gathered_.y),
      .labels = labels.empty() ? labels
                               : labels.first(static_cast<std::size_t>(count))};
}

template struct Dataset<float>;
template struct Dataset<double>;
template class BatchStream<float>;
template class BatchStream<double>;

}  // namespace sven::data
