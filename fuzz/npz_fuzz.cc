// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/npz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    sven::data::ParseNpz(input, sven::fuzz::kSource);
  });
}
