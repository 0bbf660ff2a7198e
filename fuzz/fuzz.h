// SPDX-License-Identifier: MIT
//
// Fuzz targets: whatever the bytes are, a reader returns or throws a DataError,
// or a UsageError if it reads settings. Anything else, be it another exception,
// a crash, a report of a sanitizer or memory without end, is a finding, and so
// is what was written but cannot be read back. scripts/fuzz.sh runs them.
#ifndef SVEN_FUZZ_FUZZ_H_
#define SVEN_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "sven/base/error.h"

namespace sven::fuzz {

inline constexpr const char* kSource = "fuzz";

template <class Refusal = DataError, class Read>
int Run(const std::uint8_t* bytes, std::size_t size, Read read) {
  try {
    read(std::as_bytes(std::span(bytes, size)));
  } catch (const Refusal&) {
  }
  return 0;
}

// What `read` returns, which must not refuse what we have written.
template <class Read>
auto ReadBack(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw std::logic_error(error.what());
  }
}

inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sven::fuzz

// The name that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size);

#endif  // SVEN_FUZZ_FUZZ_H_
