// SPDX-License-Identifier: MIT
#include "sven/data/safetensors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <ostream>
#include <random>
#include <stdexcept>

#include "sven/base/error.h"

namespace sven::data {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::byte>;

constexpr double kInf = std::numeric_limits<double>::infinity();

Bytes ToBytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class T>
Bytes Pack(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// A file with this header, whatever it says, and `data_size` bytes of data.
Bytes RawFile(std::string_view header, std::size_t data_size) {
  Bytes bytes = Pack<std::uint64_t>({header.size()});
  const Bytes text = ToBytes(header);
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.resize(bytes.size() + data_size, std::byte{0x5a});
  return bytes;
}

// The message of the DataError that `action` throws; anything else fails.
std::string DataErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a DataError: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no DataError";
  return "";
}

SafetensorsFile SampleFile() {
  const std::vector<double> doubles = {1.5, -2.25, 1e300, kInf, -0.0, 3};
  const std::vector<float> floats = {0.1F, -7};
  const std::vector<std::int64_t> integers = {-1};
  const std::vector<std::uint8_t> bools = {1, 0, 1};
  SafetensorsFile file;
  file.tensors.emplace_back("z.weight", Tensor::From<double>(doubles, {2, 3}));
  file.tensors.emplace_back("mask", Tensor::FromBools(bools, {3}));
  file.tensors.emplace_back("a \"quoted\"\n \u00fc",
                            Tensor::From<float>(floats, {2, 1, 1}));
  file.tensors.emplace_back("step", Tensor::From<std::int64_t>(integers, {}));
  file.metadata = {{"format", "pt"}, {"note", "line\nbreak \u20ac"}};
  return file;
}

// A folder that disappears with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "/safetensors_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("mkdtemp failed");
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const fs::path& Path() const { return path_; }
  [[nodiscard]] fs::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] std::ptrdiff_t CountFiles() const {
    return std::distance(fs::directory_iterator(path_), {});
  }

 private:
  fs::path path_;
};

Bytes Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return ToBytes(text);
}

void Spill(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary);
  for (const std::byte byte : bytes) out.put(static_cast<char>(byte));
}

// ------------------------------------------------------------- round trip --

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const SafetensorsFile file = SampleFile();
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);

  const TemporaryFolder folder;
  WriteSafetensors(folder / "x.safetensors", file);
  EXPECT_EQ(ReadSafetensors(folder / "x.safetensors"), file);
  EXPECT_EQ(Slurp(folder / "x.safetensors"), FormatSafetensors(file));
}

TEST(Safetensors, EveryDTypeSurvivesARoundTrip) {
  SafetensorsFile file;
  for (const auto& [name, dtype] : EnumNames<DType>::kTable) {
    Tensor tensor{.dtype = dtype, .shape = {2, 3}, .bytes = {}};
    for (Index i = 0; i < 6 * ByteSize(dtype); ++i) {
      tensor.bytes.push_back(static_cast<std::byte>(37 * i + 11));
    }
    file.tensors.emplace_back(name, std::move(tensor));
  }
  ASSERT_EQ(file.tensors.size(), 13U);
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
}

TEST(Safetensors, AFileOfNothingIsValid) {
  const SafetensorsFile nothing;
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(nothing), "bytes"), nothing);
  EXPECT_EQ(ParseSafetensors(RawFile("{}", 0), "bytes"), nothing);
  EXPECT_EQ(ParseSafetensors(RawFile(R"({"__metadata__":{}})", 0), "bytes"),
            nothing);
}

