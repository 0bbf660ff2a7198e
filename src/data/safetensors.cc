// SPDX-License-Identifier: MIT
#include "sven/data/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <type_traits>

#include "sven/base/error.h"

namespace sven::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied as they stand; this machine needs a swap");

constexpr Index kMaxIndex = std::numeric_limits<Index>::max();
constexpr Index kLengthBytes = 8;
// The limit of the reference implementation.
constexpr Index kMaxHeaderBytes = 100'000'000;
constexpr std::string_view kMetadataKey = "__metadata__";

// ---------------------------------------------------------------- numbers --

// Types that a file has and C++ has not.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct BoolByte {
  std::uint8_t byte;
};

template <class T>
T Widen(T value) {
  return value;
}

// A bfloat16 is the upper half of a float.
float Widen(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

// 1 bit of sign, 5 of exponent (bias 15), 10 of mantissa.
float Widen(Half value) {
  const std::uint32_t sign = std::uint32_t{value.bits} >> 15;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = value.bits & 0x3ffU;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  // Infinity and NaN keep an exponent of ones; others change to bias 127.
  const std::uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign << 31 | wide << 23 | mantissa << 13);
}

std::uint8_t Widen(BoolByte value) { return value.byte != 0 ? 1 : 0; }

// Calls visit(S{}), where S is the type that holds one stored value.
template <class Visit>
auto VisitStored(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::kF64:
      return visit(double{});
    case DType::kF32:
      return visit(float{});
    case DType::kF16:
      return visit(Half{});
    case DType::kBF16:
      return visit(BFloat16{});
    case DType::kI64:
      return visit(std::int64_t{});
    case DType::kI32:
      return visit(std::int32_t{});
    case DType::kI16:
      return visit(std::int16_t{});
    case DType::kI8:
      return visit(std::int8_t{});
    case DType::kU64:
      return visit(std::uint64_t{});
    case DType::kU32:
      return visit(std::uint32_t{});
    case DType::kU16:
      return visit(std::uint16_t{});
    case DType::kU8:
      return visit(std::uint8_t{});
    case DType::kBool:
      return visit(BoolByte{});
  }
  throw std::logic_error("sven::data::DType without a stored type");
}

// Nothing on overflow; factors are >= 0.
std::optional<Index> Multiply(Index a, Index b) {
  if (b != 0 && a > kMaxIndex / b) return std::nullopt;
  return a * b;
}

// Product of the shape; nothing if a factor is negative or on overflow.
std::optional<Index> CheckedSize(std::span<const Index> shape) {
  std::optional<Index> size = 1;
  for (const Index extent : shape) {
    if (extent < 0) return std::nullopt;
    size = Multiply(*size, extent);
    if (!size) return std::nullopt;
  }
  return size;
}

std::optional<Index> CheckedByteCount(DType dtype,
                                      std::span<const Index> shape) {
  const std::optional<Index> size = CheckedSize(shape);
  return size ? Multiply(*size, ByteSize(dtype)) : std::nullopt;
}

void CheckBytesFitShape(const Tensor& tensor) {
  Check(
      std::ssize(tensor.bytes) == CheckedByteCount(tensor.dtype, tensor.shape),
      "bytes of a Tensor must fit its shape and dtype");
}

template <class Stored, class Use>
void ForEachValue(const Tensor& tensor, Use use) {
  const std::byte* const end = tensor.bytes.data() + tensor.bytes.size();
  for (const std::byte* at = tensor.bytes.data(); at != end;
       at += sizeof(Stored)) {
    Stored stored;
    std::memcpy(&stored, at, sizeof(Stored));
    use(Widen(stored));
  }
}

