// SPDX-License-Identifier: MIT
//
// IDX files, and gzip through them.
#include "sven/data/idx.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sven/base/error.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::idx_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using testing::DataErrorOf;
using testing::Malformed;
using testing::Slurp;
using testing::ToBytes;

fs::path Sample(const std::string& name) {
  return fs::path(SVEN_TEST_DATA) / "formats" / name;
}

TEST(Idx, EveryTypeIsRead) {
  struct Case {
    std::string name;
    DType dtype;
    double start;
    double step;
  };
  for (const Case& c :
       {Case{"ubyte", DType::kU8, 0, 1}, Case{"sbyte", DType::kI8, -6, 1},
        Case{"short", DType::kI16, -6, 1}, Case{"int", DType::kI32, -6, 1},
        Case{"float", DType::kF32, -3, 0.5},
        Case{"double", DType::kF64, -3, 0.5}}) {
    const Tensor tensor = ReadIdx(Sample("idx3-" + c.name));
    EXPECT_EQ(tensor.dtype, c.dtype);
    EXPECT_EQ(tensor.shape, (std::vector<Index>{2, 3, 4}));
    const std::vector<double> values = tensor.Values<double>();
    for (int k = 0; k < 24; ++k) EXPECT_EQ(values[k], c.start + k * c.step);
  }
}

TEST(Idx, GzipIsSeenByItsContentAndMayHaveSeveralMembers) {
  const Tensor plain = ReadIdx(Sample("idx3-ubyte"));
  EXPECT_EQ(ReadIdx(Sample("idx3-ubyte.gz")), plain);
  EXPECT_EQ(ReadIdx(Sample("idx3-ubyte-in-two.gz")), plain);
}

TEST(Idx, RanksFromZeroUpAreRead) {
  const Tensor scalar = ParseIdx(ToBytes({"\0\0\x08\0\x07", 5}), "bytes");
  EXPECT_EQ(scalar.shape, std::vector<Index>{});
  EXPECT_EQ(scalar.Integers(), std::vector<std::int64_t>{7});
  std::string text("\0\0\x08\xff", 4);
  for (int i = 0; i < 255; ++i) text += std::string("\0\0\0\x01", 4);
  const Tensor many = ParseIdx(ToBytes(text + '\x05'), "bytes");
  EXPECT_EQ(many.shape, std::vector<Index>(255, 1));
  EXPECT_EQ(many.Integers(), std::vector<std::int64_t>{5});
}

Bytes Raw(std::string_view text) { return ToBytes(text); }

