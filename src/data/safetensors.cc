// SPDX-License-Identifier: MIT
#include "sven/data/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "array_archive.h"
#include "safetensors_header.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

constexpr Index kLengthBytes = 8;
// The limit of the reference implementation.
constexpr Index kMaxJsonBytes = 100'000'000;

Index ReadHeaderSize(const ByteSource& source) {
  const Index size = source.Size();
  if (size < kLengthBytes) {
    throw DataError(fmt::format(
        "{}: {} bytes long, expected at least {}; it is truncated or no "
        "safetensors file",
        source.Name(), size, kLengthBytes));
  }
  std::uint64_t length = 0;
  source.ReadAt(0, std::as_writable_bytes(std::span(&length, 1)));
  const Index limit = std::min(size - kLengthBytes, kMaxJsonBytes);
  if (std::cmp_greater(length, limit)) {
    throw DataError(fmt::format(
        "{}: header length = {}, expected at most {} ({}); it is truncated or "
        "no safetensors file",
        source.Name(), length, limit,
        limit == kMaxJsonBytes ? "the limit of the format"
                               : "the rest of the file"));
  }
  return static_cast<Index>(length);
}

SafetensorsFile Load(const ByteSource& source) {
  SafetensorsHeader header = ReadHeader(source);
  SafetensorsFile file{.tensors = {}, .metadata = std::move(header.metadata)};
  file.tensors.reserve(header.entries.size());
  for (HeaderEntry& entry : header.entries) {
    const Index begin = entry.offsets[0];
    Tensor tensor{.dtype = entry.dtype,
                  .shape = std::move(entry.shape),
                  .bytes = std::vector<std::byte>(
                      static_cast<std::size_t>(entry.offsets[1] - begin))};
    source.ReadAt(header.data_start + begin, tensor.bytes);
    file.tensors.emplace_back(std::move(entry.name), std::move(tensor));
  }
  return file;
}

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
    Check(std::ssize(tensor.bytes) == ByteCount(tensor.dtype, tensor.shape),
          "bytes of tensor '" + name + "' must fit its shape and dtype");
  }
}

std::string FormatJson(const SafetensorsFile& file) {
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
  return fmt::format("{{{}}}", fmt::join(fields, ","));
}

// Everything before the data, the length included.
std::string FormatHeader(const SafetensorsFile& file) {
  CheckWritable(file);
  std::string json = FormatJson(file);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  Check(std::ssize(json) <= kMaxJsonBytes, "header over 100 MB");
  const auto length =
      std::bit_cast<std::array<char, kLengthBytes>>(std::uint64_t{json.size()});
  return std::string(length.data(), length.size()) + json;
}

// The file as it will be, without a copy of the tensors.
std::vector<std::span<const std::byte>> Pieces(std::string_view header,
                                               const SafetensorsFile& file) {
  std::vector pieces = {std::as_bytes(std::span(header))};
  for (const auto& [name, tensor] : file.tensors) {
    pieces.emplace_back(tensor.bytes);
  }
  return pieces;
}

}  // namespace

SafetensorsHeader ReadHeader(const ByteSource& source) {
  const Index header_size = ReadHeaderSize(source);
  const Index data_start = kLengthBytes + header_size;
  std::string text(static_cast<std::size_t>(header_size), '\0');
  source.ReadAt(kLengthBytes, std::as_writable_bytes(std::span(text)));
  SafetensorsHeader header =
      ParseHeader(source.Name(), text, source.Size() - data_start);
  header.data_start = data_start;
  return header;
}

ArrayArchive OpenSafetensors(const SharedSource& source) {
  ArrayArchive archive{.name = source->Name(), .arrays = {}};
  const SafetensorsHeader header = ReadHeader(*source);
  for (const HeaderEntry& entry : header.entries) {
    archive.arrays.emplace_back(
        entry.name, [source, entry, start = header.data_start] {
          const Index begin = entry.offsets[0];
          return StoredArray(
              {.dtype = entry.dtype, .shape = entry.shape},
              StreamRange(source, start + begin, entry.offsets[1] - begin,
                          source->Name() + ": tensor " + Quote(entry.name)));
        });
  }
  return archive;
}

const Tensor* SafetensorsFile::Find(std::string_view name) const {
  const auto found =
      std::ranges::find(tensors, name, &std::pair<std::string, Tensor>::first);
  return found == tensors.end() ? nullptr : &found->second;
}

SafetensorsFile ParseSafetensors(std::span<const std::byte> bytes,
                                 std::string_view source) {
  return Load(*OpenMemory(bytes, source));
}

SafetensorsFile ReadSafetensors(const std::filesystem::path& path) {
  return Load(*OpenFile(path));
}

std::vector<std::byte> FormatSafetensors(const SafetensorsFile& file) {
  const std::string header = FormatHeader(file);
  std::vector<std::byte> bytes;
  for (const std::span<const std::byte> piece : Pieces(header, file)) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

void WriteSafetensors(const std::filesystem::path& path,
                      const SafetensorsFile& file) {
  const std::string header = FormatHeader(file);
  WriteFileAtomically(path, Pieces(header, file));
}

}  // namespace sven::data
