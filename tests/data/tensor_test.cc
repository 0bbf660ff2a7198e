// SPDX-License-Identifier: MIT
#include "sven/data/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "sven/base/error.h"
#include "testing/files.h"

namespace sven::data::tensor_test {
namespace {

using testing::DataErrorOf;

using Bytes = std::vector<std::byte>;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
Bytes Pack(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

TEST(Tensor, FromKeepsValues) {
  const std::vector<double> doubles = {0.1, -kInf, 5e-324};
  const std::vector<float> floats = {0.1F, 1e-45F};
  const std::vector<std::int64_t> integers = {
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(Tensor::From<double>(doubles, {3}).Values<double>(), doubles);
  EXPECT_EQ(Tensor::From<float>(floats, {1, 2}).Values<float>(), floats);
  EXPECT_EQ(Tensor::From<std::int64_t>(integers, {2}).Integers(), integers);
}

TEST(Tensor, AnythingButZeroIsTrue) {
  const std::vector<std::uint8_t> values = {0, 1, 255};
  const Tensor made = Tensor::FromBools(values, {3});
  EXPECT_EQ(made.bytes, Pack<std::uint8_t>({0, 1, 1}));
  const Tensor read{.dtype = DType::kBool, .shape = {3}, .bytes = Pack(values)};
  EXPECT_EQ(read.Integers(), (std::vector<std::int64_t>{0, 1, 1}));
  EXPECT_EQ(read.Values<double>(), (std::vector<double>{0, 1, 1}));
}

template <class T>
void ExpectLimitsSurvive(DType dtype) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = {Limits::min(), T{0}, T{1}, Limits::max()};
  const Tensor tensor{.dtype = dtype, .shape = {4}, .bytes = Pack(values)};
  const auto as_double = tensor.Values<double>();
  const auto as_float = tensor.Values<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(as_double[i], static_cast<double>(values[i])) << Name(dtype);
    EXPECT_EQ(as_float[i], static_cast<float>(values[i])) << Name(dtype);
  }
  if constexpr (!std::is_same_v<T, std::uint64_t>) {
    EXPECT_EQ(tensor.Integers(),
              std::vector<std::int64_t>(values.begin(), values.end()));
  }
}

TEST(Tensor, IntegersOfEveryWidthConvert) {
  ExpectLimitsSurvive<std::int64_t>(DType::kI64);
  ExpectLimitsSurvive<std::int32_t>(DType::kI32);
  ExpectLimitsSurvive<std::int16_t>(DType::kI16);
  ExpectLimitsSurvive<std::int8_t>(DType::kI8);
  ExpectLimitsSurvive<std::uint64_t>(DType::kU64);
  ExpectLimitsSurvive<std::uint32_t>(DType::kU32);
  ExpectLimitsSurvive<std::uint16_t>(DType::kU16);
  ExpectLimitsSurvive<std::uint8_t>(DType::kU8);
}

TEST(Tensor, UnsignedOverTheSignedLimitIsNoInteger) {
  Tensor tensor{.dtype = DType::kU64,
                .shape = {1},
                .bytes = Pack<std::uint64_t>({(1ULL << 63) - 1})};
  EXPECT_EQ(tensor.Integers()[0], std::numeric_limits<std::int64_t>::max());
  tensor.bytes = Pack<std::uint64_t>({1ULL << 63});
  const std::string message = DataErrorOf([&] { (void)tensor.Integers(); });
  EXPECT_NE(message.find("9223372036854775808"), std::string::npos) << message;
}

TEST(Tensor, RealNumbersAreNoIntegers) {
  for (const DType dtype :
       {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Tensor empty{.dtype = dtype, .shape = {0}, .bytes = {}};
    const std::string message = DataErrorOf([&] { (void)empty.Integers(); });
    EXPECT_NE(message.find(Name(dtype)), std::string::npos) << message;
  }
}

struct Sixteen {
  std::uint16_t bits;
  double value;
};

void ExpectValues(DType dtype, std::span<const Sixteen> cases) {
  for (const auto& [bits, value] : cases) {
    const Tensor tensor{
        .dtype = dtype, .shape = {}, .bytes = Pack<std::uint16_t>({bits})};
    const double found = tensor.Values<double>()[0];
    EXPECT_EQ(found, value) << Name(dtype) << " 0x" << std::hex << bits;
    EXPECT_EQ(std::signbit(found), std::signbit(value));
    EXPECT_EQ(tensor.Values<float>()[0], static_cast<float>(value));
  }
}

TEST(Tensor, HalvesHaveTheirIeeeValues) {
  const std::array<Sixteen, 12> cases = {{{0x0000, 0.0},
                                          {0x8000, -0.0},
                                          {0x3c00, 1.0},
                                          {0xc000, -2.0},
                                          {0x3555, 0.333251953125},
                                          {0x7bff, 65504.0},
                                          {0x0400, 0x1p-14},
                                          {0x03ff, 1023 * 0x1p-24},
                                          {0x0001, 0x1p-24},
                                          {0x8001, -0x1p-24},
                                          {0x7c00, kInf},
                                          {0xfc00, -kInf}}};
  ExpectValues(DType::kF16, cases);
}

// sign * 2^(exponent - 15) * (1 + mantissa / 1024), for all that are finite.
TEST(Tensor, EveryFiniteHalfMatchesTheDefinition) {
  std::vector<std::uint16_t> bits;
  std::vector<double> expected;
  for (int i = 0; i < 0x10000; ++i) {
    const int exponent = (i >> 10) & 31;
    if (exponent == 31) continue;
    const int mantissa = (i & 1023) + (exponent == 0 ? 0 : 1024);
    const double value = std::ldexp(mantissa, std::max(exponent, 1) - 25);
    bits.push_back(static_cast<std::uint16_t>(i));
    expected.push_back(i >= 0x8000 ? -value : value);
  }
  const Tensor tensor{
      .dtype = DType::kF16, .shape = {std::ssize(bits)}, .bytes = Pack(bits)};
  EXPECT_EQ(tensor.Values<double>(), expected);
}

TEST(Tensor, BrainFloatsAreTheUpperHalvesOfFloats) {
  const std::array<Sixteen, 9> cases = {{{0x0000, 0.0},
                                         {0x8000, -0.0},
                                         {0x3f80, 1.0},
                                         {0xc040, -3.0},
                                         {0x0080, 0x1p-126},
                                         {0x0001, 0x1p-133},
                                         {0x7f7f, 0x1.fep127},
                                         {0x7f80, kInf},
                                         {0xff80, -kInf}}};
  ExpectValues(DType::kBF16, cases);
}

TEST(Tensor, NansStayNans) {
  const Tensor halves{.dtype = DType::kF16,
                      .shape = {3},
                      .bytes = Pack<std::uint16_t>({0x7e00, 0x7c01, 0xffff})};
  for (const float x : halves.Values<float>()) EXPECT_TRUE(std::isnan(x));
  const Tensor brains{.dtype = DType::kBF16,
                      .shape = {3},
                      .bytes = Pack<std::uint16_t>({0x7fc0, 0x7f81, 0xffff})};
  for (const double x : brains.Values<double>()) EXPECT_TRUE(std::isnan(x));
}

TEST(Tensor, NamesOfDTypesAreThoseOfTheFormat) {
  EXPECT_EQ(AllNames<DType>(),
            "F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 or "
            "BOOL");
  EXPECT_EQ(ByteSize(DType::kF64), 8);
  EXPECT_EQ(ByteSize(DType::kF32), 4);
  EXPECT_EQ(ByteSize(DType::kBF16), 2);
  EXPECT_EQ(ByteSize(DType::kBool), 1);
}

TEST(Tensor, ByteCountsThatOverflowAreNone) {
  constexpr Index kMax = std::numeric_limits<Index>::max();
  const auto count = [](DType dtype, std::vector<Index> shape) {
    return ByteCount(dtype, shape);
  };
  EXPECT_EQ(count(DType::kF32, {}), 4);
  EXPECT_EQ(count(DType::kF32, {2, 3}), 24);
  EXPECT_EQ(count(DType::kU8, {kMax}), kMax);
  EXPECT_EQ(count(DType::kF64, {kMax, 0}), 0);
  EXPECT_EQ(count(DType::kF16, {kMax}), std::nullopt);
  EXPECT_EQ(count(DType::kU8, {kMax, kMax}), std::nullopt);
  EXPECT_EQ(count(DType::kU8, {0, -1}), std::nullopt);
}

TEST(Tensor, BytesThatDoNotFitTheShapeAreALogicError) {
  const std::vector<double> three = {1, 2, 3};
  EXPECT_THROW(Tensor::From<double>(three, {2}), std::logic_error);
  EXPECT_THROW(Tensor::From<double>(three, {-3}), std::logic_error);
  const std::vector<std::uint8_t> two = {1, 0};
  EXPECT_THROW(Tensor::FromBools(two, {}), std::logic_error);

  const Tensor bad{.dtype = DType::kF32, .shape = {2}, .bytes = Bytes(7)};
  EXPECT_THROW((void)bad.Values<double>(), std::logic_error);
  const Tensor huge{.dtype = DType::kU8,
                    .shape = {Index{1} << 40, Index{1} << 40},
                    .bytes = {}};
  EXPECT_THROW((void)huge.Size(), std::logic_error);
}

}  // namespace
}  // namespace sven::data::tensor_test
