// SPDX-License-Identifier: MIT
//
// Named arrays of one file, each of which is opened on its own.
#ifndef SVEN_SRC_DATA_ARRAY_ARCHIVE_H_
#define SVEN_SRC_DATA_ARRAY_ARCHIVE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "byte_source.h"
#include "stored_array.h"

namespace sven::data {

struct ArrayArchive {
  std::string name;  // of the file
  // In the order of the file. Opening keeps the file open, and reads a header.
  std::vector<std::pair<std::string, std::function<StoredArray()>>> arrays;
};

ArrayArchive OpenNpz(const SharedSource& source);
ArrayArchive OpenSafetensors(const SharedSource& source);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_ARRAY_ARCHIVE_H_
