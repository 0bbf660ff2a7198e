// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/experiment/claims.h"

namespace experiment = sven::experiment;

// What is read can be judged, and is read back as it was written.
int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run(bytes, size, [](auto input) {
    const experiment::Results results = experiment::ParseResults(
        std::string(sven::fuzz::AsText(input)), sven::fuzz::kSource);
    static_cast<void>(
        experiment::FormatClaims(experiment::JudgeClaims(results)));
    static_cast<void>(experiment::TablesMarkdown(results));
    const std::string written = experiment::FormatResults(results);
    const experiment::Results again = sven::fuzz::ReadBack(
        [&] { return experiment::ParseResults(written, sven::fuzz::kSource); });
    sven::Check(experiment::FormatResults(again) == written,
                "what is written is read back");
  });
}