std::vector<std::byte> BytesOf(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// --------------------------------------------------------------- messages --

template <class... Args>
[[noreturn]] void Fail(std::string_view source,
                       fmt::format_string<Args...> format, Args&&... args) {
  throw DataError(fmt::format(
      "{}: {}", source, fmt::format(format, std::forward<Args>(args)...)));
}

// Text out of a file, fit for a terminal: short and without control characters.
std::string Printable(std::string_view text, std::size_t limit) {
  std::string clean(text.substr(0, limit));
  std::ranges::replace_if(
      clean, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  if (clean.size() == text.size()) return clean;
  // Not in the middle of a UTF-8 sequence.
  const auto is_continuation = [](char c) { return (c & 0xc0) == 0x80; };
  std::size_t end = clean.size();
  while (end > 0 && is_continuation(text[end])) --end;
  return clean.substr(0, end) + "...";
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kLimit = 80;
  return fmt::format("'{}'", Printable(text, kLimit));
}

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

[[noreturn]] void FailSystem(std::string_view source, std::string_view what,
                             int error = errno) {
  Fail(source, "{}: {}{}", what, std::system_category().message(error),
       Hint(error));
}

void CheckRegular(std::string_view source, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) {
    Fail(source, "is a directory; name a file inside it");
  }
  if (!S_ISREG(status.st_mode)) {
    Fail(source, "is a device, a pipe or a socket, expected a regular file");
  }
}

// ----------------------------------------------------------------- header --

struct Entry {
  std::string name;
  DType dtype = DType::kF64;
  std::vector<Index> shape = {};
  std::vector<Index> offsets = {};  // begin and end
};

struct Header {
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

// Takes the header as a stream of events and accepts exactly its grammar. No
// tree is built, and the parser keeps no recursion: JSON nested more deeply
// than the grammar is refused at its first bracket too many. Method names and
// signatures are those of nlohmann::json_sax; `false` would end the parsing,
// but all errors are exceptions here.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string_view source) : source_(source) {}

  Header Take() { return std::move(header_); }

  bool null() override { Refuse("null"); }
  bool boolean(bool value) override { Refuse(value ? "true" : "false"); }
  bool number_float(double /*value*/, const std::string& text) override {
    Refuse(Printable(text, 40));
  }
  bool number_integer(std::int64_t value) override {
    Refuse(value == 0 ? "-0" : std::to_string(value));
  }
  bool binary(nlohmann::json::binary_t& /*value*/) override {
    Refuse("binary data");
  }

  bool number_unsigned(std::uint64_t value) override {
    if (!std::in_range<Index>(value)) Refuse(std::to_string(value));
    if (place_ == Place::kShape) {
      header_.entries.back().shape.push_back(static_cast<Index>(value));
    } else if (place_ == Place::kOffsets) {
      header_.entries.back().offsets.push_back(static_cast<Index>(value));
    } else {
      Refuse(std::to_string(value));
    }
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(key_, std::move(value));
      return true;
    }
    const bool is_dtype = place_ == Place::kTensor && key_ == "dtype";
    const std::optional<DType> dtype =
        is_dtype ? FromName<DType>(value) : std::nullopt;
    if (!dtype) Refuse(Quote(value));
    header_.entries.back().dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (place_ == Place::kStart) {
      place_ = Place::kHeader;
    } else if (place_ == Place::kHeader && name_ == kMetadataKey) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kHeader) {
      place_ = Place::kTensor;
      header_.entries.push_back({.name = name_});
    } else {
      Refuse("an object");
    }
    keys_.clear();
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) RequireAllFields();
    place_ = Place::kHeader;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (place_ == Place::kTensor && key_ == "shape") {
      place_ = Place::kShape;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
    } else {
      Refuse("an array");
    }
    return true;
  }

  bool end_array() override {
    const Entry& entry = header_.entries.back();
    if (place_ == Place::kOffsets && entry.offsets.size() != 2) {
      Fail(source_, "{}: found {} numbers, expected two, [begin, end]", Where(),
           entry.offsets.size());
    }
    place_ = Place::kTensor;
    return true;
  }

  bool key(std::string& value) override {
    const bool is_name = place_ == Place::kHeader;
    const bool is_new = (is_name ? names_ : keys_).insert(value).second;
    (is_name ? name_ : key_) = std::move(value);
    if (!is_new) Fail(source_, "{}: duplicate key, expected one", Where());
    if (place_ == Place::kTensor && !IsField(key_)) {
      Fail(source_, "{}: unknown field, expected dtype, shape or data_offsets",
           Where());
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    const std::string_view what = error.what();
    const std::size_t tag = what.find("] ");
    Fail(source_, "header is not valid JSON at its byte {}: {}", position,
         Ascii(what.substr(tag == std::string_view::npos ? 0 : tag + 2)));
  }

 private:
  enum class Place { kStart, kHeader, kMetadata, kTensor, kShape, kOffsets };

  static constexpr std::array<std::string_view, 3> kFields = {"dtype", "shape",
                                                              "data_offsets"};

  static bool IsField(std::string_view key) {
    return std::ranges::find(kFields, key) != kFields.end();
  }

  // The parser quotes what it read last, which may be any bytes.
  static std::string Ascii(std::string_view text) {
    constexpr std::size_t kLimit = 200;
    std::string ascii(text.substr(0, kLimit));
    std::ranges::replace_if(
        ascii, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
    return ascii;
  }

  void RequireAllFields() const {
    for (const std::string_view field : kFields) {
      if (keys_.contains(field)) continue;
      Fail(source_, "tensor {}: {} missing, expected {}", Quote(name_), field,
           fmt::join(kFields, ", "));
    }
  }

  [[noreturn]] void Refuse(std::string_view found) const {
    Fail(source_, "{}: found {}, expected {}", Where(), found, Expected());
  }

  [[nodiscard]] std::string Where() const {
    switch (place_) {
      case Place::kStart:
        return "header";
      case Place::kHeader:
        return name_ == kMetadataKey ? name_ : "tensor " + Quote(name_);
      case Place::kMetadata:
        return fmt::format("{} {}", kMetadataKey, Quote(key_));
      case Place::kTensor:
      case Place::kShape:
      case Place::kOffsets:
        break;
    }
    return fmt::format("tensor {}: {}", Quote(name_), Printable(key_, 40));
  }

  [[nodiscard]] std::string Expected() const {
    switch (place_) {
      case Place::kStart:
      case Place::kHeader:
        return "an object";
      case Place::kMetadata:
        return "a string";
      case Place::kTensor:
        return key_ == "dtype" ? AllNames<DType>() : "an array";
      case Place::kShape:
      case Place::kOffsets:
        break;
    }
    return fmt::format("a whole number from 0 to {}", kMaxIndex);
  }

  std::string_view source_;
  Header header_;
  Place place_ = Place::kStart;
  std::string name_;                          // the last key of the header
  std::string key_;                           // the last key one level below
  std::set<std::string, std::less<>> names_;  // all keys of the header
  std::set<std::string, std::less<>> keys_;   // all keys of this entry
};

Header ParseHeader(std::string_view source, std::string_view text) {
  if (!text.starts_with('{')) {
    Fail(source, "header begins with {}, expected '{{'; no safetensors file?",
         text.empty() ? "nothing"
                      : fmt::format("byte 0x{:02x}",
                                    static_cast<unsigned char>(text.front())));
  }
  // The parser takes a NUL for the end of the text and would not see the rest.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    Fail(source, "header holds a NUL at its byte {}, expected JSON text", nul);
  }
  HeaderReader reader(source);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  return reader.Take();
}

