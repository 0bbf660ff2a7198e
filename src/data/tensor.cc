// SPDX-License-Identifier: MIT
#include "sven/data/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "stored_values.h"
#include "sven/base/error.h"

namespace sven::data {
namespace {

std::optional<Index> Multiply(Index a, Index b) {
  Index product = 0;
  if (b < 0 || __builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<Index> Product(std::span<const Index> shape) {
  std::optional<Index> product = 1;
  for (const Index extent : shape) {
    if (product) product = Multiply(*product, extent);
  }
  return product;
}

void CheckBytesFitShape(const Tensor& tensor) {
  Check(std::ssize(tensor.bytes) == ByteCount(tensor.dtype, tensor.shape),
        "bytes of a Tensor must fit its shape and dtype");
}

Tensor FromBytes(DType dtype, std::span<const std::byte> bytes,
                 std::vector<Index> shape) {
  Tensor tensor{.dtype = dtype,
                .shape = std::move(shape),
                .bytes = {bytes.begin(), bytes.end()}};
  CheckBytesFitShape(tensor);
  return tensor;
}

// Calls use(value) with every value in its own type, at least as wide.
template <class Use>
void ForEachValue(const Tensor& tensor, Use use) {
  VisitStored(tensor.dtype, [&](auto stored) {
    std::span<const std::byte> rest = tensor.bytes;
    for (; !rest.empty(); rest = rest.subspan(sizeof(stored))) {
      std::memcpy(&stored, rest.data(), sizeof(stored));
      use(Widen(stored));
    }
  });
}

}  // namespace

Index ByteSize(DType dtype) {
  return VisitStored(
      dtype, [](auto stored) { return static_cast<Index>(sizeof(stored)); });
}

std::optional<Index> ByteCount(DType dtype, std::span<const Index> shape) {
  const std::optional<Index> size = Product(shape);
  return size ? Multiply(*size, ByteSize(dtype)) : std::nullopt;
}

Index Tensor::Size() const {
  const std::optional<Index> size = Product(shape);
  Check(size.has_value(), "shape of a Tensor must be >= 0 and not overflow");
  return *size;
}

template <TensorSource T>
Tensor Tensor::From(std::span<const T> values, std::vector<Index> shape) {
  constexpr DType kDType = std::is_same_v<T, double>  ? DType::kF64
                           : std::is_same_v<T, float> ? DType::kF32
                                                      : DType::kI64;
  return FromBytes(kDType, std::as_bytes(values), std::move(shape));
}

template Tensor Tensor::From(std::span<const double>, std::vector<Index>);
template Tensor Tensor::From(std::span<const float>, std::vector<Index>);
template Tensor Tensor::From(std::span<const std::int64_t>, std::vector<Index>);

Tensor Tensor::FromBools(std::span<const std::uint8_t> values,
                         std::vector<Index> shape) {
  Tensor tensor =
      FromBytes(DType::kBool, std::as_bytes(values), std::move(shape));
  for (std::byte& byte : tensor.bytes) byte = std::min(byte, std::byte{1});
  return tensor;
}

template <TensorReal T>
std::vector<T> Tensor::Values() const {
  CheckBytesFitShape(*this);
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(Size()));
  ForEachValue(*this,
               [&](auto value) { values.push_back(static_cast<T>(value)); });
  return values;
}

template std::vector<float> Tensor::Values() const;
template std::vector<double> Tensor::Values() const;

std::vector<std::int64_t> Tensor::Integers() const {
  CheckBytesFitShape(*this);
  if (IsReal(dtype)) {
    throw DataError(
        fmt::format("dtype {}: expected an integer type or BOOL", Name(dtype)));
  }
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(Size()));
  ForEachValue(*this, [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      if (!std::in_range<std::int64_t>(value)) {
        throw DataError(
            fmt::format("{} value {}: does not fit a signed 64-bit integer",
                        Name(dtype), value));
      }
      values.push_back(static_cast<std::int64_t>(value));
    }
  });
  return values;
}

}  // namespace sven::data
