// SPDX-License-Identifier: MIT
#include "sven/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "sven/base/error.h"

namespace sven {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".sven-";

// What to do next about a failed system call.
std::string_view Hint(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return "; check the path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; check the permissions";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "; free some space or choose another place";
    default:
      return "";
  }
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int Get() const { return fd_; }
  // False, with errno, if data written earlier turn out to be lost.
  bool Close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

// A file beside the target, which either takes the target's place or vanishes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path)
      : path_(path), target_(FollowLink()), file_(Create()) {}
  ~TemporaryFile() {
    if (!committed_) ::unlink(temporary_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.Get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) FailWriting();
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void Commit() {
    if (::fsync(file_.Get()) != 0 || !file_.Close() ||
        ::rename(temporary_.c_str(), target_.c_str()) != 0) {
      FailWriting();
    }
    committed_ = true;
    // The new name, too, should outlive a power cut. Some file systems cannot
    // do that; the file is whole in any case.
    const FileDescriptor folder(
        ::open(Folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ::fsync(folder.Get());
  }

 private:
  [[nodiscard]] fs::path FollowLink() const {
    std::error_code error;
    if (!fs::is_symlink(path_, error)) return path_;
    fs::path target = fs::weakly_canonical(path_, error);
    if (error) ThrowFileError(path_, "cannot follow the link", error.value());
    return target;
  }

  [[nodiscard]] fs::path Folder() const {
    return target_.has_parent_path() ? target_.parent_path() : ".";
  }

  int Create() {
    CheckRegularFile(path_);
    const int fd = OpenUnused();
    std::error_code ignored;
    const fs::file_status old = fs::status(target_, ignored);
    if (fs::exists(old)) {
      fs::permissions(temporary_, old.permissions(), ignored);
    }
    return fd;
  }

  int OpenUnused() {
    static std::atomic<unsigned> counter = 0;
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      temporary_ = Folder() / fmt::format("{}{}-{}.tmp", kTemporaryPrefix,
                                          ::getpid(), counter++);
      const int fd = ::open(temporary_.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      if (errno != EEXIST) break;
    }
    const int error = errno;
    ThrowFileError(path_, "cannot create a file in " + Folder().string(),
                   error);
  }

  [[noreturn]] void FailWriting() const {
    ThrowFileError(path_, "cannot write, nothing was changed", errno);
  }

  fs::path path_;    // as the caller named it
  fs::path target_;  // the same without links
  fs::path temporary_;
  bool committed_ = false;
  FileDescriptor file_;  // last: Create needs the others
};

}  // namespace

void WriteFileAtomically(const fs::path& path,
                         std::span<const std::span<const std::byte>> pieces) {
  TemporaryFile file(path);
  for (const std::span<const std::byte> piece : pieces) file.Write(piece);
  file.Commit();
}

void WriteFileAtomically(const fs::path& path, std::string_view text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  WriteFileAtomically(path, std::span(&bytes, 1));
}

void RemoveTemporaries(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kTemporaryPrefix) && name.ends_with(".tmp")) {
      fs::remove(entry.path(), ignored);
    }
  }
}

void CheckRegularFile(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    throw DataError(path.string() + ": is a directory; name a file inside it");
  }
  if (fs::is_other(status)) {
    throw DataError(path.string() +
                    ": is a device, a pipe or a socket, expected a regular "
                    "file");
  }
}

void ThrowFileError(const fs::path& path, std::string_view what, int error) {
  throw DataError(fmt::format("{}: {}: {}{}", path.string(), what,
                              std::system_category().message(error),
                              Hint(error)));
}

std::string ReadTextFile(const fs::path& path) {
  CheckRegularFile(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) ThrowFileError(path, "cannot open", errno);
  std::string text{std::istreambuf_iterator<char>(stream),
                   std::istreambuf_iterator<char>()};
  if (stream.bad()) ThrowFileError(path, "cannot read", errno);
  return text;
}

}  // namespace sven