// ----------------------------------------------------------------- layout --

void CheckEntry(std::string_view source, const Entry& entry, Index data_size) {
  const Index begin = entry.offsets[0];
  const Index end = entry.offsets[1];
  const auto where = [&] {
    return fmt::format("tensor {}: data_offsets = [{}, {}]", Quote(entry.name),
                       begin, end);
  };
  if (begin > end) Fail(source, "{}: reversed, expected begin <= end", where());
  if (end > data_size) {
    Fail(source,
         "{}: out of range, expected at most {}, the bytes of data in the "
         "file; is it truncated?",
         where(), data_size);
  }
  const auto needed = CheckedByteCount(entry.dtype, entry.shape);
  const auto shape = [&] {  // of any length in a bad file
    return Printable(fmt::format("{}", fmt::join(entry.shape, ", ")), 80);
  };
  if (!needed) {
    Fail(source,
         "tensor {}: shape [{}] of {} overflows, expected at most {} bytes",
         Quote(entry.name), shape(), Name(entry.dtype), kMaxIndex);
  }
  if (*needed != end - begin) {
    Fail(source, "{}: size {}, expected {} bytes for shape [{}] of {}", where(),
         end - begin, *needed, shape(), Name(entry.dtype));
  }
}

// Puts the entries into the order of their data, which they must cover without
// overlaps and holes. Entries of equal offsets are empty and stay as they are.
void CheckLayout(std::string_view source, Index data_size,
                 std::vector<Entry>& entries) {
  for (const Entry& entry : entries) CheckEntry(source, entry, data_size);
  std::ranges::stable_sort(entries, {}, &Entry::offsets);
  Index covered = 0;
  for (const Entry& entry : entries) {
    const Index begin = entry.offsets[0];
    if (begin != covered) {
      Fail(source, "tensor {}: data_offsets begin at {}, {}, expected {}",
           Quote(entry.name), begin,
           begin < covered ? "an overlap" : "after a hole", covered);
    }
    covered = entry.offsets[1];
  }
  if (covered != data_size) {
    Fail(source, "{} trailing bytes after the last tensor, expected none",
         data_size - covered);
  }
}

