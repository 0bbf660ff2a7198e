// SPDX-License-Identifier: MIT
#include "inflate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "sven/base/error.h"

namespace sven::data {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 16;
// zlib counts with 32 bits.
constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 30;

// The names of zlib: the window of 32 KiB, plus 16 for gzip, negative for none.
int WindowBits(Wrapping wrapping) {
  return wrapping == Wrapping::kGzip ? MAX_WBITS + 16 : -MAX_WBITS;
}

}  // namespace

InflateStream::InflateStream(UniqueStream compressed, Wrapping wrapping)
    : ByteStream(compressed->Name()),
      compressed_(std::move(compressed)),
      compressed_size_(compressed_->MaxRemaining()),
      wrapping_(wrapping),
      input_(kInputBytes) {
  const int status = inflateInit2(&zlib_, WindowBits(wrapping));
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  Check(status == Z_OK, "zlib cannot be initialised");
}

InflateStream::~InflateStream() { inflateEnd(&zlib_); }

std::size_t InflateStream::Read(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size() && !ended_) {
    if (zlib_.avail_in == 0 && !Refill()) {
      Fail("the compressed data are truncated");
    }
    const std::size_t wanted = std::min(out.size() - filled, kMaxOutputBytes);
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    zlib_.avail_out = static_cast<uInt>(wanted);
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    filled += wanted - zlib_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      FinishMember();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      Fail(fmt::format("the compressed data are damaged: {}",
                       zlib_.msg != nullptr ? zlib_.msg : "no details"));
    }
  }
  return filled;
}

Index InflateStream::MaxRemaining() const {
  if (ended_) return 0;
  constexpr Index kRatio = 1032;
  // What zlib has taken in and not put out yet is far less than a window.
  constexpr Index kSlack = Index{1} << MAX_WBITS;
  const Index input = compressed_->MaxRemaining() + zlib_.avail_in;
  Index output = 0;
  if (__builtin_mul_overflow(input, kRatio, &output) ||
      __builtin_add_overflow(output, kSlack, &output)) {
    return std::numeric_limits<Index>::max();
  }
  return output;
}

bool InflateStream::Refill() {
  zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
  zlib_.avail_in = static_cast<uInt>(compressed_->Read(input_));
  return zlib_.avail_in > 0;
}

// Another gzip member may follow and is part of the contents (RFC 1952, 2.2);
// anything else is refused by zlib for want of a header.
void InflateStream::FinishMember() {
  const bool more = zlib_.avail_in > 0 || Refill();
  if (!more) {
    ended_ = true;
  } else if (wrapping_ == Wrapping::kGzip) {
    Check(inflateReset(&zlib_) == Z_OK, "zlib cannot be reset");
  } else {
    Fail("the compressed data end before their last byte");
  }
}

void InflateStream::Fail(std::string_view what) const {
  const Index left = compressed_->MaxRemaining() + zlib_.avail_in;
  throw DataError(fmt::format("{}: {}, at byte {} of {} compressed ones",
                              Name(), what, compressed_size_ - left,
                              compressed_size_));
}

}  // namespace sven::data
