// SPDX-License-Identifier: MIT
//
// Bytes of a file or of memory, which readers of all formats start from. A
// reader that is given one need not know which it is, so everything that is
// tested and fuzzed in memory holds for files.
#ifndef SVEN_SRC_DATA_BYTE_SOURCE_H_
#define SVEN_SRC_DATA_BYTE_SOURCE_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sven/base/types.h"

namespace sven::data {

// Bytes at any place.
class ByteSource {
 public:
  ByteSource(std::string name, Index size)
      : name_(std::move(name)), size_(size) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Opens every error message.
  [[nodiscard]] const std::string& Name() const { return name_; }
  [[nodiscard]] Index Size() const { return size_; }
  // Fills `out` from `offset` on. The caller has made sure that all of it lies
  // inside; a file that became shorter since it was opened is a DataError.
  virtual void ReadAt(Index offset, std::span<std::byte> out) const = 0;

 private:
  std::string name_;
  Index size_;
};

using SharedSource = std::shared_ptr<const ByteSource>;

// DataError if the file is missing, a folder, a pipe, or cannot be opened.
SharedSource OpenFile(const std::filesystem::path& path);

// `bytes` must outlive the source.
SharedSource OpenMemory(std::span<const std::byte> bytes,
                        std::string_view name);

// Bytes one after the other.
class ByteStream {
 public:
  explicit ByteStream(std::string name) : name_(std::move(name)) {}
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  [[nodiscard]] const std::string& Name() const { return name_; }
  // How many bytes of `out` were filled, fewer than all only at the end.
  virtual std::size_t Read(std::span<std::byte> out) = 0;
  // No more bytes than this are still to come: memory may be taken for that
  // many, whatever a header claims. Exact unless they are compressed.
  [[nodiscard]] virtual Index MaxRemaining() const = 0;

 private:
  std::string name_;
};

using UniqueStream = std::unique_ptr<ByteStream>;

// `size` bytes from `begin` on, which must lie inside the source.
UniqueStream StreamRange(SharedSource source, Index begin, Index size,
                         std::string name);

// All of it, decompressed if it begins as a gzip file does.
UniqueStream StreamContents(const SharedSource& source);
bool IsGzip(const ByteSource& source);

// DataError "...: ends after 3 bytes of <what>, expected 8" if that is so.
void ReadExactly(ByteStream& stream, std::span<std::byte> out,
                 std::string_view what);

// DataError if there is another byte. Streams that carry a checksum compare it
// here at the latest, so a reader has to call this when it is through.
void ExpectEnd(ByteStream& stream);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_BYTE_SOURCE_H_
