// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/safetensors.h"

namespace data = sven::data;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const auto file = data::ParseSafetensors(input, sven::fuzz::kSource);
    const auto written = data::FormatSafetensors(file);
    const auto again = sven::fuzz::ReadBack(
        [&] { return data::ParseSafetensors(written, sven::fuzz::kSource); });
    sven::Check(again == file, "what is written is read back");
  });
}
