// SPDX-License-Identifier: MIT
#include "safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "fail.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

constexpr Index kMaxIndex = std::numeric_limits<Index>::max();

// Takes the header as a stream of events and accepts exactly its grammar. No
// tree is built, and the parser keeps no recursion: JSON nested more deeply
// than the grammar is refused at its first bracket too many. Method names and
// signatures are those of nlohmann::json_sax; `false` would end the parsing,
// but all errors are exceptions here.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string_view source) : source_(source) {}

  SafetensorsHeader Take() { return std::move(header_); }

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
    if (place_ != Place::kArray || !std::in_range<Index>(value)) {
      Refuse(std::to_string(value));
    }
    HeaderEntry& entry = header_.entries.back();
    (key_ == "shape" ? entry.shape : entry.offsets)
        .push_back(static_cast<Index>(value));
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
    } else if (place_ != Place::kHeader) {
      Refuse("an object");
    } else if (name_ == kMetadataKey) {
      place_ = Place::kMetadata;
    } else {
      place_ = Place::kTensor;
      header_.entries.push_back({.name = name_});
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
    if (place_ != Place::kTensor || key_ == "dtype") Refuse("an array");
    place_ = Place::kArray;
    return true;
  }

  bool end_array() override {
    const std::size_t count = header_.entries.back().offsets.size();
    if (key_ == "data_offsets" && count != 2) {
      Fail(source_, "{}: found {} numbers, expected two, [begin, end]", Where(),
           count);
    }
    place_ = Place::kTensor;
    return true;
  }

  bool key(std::string& value) override {
    const bool is_name = place_ == Place::kHeader;
    const bool is_new = (is_name ? names_ : keys_).insert(value).second;
    (is_name ? name_ : key_) = std::move(value);
    if (!is_new) Fail(source_, "{}: duplicate key, expected one", Where());
    if (place_ == Place::kTensor && std::ranges::count(kFields, key_) == 0) {
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
  // kArray is a shape or data_offsets, as key_ says.
  enum class Place { kStart, kHeader, kMetadata, kTensor, kArray };

  static constexpr std::array<std::string_view, 3> kFields = {"dtype", "shape",
                                                              "data_offsets"};

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
    if (place_ == Place::kStart) return "header";
    if (place_ == Place::kMetadata) {
      return fmt::format("{} {}", kMetadataKey, Quote(key_));
    }
    if (name_ == kMetadataKey) return name_;
    std::string tensor = "tensor " + Quote(name_);
    if (place_ == Place::kHeader) return tensor;
    return fmt::format("{}: {}", tensor, Printable(key_, 40));
  }

  [[nodiscard]] std::string Expected() const {
    if (place_ == Place::kMetadata) return "a string";
    if (place_ == Place::kArray) {
      return fmt::format("a whole number from 0 to {}", kMaxIndex);
    }
    if (place_ != Place::kTensor) return "an object";
    return key_ == "dtype" ? AllNames<DType>() : "an array";
  }

  std::string_view source_;
  SafetensorsHeader header_;
  Place place_ = Place::kStart;
  std::string name_;                          // the last key of the header
  std::string key_;                           // the last key one level below
  std::set<std::string, std::less<>> names_;  // all keys of the header
  std::set<std::string, std::less<>> keys_;   // all keys of this entry
};

SafetensorsHeader ParseJson(std::string_view source, std::string_view text) {
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

void CheckEntry(std::string_view source, const HeaderEntry& entry,
                Index data_size) {
  const Index begin = entry.offsets[0];
  const Index end = entry.offsets[1];
  const std::string tensor = "tensor " + Quote(entry.name);
  const std::string offsets =
      fmt::format("{}: data_offsets = [{}, {}]", tensor, begin, end);
  if (begin > end) Fail(source, "{}: reversed, expected begin <= end", offsets);
  if (end > data_size) {
    Fail(source,
         "{}: out of range, expected at most {}, the bytes of data in the "
         "file; is it truncated?",
         offsets, data_size);
  }
  const std::string shape = fmt::format(
      "shape [{}] of {}",
      Printable(fmt::format("{}", fmt::join(entry.shape, ", ")), 80),
      Name(entry.dtype));
  const std::optional<Index> needed = ByteCount(entry.dtype, entry.shape);
  if (!needed) {
    Fail(source, "{}: {} overflows, expected at most {} bytes", tensor, shape,
         kMaxIndex);
  }
  if (*needed != end - begin) {
    Fail(source, "{}: size {}, expected {} bytes for {}", offsets, end - begin,
         *needed, shape);
  }
}

void CheckCover(std::string_view source,
                std::span<const HeaderEntry> in_order_of_data,
                Index data_size) {
  Index covered = 0;
  for (const HeaderEntry& entry : in_order_of_data) {
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

}  // namespace

SafetensorsHeader ParseHeader(std::string_view source, std::string_view text,
                              Index data_size) {
  SafetensorsHeader header = ParseJson(source, text);
  for (const HeaderEntry& entry : header.entries) {
    CheckEntry(source, entry, data_size);
  }
  // Stable: tensors of equal offsets are empty and stay as they are.
  std::ranges::stable_sort(header.entries, {}, &HeaderEntry::offsets);
  CheckCover(source, header.entries, data_size);
  return header;
}

}  // namespace sven::data