// ---------------------------------------------------------------- reading --

// Fills `out` from the bytes at `offset`, which lie inside the file.
using ReadAt = std::function<void(Index offset, std::span<std::byte> out)>;

Index ReadHeaderSize(std::string_view source, Index size, const ReadAt& read) {
  if (size < kLengthBytes) {
    Fail(source,
         "{} bytes long, expected at least {}; it is truncated or no "
         "safetensors file",
         size, kLengthBytes);
  }
  std::uint64_t length = 0;
  read(0, std::as_writable_bytes(std::span(&length, 1)));
  const Index limit = std::min(size - kLengthBytes, kMaxHeaderBytes);
  if (std::cmp_greater(length, limit)) {
    Fail(source,
         "header length = {}, expected at most {} ({}); it is truncated or no "
         "safetensors file",
         length, limit,
         limit == kMaxHeaderBytes ? "the limit of the format"
                                  : "the rest of the file");
  }
  return static_cast<Index>(length);
}

SafetensorsFile Load(std::string_view source, Index size, const ReadAt& read) {
  const Index header_size = ReadHeaderSize(source, size, read);
  std::string text(static_cast<std::size_t>(header_size), '\0');
  read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  Header header = ParseHeader(source, text);
  const Index data_start = kLengthBytes + header_size;
  CheckLayout(source, size - data_start, header.entries);

  SafetensorsFile file{.tensors = {}, .metadata = std::move(header.metadata)};
  file.tensors.reserve(header.entries.size());
  for (Entry& entry : header.entries) {
    const Index begin = entry.offsets[0];
    Tensor tensor{.dtype = entry.dtype,
                  .shape = std::move(entry.shape),
                  .bytes = std::vector<std::byte>(
                      static_cast<std::size_t>(entry.offsets[1] - begin))};
    read(data_start + begin, tensor.bytes);
    file.tensors.emplace_back(std::move(entry.name), std::move(tensor));
  }
  return file;
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int Get() const { return fd_; }
  [[nodiscard]] bool IsOpen() const { return fd_ >= 0; }
  // False, with errno, if data written earlier turn out to be lost.
  bool Close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

void ReadFully(std::string_view source, int fd, Index offset,
               std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t count = ::pread(fd, out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) FailSystem(source, "cannot read");
    if (count == 0) Fail(source, "became shorter while it was read");
    offset += count;
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

// ---------------------------------------------------------------- writing --

std::string JsonText(const nlohmann::json& value) {
  try {
    return value.dump();
  } catch (const nlohmann::json::type_error&) {
    Check(false, "names and metadata must be UTF-8");
    throw;
  }
}

void CheckWritable(const SafetensorsFile& file) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : file.tensors) {
    Check(name != kMetadataKey, "a tensor may not be called __metadata__");
    Check(names.insert(name).second, "duplicate tensor name '" + name + "'");
    CheckBytesFitShape(tensor);
  }
}

