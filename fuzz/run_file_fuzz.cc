// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/train/records.h"

namespace train = sven::train;

// NaN is not equal to itself, so texts are compared, of which the first may say
// less than the input, but the second must say the same.
int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const std::string written = train::FormatRunFile(
        train::ParseRunFile(sven::fuzz::AsText(input), sven::fuzz::kSource));
    const train::RunFile again = sven::fuzz::ReadBack(
        [&] { return train::ParseRunFile(written, sven::fuzz::kSource); });
    sven::Check(train::FormatRunFile(again) == written,
                "what is written is read back");
  });
}
