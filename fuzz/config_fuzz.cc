// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.h"
#include "sven/experiment/run_config.h"

namespace experiment = sven::experiment;

namespace {

experiment::RunConfig Parse(std::string_view toml) {
  experiment::RunConfig config;
  experiment::ParseConfig(toml, sven::fuzz::kSource, config);
  return config;
}

bool IsValid(const experiment::RunConfig& config) {
  try {
    config.Validate();
  } catch (const sven::Error&) {
    return false;
  }
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sven::fuzz::Run<sven::Error>(bytes, size, [](auto input) {
    const auto config = Parse(sven::fuzz::AsText(input));
    const std::string written = config.ToToml();
    const auto again = sven::fuzz::ReadBack([&] { return Parse(written); });
    sven::Check(again.ToToml() == written, "what is written is read back");
    sven::Check(IsValid(again) == IsValid(config), "and is as valid");
  });
}
