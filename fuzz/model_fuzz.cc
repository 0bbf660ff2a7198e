// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/safetensors.h"
#include "sven/data/trained_model.h"

namespace data = sven::data;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const auto model = data::ParseModel<float>(
        data::ParseSafetensors(input, sven::fuzz::kSource),
        sven::fuzz::kSource);
    const auto written = data::FormatModel(model.net, model.card);
    const auto again = sven::fuzz::ReadBack(
        [&] { return data::ParseModel<float>(written, sven::fuzz::kSource); });
    sven::Check(data::FormatModel(again.net, again.card) == written,
                "what is written is read back");
  });
}
