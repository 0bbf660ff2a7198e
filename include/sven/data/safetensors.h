// SPDX-License-Identifier: MIT
//
// Named tensors in files of the safetensors format, which Python, Rust and
// most model hubs read and write too. A file is
//
//   8 bytes       n, the length of the header, unsigned little-endian
//   n bytes       JSON: {"__metadata__": {"key": "text", ...},
//                        "name": {"dtype": "F32", "shape": [2, 3],
//                                 "data_offsets": [0, 24]}, ...}
//   the rest      the values, little-endian, last axis fastest
//
// where data_offsets count from the end of the header. The format was made so
// that a file can do no harm, and the reader keeps to that: the whole header is
// checked against the size of the file before memory for a single tensor is
// taken, and whatever departs from the format is a DataError
//
//   weights.safetensors: tensor 'a': data_offsets = [0, 32]: out of range, ...
//
// opening with the file, then the place, the value found and what was expected.
// The reader is stricter than the reference in one point: an unknown field of
// a tensor is refused, since it might change the meaning of the bytes.
#ifndef SVEN_DATA_SAFETENSORS_H_
#define SVEN_DATA_SAFETENSORS_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/data/tensor.h"

namespace sven::data {

struct SafetensorsFile {
  // In the order of the data, which is the order in which they were written.
  // (A file's JSON object has no order, and a map would lose that of layers.)
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, std::string> metadata;

  // Null if there is no tensor of that name.
  [[nodiscard]] const Tensor* Find(std::string_view name) const;

  bool operator==(const SafetensorsFile&) const = default;
};

// `source` names the bytes in error messages.
SafetensorsFile ParseSafetensors(std::span<const std::byte> bytes,
                                 std::string_view source);

// Each tensor is read straight into its own memory; nothing else of the size
// of the file is ever held.
SafetensorsFile ReadSafetensors(const std::filesystem::path& path);

// The bytes of the file. Names must be unique, names and metadata UTF-8, and
// the bytes of each tensor must fit its shape: std::logic_error otherwise. The
// header is padded with spaces so that the data start at a multiple of 8.
std::vector<std::byte> FormatSafetensors(const SafetensorsFile& file);

// All or nothing, as WriteFileAtomically in sven/base/atomic_file.h does it:
// a checkpoint may be overwritten in place.
void WriteSafetensors(const std::filesystem::path& path,
                      const SafetensorsFile& file);

}  // namespace sven::data

#endif  // SVEN_DATA_SAFETENSORS_H_
