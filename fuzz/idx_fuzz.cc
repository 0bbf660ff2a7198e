// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/idx.h"

namespace data = sven::data;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const data::Tensor tensor = data::ParseIdx(input, sven::fuzz::kSource);
    sven::Check(std::ssize(tensor.Values<float>()) == tensor.Size(),
                "every value can be used");
  });
}