TEST(Safetensors, EmptyTensorsAndScalarsKeepTheirOrder) {
  const std::vector<double> one = {4};
  const std::vector<double> none;
  SafetensorsFile file;
  file.tensors.emplace_back("z", Tensor::From<double>(none, {0}));
  file.tensors.emplace_back("y", Tensor::From<double>(none, {3, 0, 2}));
  file.tensors.emplace_back("x", Tensor::From<double>(one, {}));
  file.tensors.emplace_back("w", Tensor::From<double>(none, {0, 5}));
  file.tensors.emplace_back("v", Tensor::From<double>(one, {1}));
  file.tensors.emplace_back("u", Tensor{});
  const SafetensorsFile back =
      ParseSafetensors(FormatSafetensors(file), "bytes");
  EXPECT_EQ(back, file);
  EXPECT_EQ(back.Find("x")->Size(), 1);
  EXPECT_EQ(back.Find("x")->Values<double>(), one);
  EXPECT_EQ(back.Find("y")->Size(), 0);
  EXPECT_EQ(back.Find("y")->Values<float>(), std::vector<float>{});
}

TEST(Safetensors, ManyTensorsAreReadInLittleTime) {
  SafetensorsFile file;
  for (int i = 0; i < 20'000; ++i) {
    file.tensors.emplace_back(std::to_string(i), Tensor{});
  }
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
}

// ----------------------------------------------------------------- format --

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::vector<float> values = {1.0F, -2.0F};
  SafetensorsFile file;
  file.tensors.emplace_back("t", Tensor::From<float>(values, {2, 1}));
  file.metadata["k"] = "v";
  const std::string json =
      R"({"__metadata__":{"k":"v"},)"
      R"("t":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  std::string expected = json;
  while (expected.size() % 8 != 0) expected += ' ';
  const char length = static_cast<char>(expected.size());
  ASSERT_LT(expected.size(), 128U);
  expected = length + std::string(7, '\0') + expected;
  expected += std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
  EXPECT_EQ(FormatSafetensors(file), ToBytes(expected));
}

TEST(Safetensors, DataBeginAtAMultipleOfEight) {
  SafetensorsFile file;
  for (std::size_t length = 1; length <= 16; ++length) {
    file.tensors = {{std::string(length, 'n'), Tensor{}}};
    EXPECT_EQ(FormatSafetensors(file).size() % 8, 0U);
  }
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirData) {
  const Bytes bytes = RawFile(
      R"({"b": {"shape": [2], "dtype": "U8", "data_offsets": [3, 5]},
          "a": {"data_offsets": [0, 3], "dtype": "U8", "shape": [3]}}  )",
      5);
  const SafetensorsFile file = ParseSafetensors(bytes, "bytes");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].first, "a");
  EXPECT_EQ(file.tensors[1].first, "b");
  EXPECT_EQ(file.Find("b")->shape, std::vector<Index>{2});
  EXPECT_EQ(file.Find("c"), nullptr);
}

TEST(Safetensors, FilesOfAnotherImplementationAreRead) {
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SVEN_TEST_DATA) / "parity")) {
    if (entry.path().extension() != ".safetensors") continue;
    const SafetensorsFile file = ReadSafetensors(entry.path());
    EXPECT_FALSE(file.tensors.empty()) << entry.path();
    EXPECT_EQ(ParseSafetensors(Slurp(entry.path()), "bytes"), file);
    EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
    ++count;
  }
  EXPECT_GT(count, 0);
}

// ----------------------------------------------------------------- values --

