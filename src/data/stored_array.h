// SPDX-License-Identifier: MIT
//
// An array in a file: its header has been read and checked, its values have
// not. NPY, NPZ, IDX and safetensors all come down to this.
#ifndef SVEN_SRC_DATA_STORED_ARRAY_H_
#define SVEN_SRC_DATA_STORED_ARRAY_H_

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "byte_source.h"
#include "stored_values.h"
#include "sven/data/tensor.h"
#include "sven/linalg/types.h"

namespace sven::data {

struct ArrayLayout {
  DType dtype = DType::kF64;
  std::vector<Index> shape = {};
  bool big_endian = false;
  bool first_axis_fastest = false;  // Fortran's order; else the last is

  // "F32 [60000, 28, 28]", for messages
  [[nodiscard]] std::string Describe() const;
};

class StoredArray {
 public:
  // DataError if `values` cannot hold as many bytes as the layout needs, so
  // that memory may be taken for it.
  StoredArray(ArrayLayout layout, UniqueStream values);

  // The file, and the array where a file has several.
  [[nodiscard]] const std::string& Name() const { return values_->Name(); }
  [[nodiscard]] const ArrayLayout& Layout() const { return layout_; }
  // As a matrix: a row per index of the first axis, the other axes flattened
  // with the last one fastest. A scalar is 1 x 1.
  [[nodiscard]] Index Rows() const { return rows_; }
  [[nodiscard]] Index Cols() const { return cols_; }

  // Calls use(row, col, value) for every value, in the order of the file; the
  // value is of the array's own type or wider. Once only: the values are gone
  // then. No more than a block is held.
  template <class Use>
  void ForEachValue(Use use);

  // The values as they stand, little-endian, last axis fastest. Once only.
  Tensor ReadTensor();
  // Rounded to nearest where T is narrower. Once only.
  template <class T>
  Matrix<T> ReadMatrix();

 private:
  // The same with the type of the file.
  template <class Use>
  void ForEachStored(Use use);
  // The next bytes of the values, whole values only; empty at the end.
  std::span<const std::byte> NextBlock();

  ArrayLayout layout_;
  UniqueStream values_;
  Index rows_ = 1;
  Index cols_ = 1;
  Index bytes_left_ = 0;
  std::vector<std::byte> block_;
};

// Calls `allocate`; a DataError if there is not as much memory as it asks for.
template <class Allocate>
void TakeMemory(std::string_view source, Allocate allocate);

namespace internal {

[[noreturn]] void ThrowNoMemory(std::string_view source);

// Row and column of the values of an array (see StoredArray::Rows) in the order
// of the file.
class Walk {
 public:
  Walk(const ArrayLayout& layout, Index cols);
  [[nodiscard]] Index Row() const { return row_; }
  [[nodiscard]] Index Col() const { return col_; }
  void Advance() {
    if (first_axis_fastest_) {
      AdvanceFirstAxis();
    } else if (++col_ == cols_) {
      col_ = 0;
      ++row_;
    }
  }

 private:
  void AdvanceFirstAxis();

  bool first_axis_fastest_;
  Index cols_;
  Index row_ = 0;
  Index col_ = 0;
  // Of all axes but the first, which is that of the rows.
  Index rows_ = 1;
  std::vector<Index> shape_;
  std::vector<Index> strides_;
  std::vector<Index> indices_;
};

template <class Stored>
Stored LoadValue(const std::byte* from, bool big_endian) {
  std::byte bytes[sizeof(Stored)];
  std::memcpy(bytes, from, sizeof(Stored));
  if (big_endian) std::reverse(std::begin(bytes), std::end(bytes));
  Stored value;
  std::memcpy(&value, bytes, sizeof(Stored));
  return value;
}

}  // namespace internal

template <class Use>
void StoredArray::ForEachStored(Use use) {
  internal::Walk walk(layout_, cols_);
  VisitStored(layout_.dtype, [&](auto stored) {
    using Stored = decltype(stored);
    for (auto block = NextBlock(); !block.empty(); block = NextBlock()) {
      for (; !block.empty(); block = block.subspan(sizeof(Stored))) {
        use(walk.Row(), walk.Col(),
            internal::LoadValue<Stored>(block.data(), layout_.big_endian));
        walk.Advance();
      }
    }
  });
}

template <class Use>
void StoredArray::ForEachValue(Use use) {
  ForEachStored([&use](Index row, Index col, auto stored) {
    use(row, col, Widen(stored));
  });
}

template <class Allocate>
void TakeMemory(std::string_view source, Allocate allocate) {
  try {
    allocate();
  } catch (const std::bad_alloc&) {
    internal::ThrowNoMemory(source);
  } catch (const std::length_error&) {
    internal::ThrowNoMemory(source);
  }
}

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_STORED_ARRAY_H_
