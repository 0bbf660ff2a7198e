// SPDX-License-Identifier: MIT
#include "zip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "fail.h"
#include "inflate.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

// Signatures and lengths of the records, without what varies at their ends.
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr Index kLocalBytes = 30;
constexpr Index kEntryBytes = 46;
constexpr Index kEndBytes = 22;
constexpr Index kEnd64Bytes = 56;
constexpr Index kLocatorBytes = 20;
constexpr Index kMaxCommentBytes = 0xffff;
// Says that the value stands in a zip64 record.
constexpr std::uint16_t kFull16 = 0xffff;
constexpr std::uint32_t kFull32 = 0xffffffff;

constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

// Numbers in a piece of the archive, little-endian.
class Record {
 public:
  Record() = default;
  explicit Record(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class U>
  [[nodiscard]] U Get(Index offset) const {
    U value = 0;
    std::memcpy(&value, bytes_.data() + offset, sizeof(value));
    return value;
  }
  [[nodiscard]] std::uint16_t Get16(Index offset) const {
    return Get<std::uint16_t>(offset);
  }
  [[nodiscard]] std::uint32_t Get32(Index offset) const {
    return Get<std::uint32_t>(offset);
  }
  [[nodiscard]] std::uint64_t Get64(Index offset) const {
    return Get<std::uint64_t>(offset);
  }
  [[nodiscard]] Index Size() const { return std::ssize(bytes_); }
  [[nodiscard]] Record Part(Index offset, Index size) const {
    return Record(bytes_.subspan(static_cast<std::size_t>(offset),
                                 static_cast<std::size_t>(size)));
  }
  [[nodiscard]] std::string Text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> ReadPiece(const ByteSource& source, Index offset,
                                 Index size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  source.ReadAt(offset, bytes);
  return bytes;
}

// Where the central directory is, and how many entries it has.
struct Extent {
  Index offset = 0;
  Index size = 0;
  std::uint64_t entries = 0;
};

// The record at the end of the archive, which is followed by a comment only.
Index FindEnd(const ByteSource& source) {
  const Index tail = std::min(source.Size(), kEndBytes + kMaxCommentBytes);
  const Index tail_offset = source.Size() - tail;
  const std::vector<std::byte> bytes = ReadPiece(source, tail_offset, tail);
  const Record record(bytes);
  for (Index at = tail - kEndBytes; at >= 0; --at) {
    if (record.Get32(at) == kEndSignature &&
        at + kEndBytes + record.Get16(at + 20) == tail) {
      return tail_offset + at;
    }
  }
  Fail(source.Name(),
       "has no zip directory at its end; it is truncated or no NPZ file");
}

Extent CheckExtent(const ByteSource& source, std::uint64_t offset,
                   std::uint64_t size, std::uint64_t entries, Index end) {
  const auto limit = static_cast<std::uint64_t>(end);
  if (offset > limit || size != limit - offset) {
    Fail(source.Name(),
         "zip directory: {} bytes at byte {}, expected it to end at byte {}",
         size, offset, end);
  }
  return {static_cast<Index>(offset), static_cast<Index>(size), entries};
}

// The zip64 records stand between the directory and the last record; the last
// of them is a locator. Nothing if there is none.
std::optional<Extent> FindDirectory64(const ByteSource& source,
                                      Index end_offset) {
  const Index locator_offset = end_offset - kLocatorBytes;
  if (locator_offset < 0) return std::nullopt;
  const auto locator_bytes = ReadPiece(source, locator_offset, kLocatorBytes);
  const Record locator(locator_bytes);
  if (locator.Get32(0) != kLocatorSignature) return std::nullopt;
  const std::uint64_t offset = locator.Get64(8);
  if (std::cmp_greater(offset, locator_offset - kEnd64Bytes)) {
    Fail(source.Name(),
         "zip directory: zip64 record at byte {}, expected it "
         "before byte {}",
         offset, locator_offset);
  }
  const auto end = static_cast<Index>(offset);
  const auto end_bytes = ReadPiece(source, end, kEnd64Bytes);
  const Record record(end_bytes);
  if (record.Get32(0) != kEnd64Signature) {
    Fail(source.Name(), "zip directory: no zip64 record at byte {}", end);
  }
  if (record.Get32(16) != 0 || record.Get32(20) != 0 ||
      record.Get64(24) != record.Get64(32)) {
    Fail(source.Name(), "one part of several, expected an archive in one file");
  }
  return CheckExtent(source, record.Get64(48), record.Get64(40),
                     record.Get64(32), end);
}

Extent FindDirectory(const ByteSource& source) {
  const Index end = FindEnd(source);
  const auto bytes = ReadPiece(source, end, kEndBytes);
  const Record record(bytes);
  const std::uint16_t entries = record.Get16(10);
  const std::uint32_t size = record.Get32(12);
  const std::uint32_t offset = record.Get32(16);
  if (const auto wide = FindDirectory64(source, end)) return *wide;
  if (entries == kFull16 || size == kFull32 || offset == kFull32) {
    Fail(source.Name(), "zip directory: the zip64 records are missing");
  }
  if (record.Get16(4) != 0 || record.Get16(6) != 0 ||
      record.Get16(8) != entries) {
    Fail(source.Name(), "one part of several, expected an archive in one file");
  }
  return CheckExtent(source, offset, size, entries, end);
}

// The zip64 values of an entry: those of the 32-bit ones that are full, in a
// fixed order.
class Zip64Extra {
 public:
  Zip64Extra(std::string_view where, const Record& extra) : where_(where) {
    constexpr std::uint16_t kZip64 = 1;
    for (Index at = 0; at + 4 <= extra.Size();) {
      const Index size = extra.Get16(at + 2);
      if (at + 4 + size > extra.Size()) break;
      if (extra.Get16(at) == kZip64) values_ = extra.Part(at + 4, size);
      at += 4 + size;
    }
  }

  Index Resolve(std::string_view what, std::uint32_t value) {
    if (value != kFull32) return value;
    if (at_ + 8 > values_.Size()) {
      Fail(where_, "{} missing, expected it in a zip64 field", what);
    }
    const std::uint64_t wide = values_.Get64(at_);
    at_ += 8;
    if (!std::in_range<Index>(wide)) {
      Fail(where_, "{} = {}, expected less than 2^63", what, wide);
    }
    return static_cast<Index>(wide);
  }

 private:
  std::string_view where_;
  Record values_;
  Index at_ = 0;
};

std::string MemberName(const ByteSource& source, std::string_view member) {
  return fmt::format("{}: member {}", source.Name(), Quote(member));
}

// Reads one entry of the directory and removes it from `rest`.
ZipMember TakeEntry(const ByteSource& source, Record& rest) {
  if (rest.Size() < kEntryBytes || rest.Get32(0) != kEntrySignature) {
    Fail(source.Name(), "zip directory: damaged {} bytes before its end",
         rest.Size());
  }
  const Index name_size = rest.Get16(28);
  const Index extra_size = rest.Get16(30);
  const Index total =
      kEntryBytes + name_size + extra_size + Index{rest.Get16(32)};
  if (total > rest.Size()) {
    Fail(source.Name(), "zip directory: an entry of {} bytes, {} are left",
         total, rest.Size());
  }
  ZipMember member{.name = rest.Part(kEntryBytes, name_size).Text(),
                   .deflated = rest.Get16(10) == kDeflated,
                   .crc = rest.Get32(16)};
  const std::string where = MemberName(source, member.name);
  constexpr std::uint16_t kEncrypted = 1;
  if ((rest.Get16(8) & kEncrypted) != 0) {
    Fail(where, "is encrypted, expected plain data");
  }
  if (!member.deflated && rest.Get16(10) != kStored) {
    Fail(where, "compressed by method {}, expected 0 (stored) or 8 (deflated)",
         rest.Get16(10));
  }
  Zip64Extra wide(where, rest.Part(kEntryBytes + name_size, extra_size));
  member.size = wide.Resolve("size", rest.Get32(24));
  member.compressed_size = wide.Resolve("compressed size", rest.Get32(20));
  member.header_offset = wide.Resolve("offset", rest.Get32(42));
  rest = rest.Part(total, rest.Size() - total);
  return member;
}

// The data follow a local header, which has to agree with the entry.
void FindData(const ByteSource& source, Index limit, ZipMember& member) {
  const std::string where = MemberName(source, member.name);
  if (member.header_offset > limit - kLocalBytes) {
    Fail(where, "offset {}, expected it before byte {}", member.header_offset,
         limit - kLocalBytes);
  }
  const auto bytes = ReadPiece(source, member.header_offset, kLocalBytes);
  const Record header(bytes);
  const Index name_size = header.Get16(26);
  member.data_offset =
      member.header_offset + kLocalBytes + name_size + Index{header.Get16(28)};
  if (header.Get32(0) != kLocalSignature ||
      header.Get16(8) != (member.deflated ? kDeflated : kStored) ||
      name_size != std::ssize(member.name) || member.data_offset > limit ||
      Record(ReadPiece(source, member.header_offset + kLocalBytes, name_size))
              .Text() != member.name) {
    Fail(where, "no fitting local header at byte {}", member.header_offset);
  }
  if (member.compressed_size > limit - member.data_offset) {
    Fail(where,
         "{} bytes at byte {}, expected no more than {}; the file is "
         "truncated or damaged",
         member.compressed_size, member.data_offset,
         limit - member.data_offset);
  }
  if (!member.deflated && member.size != member.compressed_size) {
    Fail(where, "stored with sizes {} and {}, expected the same",
         member.compressed_size, member.size);
  }
}

void CheckMembers(const ByteSource& source,
                  std::span<const ZipMember> members) {
  std::set<std::string_view> names;
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members) {
    sorted.push_back(&member);
    if (!names.insert(member.name).second) {
      Fail(MemberName(source, member.name), "stands twice, expected once");
    }
  }
  std::ranges::sort(sorted, {}, &ZipMember::header_offset);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const ZipMember& before = *sorted[i - 1];
    if (before.data_offset + before.compressed_size >
        sorted[i]->header_offset) {
      Fail(MemberName(source, before.name), "overlaps with {}",
           Quote(sorted[i]->name));
    }
  }
}

