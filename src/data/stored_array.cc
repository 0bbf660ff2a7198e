// SPDX-License-Identifier: MIT
#include "stored_array.h"

#include <fmt/ranges.h>

#include <optional>

#include "fail.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

// A multiple of the size of every type.
constexpr Index kChunkBytes = Index{1} << 18;

}  // namespace

namespace internal {

void ThrowNoMemory(std::string_view source) {
  Fail(source, "there is not enough memory for its values");
}

Walk::Walk(const ArrayLayout& layout, Index cols)
    : first_axis_fastest_(layout.first_axis_fastest), cols_(cols) {
  // Strides of an array without values might overflow.
  if (!first_axis_fastest_ || layout.shape.empty() || cols == 0) return;
  rows_ = layout.shape.front();
  shape_.assign(layout.shape.begin() + 1, layout.shape.end());
  indices_.resize(shape_.size());
  strides_.resize(shape_.size());
  Index stride = 1;
  for (std::size_t axis = shape_.size(); axis-- > 0; stride *= shape_[axis]) {
    strides_[axis] = stride;
  }
}

void Walk::AdvanceFirstAxis() {
  if (++row_ < rows_) return;
  row_ = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    col_ += strides_[axis];
    if (++indices_[axis] < shape_[axis]) return;
    col_ -= strides_[axis] * shape_[axis];
    indices_[axis] = 0;
  }
}

}  // namespace internal

std::string ArrayLayout::Describe() const {
  return fmt::format("{} [{}]", sven::Name(dtype),
                     Printable(fmt::format("{}", fmt::join(shape, ", ")), 80));
}

StoredArray::StoredArray(ArrayLayout layout, UniqueStream values)
    : layout_(std::move(layout)), values_(std::move(values)) {
  const std::optional<Index> bytes = ByteCount(layout_.dtype, layout_.shape);
  const std::span<const Index> shape = layout_.shape;
  const std::optional<Index> cols =
      shape.empty() ? 1 : ByteCount(DType::kU8, shape.subspan(1));
  const Index available = values_->MaxRemaining();
  if (!bytes || !cols || *bytes > available) {
    Fail(Name(), "{} needs {} bytes, expected no more than the {} of the file",
         layout_.Describe(),
         bytes && cols ? std::to_string(*bytes) : "more than 2^63", available);
  }
  if (!shape.empty()) rows_ = shape.front();
  if (ByteSize(layout_.dtype) == 1) layout_.big_endian = false;
  cols_ = *cols;
  bytes_left_ = *bytes;
}

std::span<const std::byte> StoredArray::NextBlock() {
  if (bytes_left_ == 0) {
    ExpectEnd(*values_);
    return {};
  }
  const Index size = std::min(kChunkBytes, bytes_left_);
  block_.resize(static_cast<std::size_t>(size));
  ReadExactly(*values_, block_, "values");
  bytes_left_ -= size;
  return block_;
}

Tensor StoredArray::ReadTensor() {
  Tensor tensor{.dtype = layout_.dtype, .shape = layout_.shape, .bytes = {}};
  TakeMemory(Name(), [&] {
    tensor.bytes.resize(static_cast<std::size_t>(bytes_left_));
  });
  if (!layout_.big_endian && !layout_.first_axis_fastest) {
    ReadExactly(*values_, tensor.bytes, "values");
    bytes_left_ = 0;
    ExpectEnd(*values_);
    return tensor;
  }
  std::byte* const out = tensor.bytes.data();
  ForEachStored([out, this](Index row, Index col, auto stored) {
    const Index index = row * cols_ + col;
    std::memcpy(out + index * Index{sizeof(stored)}, &stored, sizeof(stored));
  });
  return tensor;
}

template <class T>
Matrix<T> StoredArray::ReadMatrix() {
  Matrix<T> matrix;
  TakeMemory(Name(), [&] { matrix.resize(rows_, cols_); });
  T* const out = matrix.data();
  ForEachValue([out, this](Index row, Index col, auto value) {
    out[row * cols_ + col] = static_cast<T>(value);
  });
  return matrix;
}

template Matrix<float> StoredArray::ReadMatrix();
template Matrix<double> StoredArray::ReadMatrix();

}  // namespace sven::data