TEST(SafetensorsTensor, FromKeepsValues) {
  const std::vector<double> doubles = {0.1, -kInf, 5e-324};
  const std::vector<float> floats = {0.1F, 1e-45F};
  const std::vector<std::int64_t> integers = {
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(Tensor::From<double>(doubles, {3}).Values<double>(), doubles);
  EXPECT_EQ(Tensor::From<float>(floats, {1, 2}).Values<float>(), floats);
  EXPECT_EQ(Tensor::From<std::int64_t>(integers, {2}).Integers(), integers);
}

TEST(SafetensorsTensor, AnythingButZeroIsTrue) {
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

TEST(SafetensorsTensor, IntegersOfEveryWidthConvert) {
  ExpectLimitsSurvive<std::int64_t>(DType::kI64);
  ExpectLimitsSurvive<std::int32_t>(DType::kI32);
  ExpectLimitsSurvive<std::int16_t>(DType::kI16);
  ExpectLimitsSurvive<std::int8_t>(DType::kI8);
  ExpectLimitsSurvive<std::uint64_t>(DType::kU64);
  ExpectLimitsSurvive<std::uint32_t>(DType::kU32);
  ExpectLimitsSurvive<std::uint16_t>(DType::kU16);
  ExpectLimitsSurvive<std::uint8_t>(DType::kU8);
}

TEST(SafetensorsTensor, UnsignedOverTheSignedLimitIsNoInteger) {
  Tensor tensor{.dtype = DType::kU64,
                .shape = {1},
                .bytes = Pack<std::uint64_t>({(1ULL << 63) - 1})};
  EXPECT_EQ(tensor.Integers()[0], std::numeric_limits<std::int64_t>::max());
  tensor.bytes = Pack<std::uint64_t>({1ULL << 63});
  const std::string message = DataErrorOf([&] { (void)tensor.Integers(); });
  EXPECT_NE(message.find("9223372036854775808"), std::string::npos) << message;
}

TEST(SafetensorsTensor, RealNumbersAreNoIntegers) {
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

TEST(SafetensorsTensor, HalvesHaveTheirIeeeValues) {
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
TEST(SafetensorsTensor, EveryFiniteHalfMatchesTheDefinition) {
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

TEST(SafetensorsTensor, BrainFloatsAreTheUpperHalvesOfFloats) {
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

TEST(SafetensorsTensor, NansStayNans) {
  for (const std::uint16_t bits :
       std::vector<std::uint16_t>{0x7e00, 0x7c01, 0xffff}) {
    const Tensor tensor{.dtype = DType::kF16,
                        .shape = {},
                        .bytes = Pack<std::uint16_t>({bits})};
    EXPECT_TRUE(std::isnan(tensor.Values<float>()[0]));
  }
  for (const std::uint16_t bits :
       std::vector<std::uint16_t>{0x7fc0, 0x7f81, 0xffff}) {
    const Tensor tensor{.dtype = DType::kBF16,
                        .shape = {},
                        .bytes = Pack<std::uint16_t>({bits})};
    EXPECT_TRUE(std::isnan(tensor.Values<double>()[0]));
  }
}

TEST(SafetensorsTensor, NamesOfDTypesAreThoseOfTheFormat) {
  EXPECT_EQ(AllNames<DType>(),
            "F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 or "
            "BOOL");
  EXPECT_EQ(ByteSize(DType::kF64), 8);
  EXPECT_EQ(ByteSize(DType::kF32), 4);
  EXPECT_EQ(ByteSize(DType::kBF16), 2);
  EXPECT_EQ(ByteSize(DType::kBool), 1);
}

// -------------------------------------------------- mistakes of the caller --

TEST(SafetensorsTensor, BytesThatDoNotFitTheShapeAreALogicError) {
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

TEST(Safetensors, UnwritableContentsAreALogicErrorAndTouchNothing) {
  const Tensor bad{.dtype = DType::kF32, .shape = {2}, .bytes = Bytes(7)};
  const std::vector<SafetensorsFile> files = {
      {.tensors = {{"a", Tensor{}}, {"a", Tensor{}}}, .metadata = {}},
      {.tensors = {{"a", bad}}, .metadata = {}},
      {.tensors = {{"__metadata__", Tensor{}}}, .metadata = {}},
      {.tensors = {{"\xff", Tensor{}}}, .metadata = {}},
      {.tensors = {}, .metadata = {{"k", "\xc3"}}},
  };
  const TemporaryFolder folder;
  for (const SafetensorsFile& file : files) {
    EXPECT_THROW(FormatSafetensors(file), std::logic_error);
    EXPECT_THROW(WriteSafetensors(folder / "x", file), std::logic_error);
    EXPECT_EQ(folder.CountFiles(), 0);
  }
}

// -------------------------------------------------------------- malformed --

struct Malformed {
  std::string what;
  Bytes bytes;
  std::vector<std::string> words;  // the message holds them all
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.what;
}

// A file of one tensor 'w' with this description, and four bytes of data.
Bytes OneTensor(const std::string& description) {
  return RawFile("{\"w\":" + description + "}", 4);
}

// ... which is right but for its shape, or for its offsets.
Bytes WithShape(const std::string& shape) {
  return OneTensor(R"({"dtype":"U8","shape":)" + shape +
                   R"(,"data_offsets":[0,4]})");
}

Bytes WithOffsets(const std::string& offsets) {
  return OneTensor(R"({"dtype":"U8","shape":[4],"data_offsets":)" + offsets +
                   "}");
}

// Tensors 'a' and 'b' of two bytes each, and four bytes of data.
Bytes TwoTensors(const std::string& a, const std::string& b) {
  const std::string head = R"({"dtype":"U8","shape":[2],"data_offsets":)";
  return RawFile("{\"a\":" + head + a + "},\"b\":" + head + b + "}}", 4);
}

Bytes WithLength(std::uint64_t length) {
  Bytes bytes = Pack<std::uint64_t>({length});
  bytes.resize(100, std::byte{'{'});
  return bytes;
}

std::vector<Malformed> MalformedHeaders() {
  const std::string deep(200'000, '[');
  const std::string fine = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += "{\"a\":";
  return {
      {"Empty", {}, {"0 bytes", "at least 8"}},
      {"Short", Bytes(7), {"7 bytes", "at least 8"}},
      {"LengthBeyondFile", WithLength(93), {"header length = 93", "92"}},
      {"LengthHuge", WithLength(~0ULL), {"18446744073709551615", "92"}},
      {"HeaderEmpty", RawFile("", 0), {"nothing", "'{'"}},
      {"HeaderWithSpaceInFront", RawFile(" {}", 0), {"0x20", "'{'"}},
      {"HeaderArray", RawFile("[]", 0), {"0x5b", "'{'"}},
      {"HeaderByteOrderMark", RawFile("\xef\xbb\xbf{}", 0), {"0xef"}},
      {"HeaderUnfinished", RawFile("{\"a\":", 0), {"JSON", "byte"}},
      {"HeaderText", RawFile("{hello}", 0), {"JSON", "byte"}},
      {"HeaderTwice", RawFile("{}{}", 0), {"JSON", "byte 3"}},
      {"HeaderNul", RawFile({"{}\0\0", 4}, 0), {"NUL", "byte 2"}},
      {"InvalidUtf8", RawFile("{\"\xff\":0}", 0), {"JSON", "UTF-8"}},
      {"OverlongUtf8", RawFile("{\"\xc0\x80\":0}", 0), {"JSON", "UTF-8"}},
      {"LoneSurrogate", RawFile(R"({"\ud800":0})", 0), {"JSON", "surrogate"}},
      {"DeepArrays", RawFile("{\"w\":" + deep, 0), {"'w'", "an array"}},
      {"DeepObjects", RawFile(objects, 0), {"'a'", "unknown field"}},
      {"DeepShape", WithShape(deep), {"'w'", "shape", "an array"}},
      {"DuplicateName",
       RawFile("{\"a\":" + fine + ",\"a\":" + fine + "}", 0),
       {"'a'", "duplicate"}},
      {"MetadataTwice",
       RawFile(R"({"__metadata__":{},"__metadata__":{}})", 0),
       {"__metadata__", "duplicate"}},
      {"MetadataKeyTwice",
       RawFile(R"({"__metadata__":{"k":"","k":""}})", 0),
       {"__metadata__", "'k'", "duplicate"}},
      {"MetadataNumber",
       RawFile(R"({"__metadata__":{"k":1}})", 0),
       {"__metadata__", "'k'", "found 1", "string"}},
      {"MetadataObject",
       RawFile(R"({"__metadata__":{"k":{}}})", 0),
       {"__metadata__", "'k'", "an object", "string"}},
      {"MetadataNull",
       RawFile(R"({"__metadata__":null})", 0),
       {"__metadata__", "null", "object"}},
  };
}

std::vector<Malformed> MalformedTensors() {
  return {
      {"TensorNumber", OneTensor("3.5"), {"'w'", "3.5", "object"}},
      {"TensorString", OneTensor("\"F32\""), {"'w'", "F32", "object"}},
      {"NoFields", OneTensor("{}"), {"'w'", "dtype missing"}},
      {"NoShape",
       OneTensor(R"({"dtype":"U8","data_offsets":[0,4]})"),
       {"'w'", "shape missing"}},
      {"NoOffsets",
       OneTensor(R"({"dtype":"U8","shape":[4]})"),
       {"'w'", "data_offsets missing"}},
      {"FieldTwice",
       OneTensor(R"({"dtype":"U8","dtype":"U8"})"),
       {"'w'", "dtype", "duplicate"}},
      {"FieldUnknown",
       OneTensor(R"({"strides":[1]})"),
       {"'w'", "strides", "unknown"}},
      {"DTypeUnknown",
       OneTensor(R"({"dtype":"F8_E4M3"})"),
       {"'w'", "dtype", "F8_E4M3", "BF16"}},
      {"DTypeLowerCase", OneTensor(R"({"dtype":"f32"})"), {"'f32'", "F32"}},
      {"DTypeNumber", OneTensor(R"({"dtype":32})"), {"dtype", "32", "F32"}},
      {"ShapeNumber", WithShape("4"), {"'w'", "shape", "4", "array"}},
      {"ShapeNegative", WithShape("[-4]"), {"'w'", "shape", "-4", "from 0"}},
      {"ShapeMinusZero", WithShape("[-0]"), {"'w'", "shape", "-0", "from 0"}},
      {"ShapeFraction", WithShape("[4.0]"), {"'w'", "shape", "4.0", "whole"}},
      {"ShapeBool", WithShape("[true]"), {"'w'", "shape", "true", "whole"}},
      {"ShapeOverIndex",
       WithShape("[9223372036854775808]"),
       {"'w'", "shape", "9223372036854775808", "9223372036854775807"}},
      {"ShapeOver64Bits",
       WithShape("[18446744073709551616]"),
       {"'w'", "shape", "18446744073709551616", "whole"}},
      {"ShapeProductOverflows",
       WithShape("[4294967296,4294967296,4294967296]"),
       {"'w'", "4294967296", "overflow"}},
      {"ShapeProductWraps",
       WithShape("[4611686018427387905,4]"),
       {"'w'", "4611686018427387905, 4", "overflow"}},
      {"BytesOverflow",
       OneTensor(R"({"dtype":"F64","shape":[2305843009213693952],)"
                 R"("data_offsets":[0,4]})"),
       {"'w'", "2305843009213693952", "overflow"}},
      {"ShapeTooSmall", WithShape("[3]"), {"'w'", "size 4", "expected 3"}},
      {"ShapeTooLarge", WithShape("[5]"), {"'w'", "size 4", "expected 5"}},
      {"ShapeTerabytes",
       WithShape("[4398046511104]"),
       {"'w'", "size 4", "4398046511104"}},
      {"OffsetsNumber", WithOffsets("4"), {"data_offsets", "4", "array"}},
      {"OffsetsNone", WithOffsets("[]"), {"'w'", "0 numbers", "two"}},
      {"OffsetsThree", WithOffsets("[0,4,4]"), {"'w'", "3 numbers", "two"}},
      {"OffsetsNegative", WithOffsets("[-1,3]"), {"'w'", "-1", "from 0"}},
      {"OffsetsReversed", WithOffsets("[4,0]"), {"'w'", "[4, 0]", "reversed"}},
      {"OffsetsOutside", WithOffsets("[1,5]"), {"'w'", "[1, 5]", "range", "4"}},
      {"OffsetsTerabytes",
       WithOffsets("[0,9223372036854775807]"),
       {"'w'", "9223372036854775807", "range"}},
      {"Overlap", TwoTensors("[0,2]", "[1,3]"), {"'b'", "overlap", "2"}},
      {"SameBytes", TwoTensors("[0,2]", "[0,2]"), {"'b'", "overlap", "2"}},
      {"HoleInFront",
       OneTensor(R"({"dtype":"U8","shape":[2],"data_offsets":[2,4]})"),
       {"'w'", "hole", "expected 0"}},
      {"TrailingBytes",
       OneTensor(R"({"dtype":"U8","shape":[2],"data_offsets":[0,2]})"),
       {"2 trailing bytes"}},
      {"OnlyTrailingBytes", RawFile("{}", 1), {"1 trailing bytes"}},
  };
}

class MalformedSafetensors : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSafetensors, IsRefusedWithATellingMessage) {
  const std::string message =
      DataErrorOf([] { ParseSafetensors(GetParam().bytes, "some/file.st"); });
  EXPECT_TRUE(message.starts_with("some/file.st: ")) << message;
  EXPECT_LT(message.size(), 500U) << message;
  for (const std::string& word : GetParam().words) {
    EXPECT_NE(message.find(word), std::string::npos)
        << "'" << word << "' is not in: " << message;
  }
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Headers, MalformedSafetensors,
                         testing::ValuesIn(MalformedHeaders()), kTestName);
INSTANTIATE_TEST_SUITE_P(Tensors, MalformedSafetensors,
                         testing::ValuesIn(MalformedTensors()), kTestName);

TEST(Safetensors, AHoleBetweenTensorsIsRefused) {
  const Bytes bytes = RawFile(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
          "b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
      3);
  const std::string message =
      DataErrorOf([&] { ParseSafetensors(bytes, "x"); });
  EXPECT_NE(message.find("'b'"), std::string::npos) << message;
  EXPECT_NE(message.find("hole"), std::string::npos) << message;
}

TEST(Safetensors, HeadersOverTheLimitAreRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder / "big";
  Spill(path, Pack<std::uint64_t>({100'000'001}));
  fs::resize_file(path, 200'000'000);  // sparse
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(message.find("100000001"), std::string::npos) << message;
  EXPECT_NE(message.find("limit of the format"), std::string::npos) << message;
}

TEST(Safetensors, LongNamesAndControlCharactersDoNotSpoilMessages) {
  std::string name = R"(\u001b[31m)";
  for (int i = 0; i < 1000; ++i) name += "\u20ac";
  const Bytes bytes = RawFile("{\"" + name + "\":1}", 0);
  const std::string message =
      DataErrorOf([&] { ParseSafetensors(bytes, "x"); });
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_NE(message.find("\u20ac..."), std::string::npos) << message;
  EXPECT_LT(message.size(), 200U);
}

// ------------------------------------------------------------- robustness --

TEST(Safetensors, EveryTruncatedFileIsRefused) {
  const Bytes bytes = FormatSafetensors(SampleFile());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Bytes prefix(bytes.begin(),
                       bytes.begin() + static_cast<Index>(length));
    const std::string message =
        DataErrorOf([&] { ParseSafetensors(prefix, "cut.st"); });
    EXPECT_TRUE(message.starts_with("cut.st: ")) << length << ": " << message;
  }
}

TEST(Safetensors, TruncatedFilesOnDiskAreRefusedByName) {
  const TemporaryFolder folder;
  const fs::path path = folder / "cut.st";
  WriteSafetensors(path, SampleFile());
  for (auto size = fs::file_size(path); size > 0;) {
    size = size * 2 / 3;
    fs::resize_file(path, size);
    const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
    EXPECT_TRUE(message.starts_with(path.string())) << message;
  }
}

// Flips some bits, and now and then cuts, doubles or overwrites a piece.
Bytes Mutate(const Bytes& original, std::mt19937& random) {
  Bytes bytes = original;
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t flips = 1 + below(4); flips > 0; --flips) {
    // Mostly in the header; flips in the data are always harmless.
    const std::size_t range =
        below(4) > 0 ? bytes.size() * 3 / 4 : bytes.size();
    bytes[below(range)] ^= std::byte{1} << static_cast<int>(below(8));
  }
  const std::string_view likely = "{}[]\",:0129-.eE\\u \xff";
  if (below(4) == 0) {
    bytes[8 + below(bytes.size() - 8)] =
        static_cast<std::byte>(likely[below(likely.size())]);
  }
  if (below(16) == 0) bytes.resize(below(bytes.size()) + 1);
  if (below(16) == 0)
    bytes.insert(bytes.end(), original.begin(), original.end());
  return bytes;
}

TEST(Safetensors, DamagedFilesParseOrThrowDataError) {
  constexpr int kFiles = 20'000;
  std::mt19937 random(20240607);
  const Bytes original = FormatSafetensors(SampleFile());
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    const Bytes damaged = Mutate(original, random);
    try {
      const SafetensorsFile file = ParseSafetensors(damaged, "damaged");
      // What was accepted is sound: it can be used and written again.
      for (const auto& [name, tensor] : file.tensors) {
        ASSERT_EQ(std::ssize(tensor.Values<double>()), tensor.Size());
      }
      ASSERT_EQ(ParseSafetensors(FormatSafetensors(file), "again"), file);
    } catch (const DataError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("damaged: "));
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "file " << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, kFiles / 4);
  EXPECT_LT(refused, kFiles);
}

// ------------------------------------------------------------------ files --

TEST(Safetensors, MissingFilesAreNamedWithTheReason) {
  const TemporaryFolder folder;
  const fs::path path = folder / "absent.st";
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
  EXPECT_NE(message.find("check the path"), std::string::npos) << message;
}

TEST(Safetensors, FoldersAreNeitherReadNorOverwritten) {
  const TemporaryFolder folder;
  for (const auto& action : std::vector<std::function<void()>>{
           [&] { ReadSafetensors(folder.Path()); },
           [&] { WriteSafetensors(folder.Path(), SampleFile()); }}) {
    const std::string message = DataErrorOf(action);
    EXPECT_TRUE(message.starts_with(folder.Path().string())) << message;
    EXPECT_NE(message.find("is a directory"), std::string::npos) << message;
  }
  EXPECT_EQ(folder.CountFiles(), 0);
}

TEST(Safetensors, PipesAreRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  const fs::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string read = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(read.find("a pipe"), std::string::npos) << read;
  const std::string write =
      DataErrorOf([&] { WriteSafetensors(path, SampleFile()); });
  EXPECT_NE(write.find("a pipe"), std::string::npos) << write;
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(Safetensors, WritingIntoAMissingFolderNamesIt) {
  const TemporaryFolder folder;
  const fs::path path = folder / "absent" / "x.st";
  const std::string message =
      DataErrorOf([&] { WriteSafetensors(path, SampleFile()); });
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
}

TEST(Safetensors, OverwritingKeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.st";
  WriteSafetensors(path, SafetensorsFile{});
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write |
                            fs::perms::group_read);
  const fs::perms before = fs::status(path).permissions();
  fs::create_symlink("x.st", folder / "link.st");
  WriteSafetensors(folder / "link.st", SampleFile());
  EXPECT_TRUE(fs::is_symlink(folder / "link.st"));
  EXPECT_EQ(ReadSafetensors(path), SampleFile());
  EXPECT_EQ(fs::status(path).permissions(), before);
  EXPECT_EQ(folder.CountFiles(), 2);
}

// Runs `action` in a child process, so that it may spoil its own surroundings,
// and returns what it returns. Empty if the child dies.
std::string InChildProcess(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = action();
    const auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == std::ssize(text) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 512> buffer{};
  for (ssize_t count = 0;
       (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

std::string MessageOfWriting(const fs::path& path,
                             const SafetensorsFile& file) {
  try {
    WriteSafetensors(path, file);
  } catch (const DataError& error) {
    return error.what();
  } catch (...) {
    return "another exception";
  }
  return "no exception";
}

SafetensorsFile FileOfDoubles(std::size_t count) {
  const std::vector<double> values(count, 1.5);
  SafetensorsFile file;
  file.tensors.emplace_back(
      "w", Tensor::From<double>(values, {static_cast<Index>(count)}));
  return file;
}

// A limit on the size of files stands for a full disk: the write stops midway.
TEST(Safetensors, AWriteThatFailsMidwayLeavesTheOldFileIntact) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.st";
  WriteSafetensors(path, SampleFile());
  const std::string message = InChildProcess([&]() -> std::string {
    constexpr rlim_t kLimit = 4096;
    const rlimit limit{.rlim_cur = kLimit, .rlim_max = kLimit};
    (void)std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return "setrlimit failed";
    return MessageOfWriting(path, FileOfDoubles(10'000));
  });
  EXPECT_TRUE(message.starts_with(path.string() + ": cannot write")) << message;
  EXPECT_NE(message.find("too large"), std::string::npos) << message;
  EXPECT_NE(message.find("free some space"), std::string::npos) << message;
  EXPECT_EQ(ReadSafetensors(path), SampleFile());
  EXPECT_EQ(folder.CountFiles(), 1);
}

TEST(Safetensors, AFolderWithoutPermissionLeavesTheOldFileIntact) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.st";
  WriteSafetensors(path, SampleFile());
  fs::permissions(folder.Path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read |
                                     fs::perms::others_exec);
  const std::string message = InChildProcess([&]() -> std::string {
    constexpr uid_t kNobody = 65534;
    // Permissions do not bind the superuser.
    if (::geteuid() == 0 && ::seteuid(kNobody) != 0) return "skip";
    return MessageOfWriting(path, FileOfDoubles(10));
  });
  fs::permissions(folder.Path(), fs::perms::owner_all);
  if (message == "skip") GTEST_SKIP() << "the superuser cannot step down";
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  EXPECT_NE(message.find("ermission"), std::string::npos) << message;
  EXPECT_NE(message.find("check the permissions"), std::string::npos)
      << message;
  EXPECT_EQ(ReadSafetensors(path), SampleFile());
  EXPECT_EQ(folder.CountFiles(), 1);
}

TEST(Safetensors, TensorsLargerThanABufferAreReadWhole) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.st";
  const SafetensorsFile file = FileOfDoubles(1'000'000);
  WriteSafetensors(path, file);
  EXPECT_EQ(ReadSafetensors(path), file);
}

// A header of a hundred bytes may claim any size; memory is never taken for
// more than the file holds. (A terabyte would not fit; the sanitizers, too,
// stop a program that asks for one.)
TEST(Safetensors, LyingHeadersTakeNoMemory) {
  const TemporaryFolder folder;
  const fs::path path = folder / "lie.st";
  Spill(path, RawFile(R"({"w":{"dtype":"U8","shape":[1099511627776],)"
                      R"("data_offsets":[0,1099511627776]}})",
                      16));
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(message.find("'w'"), std::string::npos) << message;
  EXPECT_NE(message.find("out of range"), std::string::npos) << message;
}

}  // namespace
}  // namespace sven::data