class MemberStream final : public ByteStream {
 public:
  MemberStream(UniqueStream contents, Index size, std::uint32_t crc)
      : ByteStream(contents->Name()),
        contents_(std::move(contents)),
        left_(size),
        expected_crc_(crc) {}

  std::size_t Read(std::span<std::byte> out) override {
    const std::size_t count = contents_->Read(out);
    left_ -= static_cast<Index>(count);
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(out.data()), count);
    const bool ended = count < out.size();
    if (left_ < 0 || (ended && left_ > 0)) {
      Fail(Name(), "its size is not that of the zip directory");
    }
    if (ended && crc_ != expected_crc_) {
      Fail(Name(), "CRC-32 = {:08x}, expected {:08x}; the file is damaged",
           crc_, expected_crc_);
    }
    return count;
  }
  [[nodiscard]] Index MaxRemaining() const override { return left_; }

 private:
  UniqueStream contents_;
  Index left_;
  std::uint32_t expected_crc_;
  uLong crc_ = 0;
};

}  // namespace

std::vector<ZipMember> ReadZipDirectory(const ByteSource& source) {
  const Extent extent = FindDirectory(source);
  const auto bytes = ReadPiece(source, extent.offset, extent.size);
  std::vector<ZipMember> members;
  Record rest(bytes);
  while (rest.Size() > 0) {
    members.push_back(TakeEntry(source, rest));
    FindData(source, extent.offset, members.back());
  }
  if (members.size() != extent.entries) {
    Fail(source.Name(), "zip directory: {} entries, expected {}",
         members.size(), extent.entries);
  }
  CheckMembers(source, members);
  return members;
}

UniqueStream OpenZipMember(const SharedSource& source, const ZipMember& member,
                           const std::string& name) {
  UniqueStream contents =
      StreamRange(source, member.data_offset, member.compressed_size, name);
  if (member.deflated) {
    contents =
        std::make_unique<InflateStream>(std::move(contents), Wrapping::kNone);
  }
  if (member.size > contents->MaxRemaining()) {
    Fail(name, "size {}, expected no more than {} from {} compressed bytes",
         member.size, contents->MaxRemaining(), member.compressed_size);
  }
  return std::make_unique<MemberStream>(std::move(contents), member.size,
                                        member.crc);
}

}  // namespace sven::data
