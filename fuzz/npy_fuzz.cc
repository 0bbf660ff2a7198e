// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/npy.h"

namespace data = sven::data;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const data::Tensor tensor = data::ParseNpy(input, sven::fuzz::kSource);
    const auto written = data::FormatNpy(tensor);
    const auto again = sven::fuzz::ReadBack(
        [&] { return data::ParseNpy(written, sven::fuzz::kSource); });
    sven::Check(again == tensor, "what is written is read back");
  });
}
