// SPDX-License-Identifier: MIT
#include "sven/data/npz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "sven/base/error.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::npz_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using testing::DataErrorOf;
using testing::Malformed;
using testing::Slurp;

fs::path Sample(const std::string& name) {
  return fs::path(SVEN_TEST_DATA) / "formats" / name;
}

// Value number k of the arrays that tests/data/formats/make.py writes.
double SampleValue(char kind, int k) {
  switch (kind) {
    case 'f':
      return (k - 6) / 2.0;
    case 'i':
      return k - 6;
    case 'u':
      return k;
    default:
      return k % 3 == 0 ? 1 : 0;
  }
}

void ExpectSampleValues(const Tensor& tensor, const std::string& name) {
  EXPECT_EQ(tensor.shape, (std::vector<Index>{2, 3, 4})) << name;
  EXPECT_EQ(ByteSize(tensor.dtype), name[1] - '0') << name;
  const std::vector<double> values = tensor.Values<double>();
  for (int k = 0; k < 24; ++k) {
    EXPECT_EQ(values[k], SampleValue(name[0], k)) << name << " " << k;
  }
}

// Twelve types, either byte order, either order of axes.
TEST(Npz, EveryArrayOfNumPyIsReadStoredAndDeflated) {
  for (const std::string name : {"stored.npz", "deflated.npz"}) {
    const NpzFile file = ReadNpz(Sample(name));
    EXPECT_EQ(file.arrays.size(), 48U);
    for (const auto& [array, tensor] : file.arrays) {
      ExpectSampleValues(tensor, array);
    }
    EXPECT_NE(file.Find("f8_b_f"), nullptr);
    EXPECT_EQ(file.Find("absent"), nullptr);
  }
}

TEST(Npz, Zip64RecordsDescriptorsAndOtherMembersAreNoHindrance) {
  const NpzFile file = ReadNpz(Sample("zip64.npz"));
  ASSERT_EQ(file.arrays.size(), 2U);
  ExpectSampleValues(*file.Find("x"), "f8");
  ExpectSampleValues(*file.Find("y"), "i8");
}

TEST(Npz, AnArchiveWithoutMembersHasNoArrays) {
  const Bytes bytes = testing::ToBytes("PK\x05\x06" + std::string(18, '\0'));
  EXPECT_TRUE(ParseNpz(bytes, "bytes").arrays.empty());
}

// A well-formed archive of stored members, in which values can be overwritten.
struct Archive {
  std::string text;
  std::size_t entry = 0;  // where the directory begins
  std::size_t end = 0;    // where the record at the end begins

  Archive& Put(std::size_t at, std::uint64_t value, std::size_t size) {
    std::memcpy(text.data() + at, &value, size);
    return *this;
  }
  [[nodiscard]] Bytes ToBytes() const { return testing::ToBytes(text); }
};

std::string Number(std::uint64_t value, std::size_t size) {
  std::string bytes(size, '\0');
  std::memcpy(bytes.data(), &value, std::min(size, sizeof(value)));
  return bytes;
}

std::string OneArray() {
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}";
  header.resize(118, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "abc";
}

Archive MakeArchive(const std::vector<std::string>& names) {
  Archive archive;
  std::string directory;
  const std::string content = OneArray();
  for (const std::string& name : names) {
    // From "version needed" to the length of the extra field.
    const std::string common =
        Number(20, 2) + Number(0, 8) + Number(testing::Crc32(content), 4) +
        Number(content.size(), 4) + Number(content.size(), 4) +
        Number(name.size(), 2) + Number(0, 2);
    directory += "PK\x01\x02" + Number(20, 2) + common + Number(0, 10) +
                 Number(archive.text.size(), 4) + name;
    archive.text += "PK\x03\x04" + common + name + content;
  }
  archive.entry = archive.text.size();
  archive.text += directory;
  archive.end = archive.text.size();
  archive.text += "PK\x05\x06" + Number(0, 4) + Number(names.size(), 2) +
                  Number(names.size(), 2) + Number(directory.size(), 4) +
                  Number(archive.entry, 4) + Number(0, 2);
  return archive;
}

TEST(Npz, TheArchiveOfTheseTestsIsWellFormed) {
  const NpzFile file =
      ParseNpz(MakeArchive({"x.npy", "y.npy"}).ToBytes(), "bytes");
  ASSERT_EQ(file.arrays.size(), 2U);
  EXPECT_EQ(file.Find("y")->bytes, testing::ToBytes("abc"));
}

// With a value of the entry of the only member overwritten, or of its local
// header, or of the record at the end.
Bytes InEntry(std::size_t at, std::uint64_t value, std::size_t size) {
  Archive archive = MakeArchive({"x.npy"});
  return archive.Put(archive.entry + at, value, size).ToBytes();
}
Bytes InLocalHeader(std::size_t at, std::uint64_t value, std::size_t size) {
  return MakeArchive({"x.npy"}).Put(at, value, size).ToBytes();
}
Bytes InEnd(std::size_t at, std::uint64_t value, std::size_t size) {
  Archive archive = MakeArchive({"x.npy"});
  return archive.Put(archive.end + at, value, size).ToBytes();
}

