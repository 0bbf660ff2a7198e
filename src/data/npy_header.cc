// SPDX-License-Identifier: MIT
#include "npy_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>

#include "fail.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

// A header of NumPy's has some hundred bytes.
constexpr std::uint32_t kMaxNpyHeaderBytes = 1'000'000;

struct NpyType {
  std::string_view name;
  DType dtype;
};
constexpr std::array<NpyType, 12> kNpyTypes = {{{"f8", DType::kF64},
                                                {"f4", DType::kF32},
                                                {"f2", DType::kF16},
                                                {"i8", DType::kI64},
                                                {"i4", DType::kI32},
                                                {"i2", DType::kI16},
                                                {"i1", DType::kI8},
                                                {"u8", DType::kU64},
                                                {"u4", DType::kU32},
                                                {"u2", DType::kU16},
                                                {"u1", DType::kU8},
                                                {"b1", DType::kBool}}};

// Takes the dictionary apart. Its grammar is that part of Python's which
// NumPy's writer uses, with blanks and the order of keys free.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view source, std::string_view text)
      : source_(source), text_(text) {}

  ArrayLayout Read() {
    Expect('{');
    while (!Take('}')) {
      ReadEntry();
      if (!Take(',')) {
        Expect('}');
        break;
      }
    }
    SkipBlanks();
    if (at_ != text_.size()) Refuse("the end of the header");
    if (!has_type_) RefuseMissing("descr");
    if (!has_order_) RefuseMissing("fortran_order");
    if (!has_shape_) RefuseMissing("shape");
    return std::move(layout_);
  }

 private:
  void ReadEntry() {
    const std::string_view key = ReadString("a key in quotes");
    Expect(':');
    if (key == "descr") {
      ReadOnce(key, has_type_);
      ReadType();
    } else if (key == "fortran_order") {
      ReadOnce(key, has_order_);
      layout_.first_axis_fastest = ReadBool();
    } else if (key == "shape") {
      ReadOnce(key, has_shape_);
      ReadShape();
    } else {
      Fail(source_,
           "header: unknown key {}, expected descr, fortran_order "
           "or shape",
           Quote(key));
    }
  }

  void ReadOnce(std::string_view key, bool& seen) const {
    if (seen) Fail(source_, "header: {} stands twice, expected once", key);
    seen = true;
  }

  [[noreturn]] void RefuseMissing(std::string_view key) const {
    Fail(source_, "header: {} missing, expected descr, fortran_order and shape",
         key);
  }

  void ReadType() {
    const std::string_view text = ReadString(
        "a type in quotes (a structured type cannot be read as numbers)");
    const auto found =
        text.empty()
            ? kNpyTypes.end()
            : std::ranges::find(kNpyTypes, text.substr(1), &NpyType::name);
    const bool known = found != kNpyTypes.end();
    // The byte order may only be left open where there is none.
    const bool ordered =
        known && (text.front() == '<' || text.front() == '>' ||
                  (text.front() == '|' && ByteSize(found->dtype) == 1));
    if (!ordered) {
      Fail(source_,
           "header: descr = {}, expected '<' or '>' (or '|' for one byte) and "
           "one of f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1",
           Quote(text));
    }
    layout_.dtype = found->dtype;
    layout_.big_endian = text.front() == '>';
  }

  bool ReadBool() {
    SkipBlanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    Refuse("True or False");
  }

  // (), (3,), (3, 4); a comma may follow the last extent and must follow the
  // only one.
  void ReadShape() {
    Expect('(');
    bool comma = true;
    while (!Take(')')) {
      if (!comma) Refuse("',' or ')'");
      layout_.shape.push_back(ReadExtent());
      comma = Take(',');
      if (layout_.shape.size() == 1 && !comma) Refuse("','");
    }
  }

  Index ReadExtent() {
    SkipBlanks();
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    Index extent = 0;
    const auto [stop, status] = std::from_chars(begin, end, extent);
    if (status != std::errc{} || *begin == '-') {
      Refuse("a whole number from 0 to 2^63 - 1");
    }
    at_ += static_cast<std::size_t>(stop - begin);
    // The long integers of Python 2.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return extent;
  }

  std::string_view ReadString(std::string_view expected) {
    SkipBlanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') Refuse(expected);
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) Refuse("a closing quote");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  void SkipBlanks() {
    at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
  }

  bool Take(char c) {
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void Expect(char c) {
    if (!Take(c)) Refuse(fmt::format("'{}'", c));
  }

  [[noreturn]] void Refuse(std::string_view expected) const {
    const std::string_view rest = text_.substr(at_);
    constexpr std::size_t kShown = 20;
    Fail(
        source_, "header: found {} at its byte {}, expected {}",
        rest.empty() ? "the end" : fmt::format("'{}'", Printable(rest, kShown)),
        at_, expected);
  }

  std::string_view source_;
  std::string_view text_;
  std::size_t at_ = 0;
  ArrayLayout layout_;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::uint32_t ReadHeaderSize(ByteStream& file) {
  std::array<std::byte, kNpyMagic.size() + 2> start = {};
  const std::size_t count = file.Read(start);
  const std::string_view text(reinterpret_cast<const char*>(start.data()),
                              count);
  if (!text.starts_with(kNpyMagic)) {
    Fail(file.Name(), "does not begin with 0x93 'NUMPY', expected an NPY file");
  }
  if (count < start.size()) {
    Fail(file.Name(), "ends after {} bytes, expected the version", count);
  }
  const auto major = static_cast<int>(start[kNpyMagic.size()]);
  const auto minor = static_cast<int>(start[kNpyMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    Fail(file.Name(), "NPY version {}.{}, expected 1.0, 2.0 or 3.0", major,
         minor);
  }
  std::uint32_t size = 0;
  const std::size_t size_bytes = major == 1 ? 2 : 4;
  ReadExactly(file,
              std::as_writable_bytes(std::span(&size, 1)).first(size_bytes),
              "the length of the header");
  return size;
}

}  // namespace

StoredArray OpenNpy(UniqueStream file) {
  const std::uint32_t size = ReadHeaderSize(*file);
  const Index limit = std::min<Index>(file->MaxRemaining(), kMaxNpyHeaderBytes);
  if (Index{size} > limit) {
    Fail(file->Name(), "header length = {}, expected at most {} ({})", size,
         limit,
         limit == kMaxNpyHeaderBytes ? "our limit" : "the rest of the file");
  }
  std::string text(size, '\0');
  ReadExactly(*file, std::as_writable_bytes(std::span(text)), "the header");
  ArrayLayout layout = DictionaryReader(file->Name(), text).Read();
  return {std::move(layout), std::move(file)};
}

std::string FormatNpyHeader(DType dtype, std::span<const Index> shape) {
  const auto type = std::ranges::find(kNpyTypes, dtype, &NpyType::dtype);
  Check(type != kNpyTypes.end(), "NPY has no BF16");
  std::string dictionary = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
      ByteSize(dtype) == 1 ? '|' : '<', type->name, fmt::join(shape, ", "),
      shape.size() == 1 ? "," : "");
  // The magic, the version, the length of two bytes, and the closing newline.
  constexpr std::size_t kAlignment = 64;
  const std::size_t start = kNpyMagic.size() + 4;
  const std::size_t used = start + dictionary.size() + 1;
  const std::size_t total = (used + kAlignment - 1) / kAlignment * kAlignment;
  dictionary.append(total - used, ' ').push_back('\n');
  Check(dictionary.size() <= 0xffff, "header over 64 KiB");
  const auto size = std::bit_cast<std::array<char, 2>>(
      static_cast<std::uint16_t>(dictionary.size()));
  return std::string(kNpyMagic) + std::string("\x01\x00", 2) +
         std::string(size.data(), size.size()) + dictionary;
}

}  // namespace sven::data
