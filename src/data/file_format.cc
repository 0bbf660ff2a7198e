// SPDX-License-Identifier: MIT
#include "file_format.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "idx_header.h"
#include "npy_header.h"

namespace sven::data {
namespace {

constexpr std::array<std::pair<std::string_view, FileFormat>, 8> kExtensions = {
    {{".csv", FileFormat::kText},
     {".tsv", FileFormat::kText},
     {".txt", FileFormat::kText},
     {".dat", FileFormat::kText},
     {".data", FileFormat::kText},
     {".npy", FileFormat::kNpy},
     {".npz", FileFormat::kNpz},
     {".safetensors", FileFormat::kSafetensors}}};

std::optional<FileFormat> ByName(std::filesystem::path path) {
  if (path.extension() == ".gz") path.replace_extension();
  for (const auto& [extension, format] : kExtensions) {
    if (path.extension() == extension) return format;
  }
  return std::nullopt;
}

// A length that fits the file, and then the brace that opens the header.
bool IsSafetensors(std::string_view start, Index size) {
  constexpr std::size_t kLengthBytes = 8;
  if (start.size() <= kLengthBytes || start[kLengthBytes] != '{') return false;
  std::uint64_t length = 0;
  std::memcpy(&length, start.data(), kLengthBytes);
  return std::cmp_less_equal(length, size);
}

FileFormat ByContent(const SharedSource& source) {
  std::array<std::byte, 9> bytes = {};
  const std::size_t count = StreamContents(source)->Read(bytes);
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               count);
  if (start.starts_with(kNpyMagic)) return FileFormat::kNpy;
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) {
    return FileFormat::kNpz;
  }
  if (IsSafetensors(start, source->Size())) return FileFormat::kSafetensors;
  if (count >= 4 && IdxType(std::span(bytes).first<4>())) {
    return FileFormat::kIdx;
  }
  return FileFormat::kText;
}

}  // namespace

FileFormat DetectFormat(const std::filesystem::path& path,
                        const SharedSource& source) {
  const std::optional<FileFormat> format = ByName(path);
  return format ? *format : ByContent(source);
}

}  // namespace sven::data
