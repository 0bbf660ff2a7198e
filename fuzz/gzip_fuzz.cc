// SPDX-License-Identifier: MIT
#include <vector>

#include "byte_source.h"
#include "fuzz/fuzz.h"
#include "inflate.h"

namespace data = sven::data;

// Reads to the end, within the bound that memory is taken by.
void Drain(data::ByteStream& stream) {
  std::vector<std::byte> block(10'000);
  for (;;) {
    const sven::Index bound = stream.MaxRemaining();
    const std::size_t count = stream.Read(block);
    sven::Check(std::cmp_less_equal(count, bound), "no more than it said");
    if (count < block.size()) return;
  }
}

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (const auto wrapping : {data::Wrapping::kGzip, data::Wrapping::kNone}) {
    sven::fuzz::Run(bytes, size, [wrapping](auto input) {
      const auto source = data::OpenMemory(input, sven::fuzz::kSource);
      data::InflateStream stream(
          data::StreamRange(source, 0, source->Size(), source->Name()),
          wrapping);
      Drain(stream);
    });
  }
  return 0;
}
