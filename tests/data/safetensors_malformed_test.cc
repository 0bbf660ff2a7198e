// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>

#include "sven/base/error.h"
#include "sven/data/safetensors.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::safetensors_malformed_test {
namespace {

using Bytes = std::vector<std::byte>;
using testing::DataErrorOf;
using testing::Malformed;

// A file of one tensor 'w' with this description, and four bytes of data.
Bytes OneTensor(const std::string& description) {
  return testing::RawSafetensors("{\"w\":" + description + "}", 4);
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
  return testing::RawSafetensors(
      "{\"a\":" + head + a + "},\"b\":" + head + b + "}}", 4);
}

// A file of 100 bytes whose header has 92.
Bytes WithLength(std::uint64_t length) {
  Bytes bytes = testing::RawSafetensors(std::string(92, '{'), 0);
  std::memcpy(bytes.data(), &length, sizeof(length));
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
      {"HeaderEmpty", testing::RawSafetensors("", 0), {"nothing", "'{'"}},
      {"HeaderWithSpaceInFront",
       testing::RawSafetensors(" {}", 0),
       {"0x20", "'{'"}},
      {"HeaderArray", testing::RawSafetensors("[]", 0), {"0x5b", "'{'"}},
      {"HeaderByteOrderMark",
       testing::RawSafetensors("\xef\xbb\xbf{}", 0),
       {"0xef"}},
      {"HeaderUnfinished",
       testing::RawSafetensors("{\"a\":", 0),
       {"JSON", "byte"}},
      {"HeaderText", testing::RawSafetensors("{hello}", 0), {"JSON", "byte"}},
      {"HeaderTwice", testing::RawSafetensors("{}{}", 0), {"JSON", "byte 3"}},
      {"HeaderNul",
       testing::RawSafetensors({"{}\0\0", 4}, 0),
       {"NUL", "byte 2"}},
      {"InvalidUtf8",
       testing::RawSafetensors("{\"\xff\":0}", 0),
       {"JSON", "UTF-8"}},
      {"OverlongUtf8",
       testing::RawSafetensors("{\"\xc0\x80\":0}", 0),
       {"JSON", "UTF-8"}},
      {"LoneSurrogate",
       testing::RawSafetensors(R"({"\ud800":0})", 0),
       {"JSON", "surrogate"}},
      {"DeepArrays",
       testing::RawSafetensors("{\"w\":" + deep, 0),
       {"'w'", "an array"}},
      {"DeepObjects",
       testing::RawSafetensors(objects, 0),
       {"'a'", "unknown field"}},
      {"DeepShape", WithShape(deep), {"'w'", "shape", "an array"}},
      {"DuplicateName",
       testing::RawSafetensors("{\"a\":" + fine + ",\"a\":" + fine + "}", 0),
       {"'a'", "duplicate"}},
      {"MetadataTwice",
       testing::RawSafetensors(R"({"__metadata__":{},"__metadata__":{}})", 0),
       {"__metadata__", "duplicate"}},
      {"MetadataKeyTwice",
       testing::RawSafetensors(R"({"__metadata__":{"k":"","k":""}})", 0),
       {"__metadata__", "'k'", "duplicate"}},
      {"MetadataNumber",
       testing::RawSafetensors(R"({"__metadata__":{"k":1}})", 0),
       {"__metadata__", "'k'", "found 1", "string"}},
      {"MetadataObject",
       testing::RawSafetensors(R"({"__metadata__":{"k":{}}})", 0),
       {"__metadata__", "'k'", "an object", "string"}},
      {"MetadataNull",
       testing::RawSafetensors(R"({"__metadata__":null})", 0),
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
      {"OnlyTrailingBytes",
       testing::RawSafetensors("{}", 1),
       {"1 trailing bytes"}},
  };
}

class MalformedSafetensors : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedSafetensors, IsRefusedWithATellingMessage) {
  const std::string message =
      DataErrorOf([] { ParseSafetensors(GetParam().bytes, "some/file.st"); });
  EXPECT_EQ(testing::FaultsOf(message, "some/file.st", GetParam().words), "");
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Headers, MalformedSafetensors,
                         ::testing::ValuesIn(MalformedHeaders()), kTestName);
INSTANTIATE_TEST_SUITE_P(Tensors, MalformedSafetensors,
                         ::testing::ValuesIn(MalformedTensors()), kTestName);

TEST(Safetensors, AHoleBetweenTensorsIsRefused) {
  const Bytes bytes = testing::RawSafetensors(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
          "b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
      3);
  const std::string message =
      DataErrorOf([&] { ParseSafetensors(bytes, "x"); });
  EXPECT_NE(message.find("'b'"), std::string::npos) << message;
  EXPECT_NE(message.find("hole"), std::string::npos) << message;
}

TEST(Safetensors, LongNamesAndControlCharactersDoNotSpoilMessages) {
  std::string name = R"(\u001b[31m)";
  for (int i = 0; i < 1000; ++i) name += "\u20ac";
  const Bytes bytes = testing::RawSafetensors("{\"" + name + "\":1}", 0);
  const std::string message =
      DataErrorOf([&] { ParseSafetensors(bytes, "x"); });
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_NE(message.find("\u20ac..."), std::string::npos) << message;
  EXPECT_LT(message.size(), 200U);
}

}  // namespace
}  // namespace sven::data::safetensors_malformed_test
