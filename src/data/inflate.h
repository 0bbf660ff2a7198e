// SPDX-License-Identifier: MIT
//
// Decompression of gzip files (RFC 1952) and of zip members (RFC 1951) by zlib.
#ifndef SVEN_SRC_DATA_INFLATE_H_
#define SVEN_SRC_DATA_INFLATE_H_

#include <zlib.h>

#include <array>
#include <vector>

#include "byte_source.h"

namespace sven::data {

inline constexpr std::array kGzipMagic = {std::byte{0x1f}, std::byte{0x8b}};

// What stands around the compressed data.
enum class Wrapping {
  kGzip,  // header, checksum and length; several members may follow each other
  kNone,
};

// DataError, naming the stream and the place in the compressed bytes, if these
// are damaged, end too early or go on after the end. Checksum and length of
// gzip are compared when the last byte has been read.
class InflateStream final : public ByteStream {
 public:
  // `compressed` must know exactly how many bytes it has.
  InflateStream(UniqueStream compressed, Wrapping wrapping);
  ~InflateStream() override;
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  std::size_t Read(std::span<std::byte> out) override;
  // No more than 1032 times the compressed bytes: the shortest code of deflate
  // takes two bits, one for a length of 258 and one for a distance.
  [[nodiscard]] Index MaxRemaining() const override;

 private:
  // False if there is no more input.
  bool Refill();
  void FinishMember();
  [[noreturn]] void Fail(std::string_view what) const;

  UniqueStream compressed_;
  Index compressed_size_;
  Wrapping wrapping_;
  std::vector<std::byte> input_;
  z_stream zlib_ = {};
  bool ended_ = false;
};

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_INFLATE_H_
