// SPDX-License-Identifier: MIT
#include "sven/data/idx.h"

#include <array>
#include <cstdint>
#include <utility>

#include "fail.h"
#include "idx_header.h"

namespace sven::data {
namespace {

constexpr std::array<std::pair<std::uint8_t, DType>, 6> kIdxTypes = {
    {{0x08, DType::kU8},
     {0x09, DType::kI8},
     {0x0b, DType::kI16},
     {0x0c, DType::kI32},
     {0x0d, DType::kF32},
     {0x0e, DType::kF64}}};

}  // namespace

std::optional<DType> IdxType(std::span<const std::byte, 4> start) {
  if (start[0] != std::byte{0} || start[1] != std::byte{0}) return std::nullopt;
  for (const auto& [code, dtype] : kIdxTypes) {
    if (start[2] == std::byte{code}) return dtype;
  }
  return std::nullopt;
}

StoredArray OpenIdx(UniqueStream file) {
  std::array<std::byte, 4> start = {};
  ReadExactly(*file, start, "the magic number");
  const std::optional<DType> dtype = IdxType(start);
  if (!dtype) {
    Fail(file->Name(),
         "begins with 0x{:02x}{:02x}{:02x}{:02x}, expected 0x0000 and the type "
         "08, 09, 0b, 0c, 0d or 0e of an IDX file",
         start[0], start[1], start[2], start[3]);
  }
  ArrayLayout layout{.dtype = *dtype, .big_endian = true};
  for (auto rank = static_cast<int>(start[3]); rank > 0; --rank) {
    std::array<std::byte, 4> extent = {};
    ReadExactly(*file, extent, "an extent");
    layout.shape.push_back(
        internal::LoadValue<std::uint32_t>(extent.data(), /*big_endian=*/true));
  }
  return {std::move(layout), std::move(file)};
}

Tensor ParseIdx(std::span<const std::byte> bytes, std::string_view source) {
  return OpenIdx(StreamContents(OpenMemory(bytes, source))).ReadTensor();
}

Tensor ReadIdx(const std::filesystem::path& path) {
  return OpenIdx(StreamContents(OpenFile(path))).ReadTensor();
}

}  // namespace sven::data
