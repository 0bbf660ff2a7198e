// SPDX-License-Identifier: MIT
//
// The header of an NPY file, which is not to be trusted.
#ifndef SVEN_SRC_DATA_NPY_HEADER_H_
#define SVEN_SRC_DATA_NPY_HEADER_H_

#include <span>
#include <string>
#include <string_view>

#include "byte_source.h"
#include "stored_array.h"

namespace sven::data {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads the header; the stream goes on with the values.
StoredArray OpenNpy(UniqueStream file);

// Everything before the values. They start at a multiple of 64 bytes, as
// NumPy has it.
std::string FormatNpyHeader(DType dtype, std::span<const Index> shape);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_NPY_HEADER_H_