// The zip64 locator and record, with these values, before the end.
Bytes WithZip64(std::uint64_t record_offset, std::uint64_t entries,
                std::uint64_t size, std::uint64_t offset,
                std::uint32_t disk = 0) {
  Archive archive = MakeArchive({"x.npy"});
  const std::string records =
      "PK\x06\x06" + Number(44, 8) + Number(45, 2) + Number(45, 2) +
      Number(disk, 4) + Number(disk, 4) + Number(entries, 8) +
      Number(entries, 8) + Number(size, 8) + Number(offset, 8) + "PK\x06\x07" +
      Number(0, 4) + Number(record_offset, 8) + Number(1, 4);
  archive.text.insert(archive.end, records);
  return archive.ToBytes();
}

constexpr std::size_t kLocal = 30 + 5 + 131;  // bytes before the directory
constexpr std::size_t kEntry = 46 + 5;        // bytes of the directory

TEST(Npz, Zip64RecordsAreUsedWhereTheyStand) {
  const Bytes bytes = WithZip64(kLocal + kEntry, 1, kEntry, kLocal);
  EXPECT_EQ(ParseNpz(bytes, "bytes").arrays.size(), 1U);
}

std::vector<Malformed> MalformedDirectories() {
  const Bytes whole = MakeArchive({"x.npy"}).ToBytes();
  Bytes cut = whole;
  cut.pop_back();
  Bytes extended = whole;
  extended.push_back(std::byte{0});
  Bytes in_front = whole;
  in_front.insert(in_front.begin(), std::byte{0});
  return {
      {"Empty", {}, {"no zip directory", "truncated"}},
      {"Text", testing::ToBytes("1,2,3\n"), {"no zip directory"}},
      {"OnlyLocalHeader", testing::ToBytes("PK\x03\x04"), {"no zip directory"}},
      {"Cut", cut, {"no zip directory"}},
      {"Extended", extended, {"no zip directory"}},
      {"MovedByOne", in_front, {"51 bytes at byte 166", "end at byte 218"}},
      {"Part", InEnd(4, 1, 2), {"one part of several"}},
      {"PartOfEntries", InEnd(8, 0, 2), {"one part of several"}},
      {"EntriesTooMany", InEnd(8, 0x00020002, 4), {"1 entries", "expected 2"}},
      {"EntriesNone", InEnd(8, 0, 4), {"1 entries", "expected 0"}},
      {"SizeTooLarge", InEnd(12, 52, 4), {"52 bytes at byte 166", "217"}},
      {"SizeTooSmall", InEnd(12, 50, 4), {"50 bytes at byte 166", "217"}},
      {"OffsetTooLarge", InEnd(16, 1000, 4), {"at byte 1000", "217"}},
      {"OffsetOfZip64", InEnd(16, 0xffffffff, 4), {"zip64", "missing"}},
      {"SizeOfZip64", InEnd(12, 0xffffffff, 4), {"zip64", "missing"}},
      {"EntriesOfZip64", InEnd(8, 0xffffffff, 4), {"zip64", "missing"}},
      {"Zip64Elsewhere",
       WithZip64(1000, 1, kEntry, kLocal),
       {"zip64 record at byte 1000"}},
      {"Zip64Nowhere",
       WithZip64(~0ULL, 1, kEntry, kLocal),
       {"zip64 record at byte 18446744073709551615"}},
      {"Zip64NoRecord",
       WithZip64(0, 1, kEntry, kLocal),
       {"no zip64 record at byte 0"}},
      {"Zip64Part",
       WithZip64(kLocal + kEntry, 1, kEntry, kLocal, 1),
       {"one part of several"}},
      {"Zip64Size",
       WithZip64(kLocal + kEntry, 1, ~0ULL, kLocal),
       {"18446744073709551615 bytes at byte 166"}},
      {"Zip64Offset",
       WithZip64(kLocal + kEntry, 1, kEntry, ~0ULL),
       {"at byte 18446744073709551615"}},
      {"Zip64Entries",
       WithZip64(kLocal + kEntry, ~0ULL, kEntry, kLocal),
       {"1 entries", "expected 18446744073709551615"}},
      {"EntrySignature", InEntry(0, 0, 4), {"damaged 51 bytes"}},
      {"EntryNameTooLong", InEntry(28, 6, 2), {"52 bytes", "51 are left"}},
      {"EntryNameTooShort", InEntry(28, 4, 2), {"no fitting local header"}},
      {"EntryExtraTooLong", InEntry(30, 9, 2), {"60 bytes", "51 are left"}},
      {"EntryCommentTooLong", InEntry(32, 9, 2), {"60 bytes", "51 are left"}},
      {"NameTwice",
       MakeArchive({"x.npy", "x.npy"}).ToBytes(),
       {"'x.npy'", "twice"}},
  };
}

