// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sven/data/npy.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::npy_malformed_test {
namespace {

using Bytes = std::vector<std::byte>;
using testing::Malformed;
using testing::ToBytes;

// A file of this version with this header, and `data_size` bytes of values.
Bytes WithHeader(const std::string& header, std::size_t data_size,
                 char major = 1) {
  std::string text = "\x93NUMPY";
  text += {major, '\0'};
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  if (major > 1) text += {'\0', '\0'};
  text += header;
  text.append(data_size, 'x');
  return ToBytes(text);
}

// A right one of four bytes but for one of its values.
Bytes WithType(const std::string& descr) {
  return WithHeader(
      "{'descr': " + descr + ", 'fortran_order': False, 'shape': (4,), }", 4);
}
Bytes WithOrder(const std::string& order) {
  return WithHeader(
      "{'descr': '|u1', 'fortran_order': " + order + ", 'shape': (4,), }", 4);
}
Bytes WithShape(const std::string& shape) {
  return WithHeader(
      "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }", 4);
}

std::vector<Malformed> MalformedStarts() {
  const std::string magic = "\x93NUMPY";
  return {
      {"Empty", {}, {"does not begin", "NPY"}},
      {"Text", ToBytes("1,2,3\n4,5,6\n"), {"does not begin", "NUMPY"}},
      {"NoVersion", ToBytes(magic), {"ends after 6 bytes", "version"}},
      {"VersionZero", WithHeader("{}", 0, 0), {"version 0.0", "1.0"}},
      {"VersionFour", WithHeader("{}", 0, 4), {"version 4.0", "3.0"}},
      {"VersionMinor",
       ToBytes(magic + std::string("\x01\x01\x00\x00", 4)),
       {"version 1.1", "1.0"}},
      {"NoLength",
       ToBytes(magic + std::string("\x01\x00\x09", 3)),
       {"1 bytes of the length", "expected 2"}},
      {"NoLongLength",
       ToBytes(magic + std::string("\x02\x00\x09\x00", 4)),
       {"2 bytes of the length", "expected 4"}},
      {"LengthBeyondFile",
       ToBytes(magic + std::string("\x01\x00\xff\xff{}", 6)),
       {"header length = 65535", "at most 2", "rest of the file"}},
      {"LengthHuge",
       ToBytes(magic + std::string("\x02\x00\xff\xff\xff\xff{}", 8)),
       {"header length = 4294967295", "at most 2"}},
  };
}

std::vector<Malformed> MalformedDictionaries() {
  const std::string fine = "'fortran_order': False, 'shape': (4,)";
  return {
      {"NoDictionary", WithHeader("", 4), {"the end", "byte 0", "'{'"}},
      {"Blanks", WithHeader("   \n", 4), {"the end", "'{'"}},
      {"List", WithHeader("[1, 2]", 4), {"'[1, 2]'", "byte 0", "'{'"}},
      {"Unclosed", WithHeader("{'descr': '|u1',", 4), {"the end", "a key"}},
      {"NoComma",
       WithHeader("{'descr': '|u1' 'shape': ()}", 4),
       {"'shape'", "'}'"}},
      {"NoColon", WithHeader("{'descr' '|u1'}", 4), {"'|u1'", "':'"}},
      {"KeyNumber", WithHeader("{1: 2}", 4), {"'1: 2}'", "a key in quotes"}},
      {"KeyUnclosed", WithHeader("{'descr: ", 4), {"closing quote"}},
      {"Trailing",
       WithHeader("{'descr': '|u1', " + fine + "} x", 4),
       {"'x'", "the end of the header"}},
      {"KeyUnknown",
       WithHeader("{'strides': (1,), " + fine + "}", 4),
       {"unknown key 'strides'", "descr"}},
      {"KeyTwice",
       WithHeader("{" + fine + ", " + fine + "}", 4),
       {"fortran_order", "twice"}},
      {"NothingInIt", WithHeader("{}", 4), {"descr missing"}},
      {"NoType", WithHeader("{" + fine + "}", 4), {"descr missing"}},
      {"NoOrder",
       WithHeader("{'descr': '|u1', 'shape': (4,)}", 4),
       {"fortran_order missing"}},
      {"NoShape",
       WithHeader("{'descr': '|u1', 'fortran_order': False}", 4),
       {"shape missing"}},
      {"TypeEmpty", WithType("''"), {"descr = ''", "f8"}},
      {"TypeObject", WithType("'|O'"), {"descr = '|O'", "f8"}},
      {"TypeText", WithType("'<U4'"), {"descr = '<U4'", "f8"}},
      {"TypeComplex", WithType("'<c16'"), {"descr = '<c16'", "f8"}},
      {"TypeTime", WithType("'<M8[ns]'"), {"'<M8[ns]'", "f8"}},
      {"TypeLongDouble", WithType("'<f16'"), {"descr = '<f16'", "f8"}},
      {"TypeWithoutOrder", WithType("'|f8'"), {"descr = '|f8'", "'<'"}},
      {"TypeOfThisMachine", WithType("'=f8'"), {"descr = '=f8'", "'<'"}},
      {"TypeBare", WithType("'f8'"), {"descr = 'f8'", "'<'"}},
      {"TypeStructured",
       WithType("[('a', '<f4')]"),
       {"[('a'", "structured", "type in quotes"}},
      {"OrderNumber", WithOrder("0"), {"'0, 'shape'", "True or False"}},
      {"OrderLowerCase", WithOrder("true"), {"'true, ", "True or False"}},
      {"ShapeNumber", WithShape("4"), {"'4, }'", "'('"}},
      {"ShapeList", WithShape("[4]"), {"'[4], }'", "'('"}},
      {"ShapeNoTuple", WithShape("(4)"), {"'), }'", "','"}},
      {"ShapeNegative", WithShape("(-4,)"), {"'-4,), }'", "from 0"}},
      {"ShapeMinusZero", WithShape("(-0,)"), {"'-0,), }'", "from 0"}},
      {"ShapeFraction", WithShape("(4.0,)"), {"'.0,), }'", "','"}},
      {"ShapeTwoCommas", WithShape("(4,,)"), {"',), }'", "whole number"}},
      {"ShapeNoComma", WithShape("(2, 2 1)"), {"'1), }'", "',' or ')'"}},
      {"ShapeUnclosed", WithHeader("{'shape': (4,", 4), {"the end", "whole"}},
      {"ShapeOver64Bits",
       WithShape("(9223372036854775808,)"),
       {"'9223372036854775808", "2^63 - 1"}},
      {"ShapeProductOverflows",
       WithShape("(4294967296, 4294967296, 4294967296)"),
       {"U8 [4294967296", "more than 2^63", "4"}},
      {"ShapeOverflowsAroundZero",
       WithShape("(0, 4294967296, 4294967296, 4294967296)"),
       {"U8 [0, 4294967296", "more than 2^63"}},
      {"BytesOverflow",
       WithHeader("{'descr': '<f8', 'fortran_order': False, "
                  "'shape': (2305843009213693952,)}",
                  4),
       {"F64 [2305843009213693952]", "more than 2^63"}},
      {"ShapeTerabytes",
       WithShape("(4398046511104,)"),
       {"U8 [4398046511104]", "4398046511104 bytes", "the 4 of"}},
      {"ShapeTooLarge", WithShape("(5,)"), {"U8 [5]", "5 bytes", "the 4 of"}},
      {"ShapeTooSmall", WithShape("(3,)"), {"goes on after the last value"}},
      {"ShapeOfNothing", WithShape("(0,)"), {"goes on after the last value"}},
      {"ShapeLong",
       WithShape("(" + std::string(900, '1') + ",)"),
       {"'11111", "..."}},
      {"ControlCharacters", WithHeader("\x1b[31m", 4), {"'?[31m'", "'{'"}},
  };
}

class MalformedNpy : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedNpy, IsRefusedWithATellingMessage) {
  const std::string message =
      testing::DataErrorOf([] { ParseNpy(GetParam().bytes, "some/file.npy"); });
  EXPECT_EQ(testing::FaultsOf(message, "some/file.npy", GetParam().words), "");
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Starts, MalformedNpy,
                         ::testing::ValuesIn(MalformedStarts()), kTestName);
INSTANTIATE_TEST_SUITE_P(Dictionaries, MalformedNpy,
                         ::testing::ValuesIn(MalformedDictionaries()),
                         kTestName);

}  // namespace
}  // namespace sven::data::npy_malformed_test
