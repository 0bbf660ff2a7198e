// SPDX-License-Identifier: MIT
//
// Arrays in IDX files, the format of MNIST and its relatives. A file, which may
// be compressed by gzip whatever its name, is
//
//   2 bytes       zero
//   1 byte        type: 0x08 U8, 0x09 I8, 0x0b I16, 0x0c I32, 0x0d F32, 0x0e F64
//   1 byte        rank
//   4 bytes each  the extents, unsigned
//   the rest      the values, last axis fastest
//
// with all numbers big-endian. Whatever departs from it is a DataError that
// opens with the file.
#ifndef SVEN_DATA_IDX_H_
#define SVEN_DATA_IDX_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "sven/data/tensor.h"

namespace sven::data {

// `source` names the bytes in error messages.
Tensor ParseIdx(std::span<const std::byte> bytes, std::string_view source);
Tensor ReadIdx(const std::filesystem::path& path);

}  // namespace sven::data

#endif  // SVEN_DATA_IDX_H_