// Everything before the data, the length included.
std::string FormatHeader(const SafetensorsFile& file) {
  CheckWritable(file);
  std::vector<std::string> fields;
  if (!file.metadata.empty()) {
    fields.push_back(
        fmt::format("\"{}\":{}", kMetadataKey, JsonText(file.metadata)));
  }
  Index begin = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const Index end = begin + std::ssize(tensor.bytes);
    fields.push_back(fmt::format(
        R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
        JsonText(name), Name(tensor.dtype), fmt::join(tensor.shape, ","), begin,
        end));
    begin = end;
  }
  std::string text = fmt::format("{{{}}}", fmt::join(fields, ","));
  text.resize((text.size() + 7) / 8 * 8, ' ');
  Check(std::ssize(text) <= kMaxHeaderBytes, "header over 100 MB");
  const auto length =
      std::bit_cast<std::array<char, kLengthBytes>>(std::uint64_t{text.size()});
  return std::string(length.data(), length.size()) + text;
}

// A file beside the target, which either takes the target's place or vanishes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : source_(target.string()), target_(Resolve(target)), file_(Create()) {}
  ~TemporaryFile() {
    if (!committed_) ::unlink(path_.c_str());
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
        ::rename(path_.c_str(), target_.c_str()) != 0) {
      FailWriting();
    }
    committed_ = true;
    // The new name, too, should outlive a power cut. Some file systems cannot
    // do that; the file is whole in any case.
    const FileDescriptor folder(
        ::open(Folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.IsOpen()) ::fsync(folder.Get());
  }

 private:
  [[nodiscard]] std::filesystem::path Resolve(
      const std::filesystem::path& target) const {
    std::error_code error;
    if (!std::filesystem::is_symlink(target, error)) return target;
    auto resolved = std::filesystem::weakly_canonical(target, error);
    if (error) FailSystem(source_, "cannot follow the link", error.value());
    return resolved;
  }

  [[nodiscard]] std::filesystem::path Folder() const {
    return target_.has_parent_path() ? target_.parent_path() : ".";
  }

  // A new file with the permissions of the one it will replace, if any.
  int Create() {
    struct stat old {};
    const bool exists = ::stat(target_.c_str(), &old) == 0;
    if (exists) CheckRegular(source_, old);
    const int fd = OpenUnused();
    if (exists) ::fchmod(fd, old.st_mode & 07777U);
    return fd;
  }

  int OpenUnused() {
    static std::atomic<unsigned> counter = 0;
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      path_ = Folder() / fmt::format(".sven-{}-{}.tmp", ::getpid(), counter++);
      const int fd =
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      if (errno != EEXIST) break;
    }
    const int error = errno;
    FailSystem(source_, "cannot create a file in " + Folder().string(), error);
  }

  [[noreturn]] void FailWriting() const {
    FailSystem(source_, "cannot write, nothing was changed");
  }

  std::string source_;
  std::filesystem::path target_;
  std::filesystem::path path_;
  bool committed_ = false;
  FileDescriptor file_;  // last: Create needs the others
};

}  // namespace

// ----------------------------------------------------------------- public --

Index ByteSize(DType dtype) {
  return VisitStored(
      dtype, [](auto stored) { return static_cast<Index>(sizeof(stored)); });
}

Index Tensor::Size() const {
  const std::optional<Index> size = CheckedSize(shape);
  Check(size.has_value(), "shape of a Tensor must be >= 0 and not overflow");
  return *size;
}