std::vector<Malformed> MalformedFiles() {
  return {
      {"Empty", {}, {"0 bytes of the magic number", "expected 4"}},
      {"Short", Raw({"\0\0\x08", 3}), {"3 bytes of the magic number"}},
      {"Text", Raw("1,2,3\n"), {"0x312c322c", "IDX"}},
      {"TypeUnknown", Raw({"\0\0\x0a\x01", 4}), {"0x00000a01", "0b"}},
      {"NoExtent", Raw({"\0\0\x08\x01", 4}), {"0 bytes of an extent"}},
      {"HalfAnExtent",
       Raw({"\0\0\x08\x02\0\0\0\x01\0\0", 10}),
       {"2 bytes of an extent", "expected 4"}},
      {"TooFewValues",
       Raw({"\0\0\x08\x01\0\0\0\x03xx", 10}),
       {"U8 [3]", "3 bytes", "the 2 of"}},
      {"TooManyValues",
       Raw({"\0\0\x08\x01\0\0\0\x01xx", 10}),
       {"goes on after the last value"}},
      {"Gigabytes",
       Raw({"\0\0\x0e\x01\xff\xff\xff\xffxx", 10}),
       {"F64 [4294967295]", "34359738360 bytes", "the 2 of"}},
      {"Overflow",
       Raw({"\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            16}),
       {"U8 [4294967295, 4294967295, 4294967295]", "more than 2^63"}},
  };
}

// The sample with `value` at byte `offset`, or at one counted from the end.
Bytes Patched(Index offset, std::uint8_t value) {
  Bytes bytes = Slurp(Sample("idx3-ubyte.gz"));
  if (offset < 0) offset += std::ssize(bytes);
  bytes[offset] = std::byte{value};
  return bytes;
}

Bytes Cut(Index size) {
  Bytes bytes = Slurp(Sample("idx3-ubyte.gz"));
  bytes.resize(size);
  return bytes;
}

Bytes Continued(const Bytes& more) {
  Bytes bytes = Slurp(Sample("idx3-ubyte.gz"));
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

std::vector<Malformed> MalformedGzip() {
  return {
      {"OnlyMagic", Cut(2), {"truncated", "byte 2 of 2"}},
      {"OnlyHeader", Cut(10), {"truncated", "byte 10 of 10"}},
      {"HalfTheData", Cut(30), {"truncated", "byte 30 of 30"}},
      {"NoChecksum", Cut(48), {"truncated", "byte 48 of 48"}},
      {"HalfTheLength", Cut(54), {"truncated", "byte 54 of 54"}},
      {"Method", Patched(2, 7), {"damaged", "compression method"}},
      {"Flags", Patched(3, 0xe0), {"damaged", "header flags"}},
      {"Block", Patched(10, 0xff), {"damaged", "block type"}},
      {"Checksum", Patched(-5, 0x55), {"damaged", "data check"}},
      {"Length", Patched(-1, 0x55), {"damaged", "length check"}},
      {"Rubbish", Continued(Bytes(9)), {"damaged", "header check"}},
      {"SecondMemberTruncated",
       Continued(Cut(10)),
       {"truncated", "byte 66 of 66"}},
      {"TwiceTheContents",
       Continued(Slurp(Sample("idx3-ubyte.gz"))),
       {"goes on after the last value"}},
  };
}

class MalformedIdx : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedIdx, IsRefusedWithATellingMessage) {
  const std::string message =
      DataErrorOf([] { ParseIdx(GetParam().bytes, "some/file-idx3"); });
  EXPECT_EQ(testing::FaultsOf(message, "some/file-idx3", GetParam().words), "");
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Plain, MalformedIdx,
                         ::testing::ValuesIn(MalformedFiles()), kTestName);
INSTANTIATE_TEST_SUITE_P(Gzip, MalformedIdx,
                         ::testing::ValuesIn(MalformedGzip()), kTestName);

TEST(Idx, DamagedFilesParseOrThrowDataError) {
  std::mt19937 random(20240609);
  for (const std::string name : {"idx3-short", "idx3-ubyte-in-two.gz"}) {
    const Bytes original = Slurp(Sample(name));
    int refused = 0;
    constexpr int kFiles = 10'000;
    for (int i = 0; i < kFiles; ++i) {
      const Bytes damaged = testing::Damage(original, "\x1f\x8b", random);
      try {
        const Tensor tensor = ParseIdx(damaged, "damaged");
        ASSERT_EQ(std::ssize(tensor.Values<double>()), tensor.Size());
      } catch (const DataError& error) {
        ASSERT_TRUE(std::string_view(error.what()).starts_with("damaged: "));
        ++refused;
      }
    }
    EXPECT_GT(refused, kFiles / 10) << name;
  }
}

TEST(Idx, MissingFilesAndFoldersAreNamed) {
  const testing::TemporaryFolder folder;
  const fs::path absent = folder / "absent";
  EXPECT_EQ(testing::FaultsOf(DataErrorOf([&] { ReadIdx(absent); }),
                              absent.string(), {"No such file"}),
            "");
  EXPECT_EQ(testing::FaultsOf(DataErrorOf([&] { ReadIdx(folder.Path()); }),
                              folder.Path().string(), {"is a directory"}),
            "");
}

}  // namespace
}  // namespace sven::data::idx_test