std::vector<Malformed> MalformedMembers() {
  Archive damaged = MakeArchive({"x.npy"});
  damaged.text[kLocal - 1] = 'X';
  return {
      {"Encrypted", InEntry(8, 1, 2), {"member 'x.npy'", "encrypted"}},
      {"Method", InEntry(10, 12, 2), {"'x.npy'", "method 12", "deflated"}},
      {"OffsetTooLarge", InEntry(42, 137, 4), {"offset 137", "byte 136"}},
      {"OffsetWrong", InEntry(42, 1, 4), {"no fitting local header at byte 1"}},
      {"OffsetOfZip64", InEntry(42, 0xffffffff, 4), {"offset missing"}},
      {"SizeOfZip64", InEntry(24, 0xffffffff, 4), {"size missing", "zip64"}},
      {"SizesDiffer", InEntry(24, 130, 4), {"sizes 131 and 130"}},
      {"SizeTooLarge", InEntry(20, 132, 4), {"132 bytes at byte 35", "131"}},
      {"SizeOfGigabytes", InEntry(20, 0xfffffffe, 4), {"4294967294 bytes"}},
      {"LocalSignature", InLocalHeader(0, 0, 4), {"no fitting local header"}},
      {"LocalMethod", InLocalHeader(8, 8, 2), {"no fitting local header"}},
      {"LocalName", InLocalHeader(30, 'y', 1), {"no fitting local header"}},
      {"LocalExtra", InLocalHeader(28, 999, 2), {"no fitting local header"}},
      {"Crc", InEntry(16, 0x12345678, 4), {"array 'x'", "12345678", "CRC-32"}},
      {"Contents", damaged.ToBytes(), {"array 'x'", "CRC-32", "damaged"}},
      {"Header", InLocalHeader(35, 0, 1), {"array 'x'", "NUMPY"}},
  };
}

class MalformedNpz : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedNpz, IsRefusedWithATellingMessage) {
  const std::string message =
      DataErrorOf([] { ParseNpz(GetParam().bytes, "some/file.npz"); });
  EXPECT_EQ(testing::FaultsOf(message, "some/file.npz", GetParam().words), "");
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Directories, MalformedNpz,
                         ::testing::ValuesIn(MalformedDirectories()),
                         kTestName);
INSTANTIATE_TEST_SUITE_P(Members, MalformedNpz,
                         ::testing::ValuesIn(MalformedMembers()), kTestName);

TEST(Npz, OverlappingMembersAreRefused) {
  // The first member's bytes hold the local header of the second.
  Archive archive = MakeArchive({"x.npy", "y.npy"});
  const std::size_t two = 2 * kLocal;
  archive.Put(archive.entry + 20, two - 35, 4);
  archive.Put(archive.entry + 24, two - 35, 4);
  const std::string message =
      DataErrorOf([&] { ParseNpz(archive.ToBytes(), "x.npz"); });
  EXPECT_EQ(
      testing::FaultsOf(message, "x.npz", {"'x.npy'", "overlaps", "'y.npy'"}),
      "");
}

// Deflate cannot expand more than 1032-fold, and a directory that claims more
// is not believed.
TEST(Npz, ImpossibleSizesOfDeflatedMembersAreRefused) {
  Bytes bytes = Slurp(Sample("deflated.npz"));
  const std::string text(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size());
  const std::size_t entry = text.find("PK\x01\x02");
  const std::uint32_t size = 0xfffffff0;
  std::memcpy(bytes.data() + entry + 24, &size, sizeof(size));
  const std::string message = DataErrorOf([&] { ParseNpz(bytes, "x.npz"); });
  EXPECT_EQ(testing::FaultsOf(message, "x.npz",
                              {"array 'f2_l_c'", "4294967280", "compressed"}),
            "");
}

TEST(Npz, EveryTruncatedFileIsRefused) {
  const Bytes bytes = Slurp(Sample("zip64.npz"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Bytes prefix = bytes;
    prefix.resize(size);
    const std::string message =
        DataErrorOf([&] { ParseNpz(prefix, "cut.npz"); });
    EXPECT_EQ(testing::FaultsOf(message, "cut.npz", {}), "") << size;
  }
}

// The checksum finds every damage of the values themselves.
TEST(Npz, DamagedFilesThrowDataErrorOrHoldTheSameValues) {
  std::mt19937 random(20240610);
  const Bytes original = Slurp(Sample("zip64.npz"));
  const NpzFile whole = ParseNpz(original, "bytes");
  int refused = 0;
  constexpr int kFiles = 20'000;
  for (int i = 0; i < kFiles; ++i) {
    const Bytes damaged = testing::Damage(original, "PK\x01\x02\xff", random);
    try {
      for (const auto& [name, tensor] : ParseNpz(damaged, "damaged").arrays) {
        const Tensor* expected = whole.Find(name);
        if (expected == nullptr) continue;
        ASSERT_EQ(tensor, *expected);
      }
    } catch (const DataError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("damaged: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, kFiles / 4);
  EXPECT_LT(refused, kFiles);
}

}  // namespace
}  // namespace sven::data::npz_test
