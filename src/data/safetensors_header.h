// SPDX-License-Identifier: MIT
//
// The JSON header of a safetensors file, which is not to be trusted.
#ifndef SVEN_SRC_DATA_SAFETENSORS_HEADER_H_
#define SVEN_SRC_DATA_SAFETENSORS_HEADER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.h"
#include "sven/base/types.h"
#include "sven/data/tensor.h"

namespace sven::data {

inline constexpr std::string_view kMetadataKey = "__metadata__";

struct HeaderEntry {
  std::string name;
  DType dtype = DType::kF64;
  std::vector<Index> shape = {};
  std::vector<Index> offsets = {};  // begin and end, from the start of the data
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> metadata;
  Index data_start = 0;  // where the values begin in the file
};

// Reads and checks everything but the values.
SafetensorsHeader ReadHeader(const ByteSource& source);

// The entries come in the order of their data. They have been checked: each has
// the bytes that its shape needs, and together they cover `data_size` bytes
// without overlaps and holes. DataError, opening with `source`, otherwise.
SafetensorsHeader ParseHeader(std::string_view source, std::string_view text,
                              Index data_size);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_SAFETENSORS_HEADER_H_
