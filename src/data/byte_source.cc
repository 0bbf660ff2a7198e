// SPDX-License-Identifier: MIT
#include "byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "inflate.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"

namespace sven::data {
namespace {

namespace fs = std::filesystem;

// Reads with pread: a file that is cut short by somebody else while we read
// then is an error message, where a memory map would be a bus error.
class FileSource final : public ByteSource {
 public:
  FileSource(const fs::path& path, int fd, Index size)
      : ByteSource(path.string(), size), fd_(fd) {}
  ~FileSource() override { ::close(fd_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  void ReadAt(Index offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const ssize_t count = ::pread(fd_, out.data(), out.size(), offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) ThrowFileError(Name(), "cannot read", errno);
      if (count == 0) {
        throw DataError(Name() + ": became shorter while it was read");
      }
      offset += count;
      out = out.subspan(static_cast<std::size_t>(count));
    }
  }

 private:
  int fd_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string_view name)
      : ByteSource(std::string(name), std::ssize(bytes)), bytes_(bytes) {}

  void ReadAt(Index offset, std::span<std::byte> out) const override {
    const auto from =
        bytes_.subspan(static_cast<std::size_t>(offset), out.size());
    std::ranges::copy(from, out.begin());
  }

 private:
  std::span<const std::byte> bytes_;
};

class RangeStream final : public ByteStream {
 public:
  RangeStream(SharedSource source, Index begin, Index size, std::string name)
      : ByteStream(std::move(name)),
        source_(std::move(source)),
        next_(begin),
        end_(begin + size) {}

  std::size_t Read(std::span<std::byte> out) override {
    const Index count = std::min(std::ssize(out), end_ - next_);
    source_->ReadAt(next_, out.first(static_cast<std::size_t>(count)));
    next_ += count;
    return static_cast<std::size_t>(count);
  }
  [[nodiscard]] Index MaxRemaining() const override { return end_ - next_; }

 private:
  SharedSource source_;
  Index next_;
  Index end_;
};

}  // namespace

SharedSource OpenFile(const fs::path& path) {
  CheckRegularFile(path);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) ThrowFileError(path, "cannot open", errno);
  // The size is that of the opened file; by now the path may name another.
  struct stat status = {};
  if (::fstat(fd, &status) != 0) {
    const int error = errno;
    ::close(fd);
    ThrowFileError(path, "cannot read", error);
  }
  return std::make_shared<FileSource>(path, fd, status.st_size);
}

SharedSource OpenMemory(std::span<const std::byte> bytes,
                        std::string_view name) {
  return std::make_shared<MemorySource>(bytes, name);
}

UniqueStream StreamRange(SharedSource source, Index begin, Index size,
                         std::string name) {
  Check(begin >= 0 && size >= 0 && begin <= source->Size() - size,
        "a range must lie inside its source");
  return std::make_unique<RangeStream>(std::move(source), begin, size,
                                       std::move(name));
}

bool IsGzip(const ByteSource& source) {
  std::array<std::byte, kGzipMagic.size()> magic = {};
  if (source.Size() < std::ssize(magic)) return false;
  source.ReadAt(0, magic);
  return magic == kGzipMagic;
}

UniqueStream StreamContents(const SharedSource& source) {
  UniqueStream bytes = StreamRange(source, 0, source->Size(), source->Name());
  if (!IsGzip(*source)) return bytes;
  return std::make_unique<InflateStream>(std::move(bytes), Wrapping::kGzip);
}

void ReadExactly(ByteStream& stream, std::span<std::byte> out,
                 std::string_view what) {
  const std::size_t count = stream.Read(out);
  if (count == out.size()) return;
  throw DataError(fmt::format("{}: ends after {} bytes of {}, expected {}",
                              stream.Name(), count, what, out.size()));
}

void ExpectEnd(ByteStream& stream) {
  std::byte extra{};
  if (stream.Read(std::span(&extra, 1)) == 0) return;
  throw DataError(
      stream.Name() +
      ": goes on after the last value, expected the end; the header does not "
      "fit the contents");
}

}  // namespace sven::data