template <TensorSource T>
Tensor Tensor::From(std::span<const T> values, std::vector<Index> shape) {
  constexpr DType kDType = std::is_same_v<T, double>  ? DType::kF64
                           : std::is_same_v<T, float> ? DType::kF32
                                                      : DType::kI64;
  Tensor tensor{.dtype = kDType,
                .shape = std::move(shape),
                .bytes = BytesOf(std::as_bytes(values))};
  CheckBytesFitShape(tensor);
  return tensor;
}

template Tensor Tensor::From(std::span<const double>, std::vector<Index>);
template Tensor Tensor::From(std::span<const float>, std::vector<Index>);
template Tensor Tensor::From(std::span<const std::int64_t>, std::vector<Index>);

Tensor Tensor::FromBools(std::span<const std::uint8_t> values,
                         std::vector<Index> shape) {
  Tensor tensor{.dtype = DType::kBool,
                .shape = std::move(shape),
                .bytes = BytesOf(std::as_bytes(values))};
  for (std::byte& byte : tensor.bytes) byte = std::min(byte, std::byte{1});
  CheckBytesFitShape(tensor);
  return tensor;
}

template <TensorReal T>
std::vector<T> Tensor::Values() const {
  CheckBytesFitShape(*this);
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(Size()));
  VisitStored(dtype, [&](auto stored) {
    ForEachValue<decltype(stored)>(
        *this, [&](auto value) { values.push_back(static_cast<T>(value)); });
  });
  return values;
}

template std::vector<float> Tensor::Values() const;
template std::vector<double> Tensor::Values() const;

std::vector<std::int64_t> Tensor::Integers() const {
  CheckBytesFitShape(*this);
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(Size()));
  const auto append = [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      if (std::in_range<std::int64_t>(value)) {
        values.push_back(static_cast<std::int64_t>(value));
        return;
      }
    }
    throw DataError(
        fmt::format("{} value {}: does not fit a signed 64-bit "
                    "integer",
                    Name(dtype), value));
  };
  VisitStored(dtype, [&](auto stored) {
    using Wide = decltype(Widen(stored));
    if constexpr (std::is_floating_point_v<Wide>) {
      throw DataError(fmt::format("dtype {}: expected an integer type or BOOL",
                                  Name(dtype)));
    } else {
      ForEachValue<decltype(stored)>(*this, append);
    }
  });
  return values;
}

const Tensor* SafetensorsFile::Find(std::string_view name) const {
  const auto found =
      std::ranges::find(tensors, name, &std::pair<std::string, Tensor>::first);
  return found == tensors.end() ? nullptr : &found->second;
}

SafetensorsFile ParseSafetensors(std::span<const std::byte> bytes,
                                 std::string_view source) {
  return Load(source, std::ssize(bytes),
              [bytes](Index offset, std::span<std::byte> out) {
                const auto from =
                    bytes.subspan(static_cast<std::size_t>(offset), out.size());
                std::ranges::copy(from, out.begin());
              });
}

SafetensorsFile ReadSafetensors(const std::filesystem::path& path) {
  const std::string source = path.string();
  // Not to hang at a pipe: O_NONBLOCK, which regular files ignore.
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.IsOpen()) FailSystem(source, "cannot open");
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0) FailSystem(source, "cannot read");
  CheckRegular(source, status);
  return Load(source, status.st_size,
              [&](Index offset, std::span<std::byte> out) {
                ReadFully(source, file.Get(), offset, out);
              });
}

std::vector<std::byte> FormatSafetensors(const SafetensorsFile& file) {
  const std::string header = FormatHeader(file);
  std::vector<std::byte> bytes = BytesOf(std::as_bytes(std::span(header)));
  for (const auto& [name, tensor] : file.tensors) {
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return bytes;
}

void WriteSafetensors(const std::filesystem::path& path,
                      const SafetensorsFile& file) {
  const std::string header = FormatHeader(file);
  TemporaryFile out(path);
  out.Write(std::as_bytes(std::span(header)));
  for (const auto& [name, tensor] : file.tensors) out.Write(tensor.bytes);
  out.Commit();
}

}  // namespace sven::data
