// SPDX-License-Identifier: MIT
//
// Named arrays in NumPy's NPZ files (numpy.savez, numpy.savez_compressed): a
// zip archive with a member `name.npy` for every array, see npy.h.
//
// Members may be stored or deflated, sizes may need zip64, and the CRC-32 of a
// member is compared. Refused with a DataError: encryption, archives in several
// parts, other methods of compression, two members of one name, members that
// overlap. Members that are not called *.npy are passed over.
#ifndef SVEN_DATA_NPZ_H_
#define SVEN_DATA_NPZ_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/data/tensor.h"

namespace sven::data {

struct NpzFile {
  // In the order of the archive.
  std::vector<std::pair<std::string, Tensor>> arrays;

  // Null if there is no array of that name.
  [[nodiscard]] const Tensor* Find(std::string_view name) const;
};

// `source` names the bytes in error messages.
NpzFile ParseNpz(std::span<const std::byte> bytes, std::string_view source);
NpzFile ReadNpz(const std::filesystem::path& path);

}  // namespace sven::data

#endif  // SVEN_DATA_NPZ_H_
