// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_IDX_HEADER_H_
#define SVEN_SRC_DATA_IDX_HEADER_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "byte_source.h"
#include "stored_array.h"

namespace sven::data {

// The type that the first four bytes of an IDX file name; nothing if they are
// not those of one.
std::optional<DType> IdxType(std::span<const std::byte, 4> start);

// Reads the header; the stream goes on with the values.
StoredArray OpenIdx(UniqueStream file);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_IDX_HEADER_H_
