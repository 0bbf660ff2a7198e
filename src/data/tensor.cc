// SPDX-License-Identifier: MIT
#include "sven/data/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "sven/base/error.h"

namespace sven::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied as they stand; this machine needs a swap");

// Types that a file has and C++ has not.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct BoolByte {
  std::uint8_t byte;
};

template <class T>
T Widen(T value) {
  return value;
}

// A bfloat16 is the upper half of a float.
float Widen(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

// 1 bit of sign, 5 of exponent (bias 15), 10 of mantissa.
float Widen(Half value) {
  const std::uint32_t sign = std::uint32_t{value.bits} >> 15;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = value.bits & 0x3ffU;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  // Infinity and NaN keep an exponent of ones; others change to bias 127.
  const std::uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign << 31 | wide << 23 | mantissa << 13);
}

std::uint8_t Widen(BoolByte value) { return value.byte != 0 ? 1 : 0; }

// Calls visit(S{}), where S is the type that holds one stored value.
template <class Visit>
auto VisitStored(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::kF64:
      return visit(double{});
    case DType::kF32:
      return visit(float{});
    case DType::kF16:
      return visit(Half{});
    case DType::kBF16:
      return visit(BFloat16{});
    case DType::kI64:
      return visit(std::int64_t{});
    case DType::kI32:
      return visit(std::int32_t{});
    case DType::kI16:
      return visit(std::int16_t{});
    case DType::kI8:
      return visit(std::int8_t{});
    case DType::kU64:
      return visit(std::uint64_t{});
    case DType::kU32:
      return visit(std::uint32_t{});
    case DType::kU16:
      return visit(std::uint16_t{});
    case DType::kU8:
      return visit(std::uint8_t{});
    case DType::kBool:
      return visit(BoolByte{});
  }
  throw std::logic_error("sven::data::DType without a stored type");
}

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

bool IsReal(DType dtype) {
  return VisitStored(dtype, [](auto stored) {
    return std::is_floating_point_v<decltype(Widen(stored))>;
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
