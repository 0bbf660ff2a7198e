// SPDX-License-Identifier: MIT
//
// Arrays of numbers as files hold them: a type, a shape and bytes, little-
// endian, last axis fastest.
#ifndef SVEN_DATA_TENSOR_H_
#define SVEN_DATA_TENSOR_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/types.h"

namespace sven::data {

enum class DType {
  kF64,
  kF32,
  kF16,
  kBF16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool,
};

// Bytes that one value takes in the file.
Index ByteSize(DType dtype);

// Bytes that all values take. Nothing if an extent is negative or if the number
// overflows, as it may if the shape comes out of a file.
std::optional<Index> ByteCount(DType dtype, std::span<const Index> shape);

// What values can be taken from and turned into.
template <class T>
concept TensorReal = std::same_as<T, double> || std::same_as<T, float>;
template <class T>
concept TensorSource = TensorReal<T> || std::same_as<T, std::int64_t>;

// The values stay in the form of the file until someone asks for them as
// numbers: copying a file keeps it bit for bit, NaNs included, and a type that
// C++ lacks (F16, BF16) needs no stand-in.
struct Tensor {
  DType dtype = DType::kF64;
  std::vector<Index> shape = {0};  // {} is a scalar, that is one value
  std::vector<std::byte> bytes;    // Size() * ByteSize(dtype) of them

  // A mistake of the caller, hence std::logic_error, if the number of values
  // is not the product of the shape.
  template <TensorSource T>
  static Tensor From(std::span<const T> values, std::vector<Index> shape);
  // Anything but 0 is true. A name of its own, because the same bytes could
  // be meant as U8.
  static Tensor FromBools(std::span<const std::uint8_t> values,
                          std::vector<Index> shape);

  // Number of values, the product of the shape.
  [[nodiscard]] Index Size() const;

  // Every dtype as real numbers, rounded to nearest where T is narrower. Bools
  // become 0 and 1.
  template <TensorReal T>
  [[nodiscard]] std::vector<T> Values() const;

  // Whole numbers, exactly. DataError if the dtype is a floating one, or if a
  // U64 does not fit; real numbers are never rounded silently.
  [[nodiscard]] std::vector<std::int64_t> Integers() const;

  bool operator==(const Tensor&) const = default;
};

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::DType> {
  using DType = sven::data::DType;
  static constexpr std::pair<std::string_view, DType> kTable[] = {
      {"F64", DType::kF64},   {"F32", DType::kF32}, {"F16", DType::kF16},
      {"BF16", DType::kBF16}, {"I64", DType::kI64}, {"I32", DType::kI32},
      {"I16", DType::kI16},   {"I8", DType::kI8},   {"U64", DType::kU64},
      {"U32", DType::kU32},   {"U16", DType::kU16}, {"U8", DType::kU8},
      {"BOOL", DType::kBool},
  };
};

#endif  // SVEN_DATA_TENSOR_H_
