// SPDX-License-Identifier: MIT
//
// Fuzz targets: whatever the bytes are, a reader returns or throws a DataError.
// Anything else, be it another exception, a crash, a report of a sanitizer or
// memory without end, is a finding. scripts/fuzz.sh runs them.
#ifndef SVEN_FUZZ_FUZZ_H_
#define SVEN_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "sven/base/error.h"

namespace sven::fuzz {

inline constexpr const char* kSource = "fuzz";

template <class Read>
int Run(const std::uint8_t* bytes, std::size_t size, Read read) {
  try {
    read(std::as_bytes(std::span(bytes, size)));
  } catch (const DataError&) {
  }
  return 0;
}

}  // namespace sven::fuzz

// The name that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size);

#endif  // SVEN_FUZZ_FUZZ_H_
