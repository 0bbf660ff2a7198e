// SPDX-License-Identifier: MIT
#include "sven/data/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "safetensors_header.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"

namespace sven::data {
namespace {

constexpr Index kLengthBytes = 8;
// The limit of the reference implementation.
constexpr Index kMaxHeaderBytes = 100'000'000;

// Fills `out` from the bytes at `offset`, which lie inside the file.
using ReadAt = std::function<void(Index offset, std::span<std::byte> out)>;

Index ReadHeaderSize(std::string_view source, Index size, const ReadAt& read) {
  if (size < kLengthBytes) {
    throw DataError(fmt::format(
        "{}: {} bytes long, expected at least {}; it is truncated or no "
        "safetensors file",
        source, size, kLengthBytes));
  }
  std::uint64_t length = 0;
  read(0, std::as_writable_bytes(std::span(&length, 1)));
  const Index limit = std::min(size - kLengthBytes, kMaxHeaderBytes);
  if (std::cmp_greater(length, limit)) {
    throw DataError(fmt::format(
        "{}: header length = {}, expected at most {} ({}); it is truncated or "
        "no safetensors file",
        source, length, limit,
        limit == kMaxHeaderBytes ? "the limit of the format"
                                 : "the rest of the file"));
  }
  return static_cast<Index>(length);
}

SafetensorsFile Load(std::string_view source, Index size, const ReadAt& read) {
  const Index header_size = ReadHeaderSize(source, size, read);
  const Index data_start = kLengthBytes + header_size;
  std::string text(static_cast<std::size_t>(header_size), '\0');
  read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  SafetensorsHeader header = ParseHeader(source, text, size - data_start);

  SafetensorsFile file{.tensors = {}, .metadata = std::move(header.metadata)};
  file.tensors.reserve(header.entries.size());
  for (HeaderEntry& entry : header.entries) {
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
  Check(std::ssize(json) <= kMaxHeaderBytes, "header over 100 MB");
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
  CheckRegularFile(path);
  // The size is that of the opened file; by now the path may name another.
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) ThrowFileError(path, "cannot open", errno);
  const Index size = in.tellg();
  return Load(path.string(), size, [&](Index offset, std::span<std::byte> out) {
    in.seekg(offset);
    in.read(reinterpret_cast<char*>(out.data()), std::ssize(out));
    if (in.eof()) {
      throw DataError(path.string() + ": became shorter while it was read");
    }
    if (!in) ThrowFileError(path, "cannot read", errno);
  });
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
