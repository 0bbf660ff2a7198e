// SPDX-License-Identifier: MIT
//
// The types in which files hold values, and what they are in C++.
#ifndef SVEN_SRC_DATA_STORED_VALUES_H_
#define SVEN_SRC_DATA_STORED_VALUES_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "sven/data/tensor.h"

namespace sven::data {

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

// The value in a type of C++ that is at least as wide.
template <class T>
T Widen(T value) {
  return value;
}

// A bfloat16 is the upper half of a float.
inline float Widen(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

// 1 bit of sign, 5 of exponent (bias 15), 10 of mantissa.
inline float Widen(Half value) {
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

inline std::uint8_t Widen(BoolByte value) { return value.byte != 0 ? 1 : 0; }

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

// Whether it is a floating-point type.
inline bool IsReal(DType dtype) {
  return VisitStored(dtype, [](auto stored) {
    return std::is_floating_point_v<decltype(Widen(stored))>;
  });
}

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_STORED_VALUES_H_
