// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/data/csv.h"

namespace data = sven::data;

// As inputs only, with a target, and with classes.
int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const data::CsvOptions all[] = {
      {},
      {.columns = {.targets = {"-1"}}},
      {.columns = {.targets = {"1"},
                   .target_kind = data::TargetKind::kClasses}}};
  for (const data::CsvOptions& options : all) {
    sven::fuzz::Run(bytes, size, [&](auto input) {
      const auto table =
          data::ParseCsv<float>(input, sven::fuzz::kSource, options);
      sven::Check(table.data.x.allFinite() && table.data.Size() > 0,
                  "a table has rows of finite numbers");
    });
  }
  return 0;
}
