// SPDX-License-Identifier: MIT
//
// Zip archives (PKWARE's APPNOTE 6.3), as far as NPZ files need them: stored
// and deflated members, zip64. The directory at the end of the archive is what
// counts, and everything in it is checked before a member is opened.
#ifndef SVEN_SRC_DATA_ZIP_H_
#define SVEN_SRC_DATA_ZIP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "byte_source.h"

namespace sven::data {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  Index compressed_size = 0;
  Index size = 0;
  Index header_offset = 0;  // of its local header
  Index data_offset = 0;    // of its bytes
};

// DataError if it is no archive that we can read.
std::vector<ZipMember> ReadZipDirectory(const ByteSource& source);

// The contents. DataError at their end, at the latest, if size or CRC-32 are
// not those of the directory. `name` is for messages.
UniqueStream OpenZipMember(const SharedSource& source, const ZipMember& member,
                           const std::string& name);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_ZIP_H_
