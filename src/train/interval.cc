// SPDX-License-Identifier: MIT
#include "sven/train/interval.h"

#include <cmath>
#include <utility>

#include "sven/base/fields.h"

namespace sven::train {
namespace {

// The first suffix of a unit is the one that is printed.
constexpr std::pair<std::string_view, Interval::Unit> kSuffixes[] = {
    {"s", Interval::Unit::kSeconds},   {"epochs", Interval::Unit::kEpochs},
    {"steps", Interval::Unit::kSteps}, {"epoch", Interval::Unit::kEpochs},
    {"step", Interval::Unit::kSteps},
};

bool IsPossible(double count, Interval::Unit unit) {
  if (!(count > 0) || !std::isfinite(count)) return false;
  return unit == Interval::Unit::kSeconds ||
         (count == std::floor(count) && count < 1e15);
}

}  // namespace

std::string Interval::ToText() const {
  for (const auto& [suffix, value] : kSuffixes) {
    if (value == unit) return FormatValue(count) + std::string(suffix);
  }
  return "";
}

Interval Interval::FromText(std::string_view source, std::string_view text) {
  const std::size_t end = text.find_last_of("0123456789.");
  const std::size_t digits = end == std::string_view::npos ? 0 : end + 1;
  const auto count = internal::ParseDouble(text.substr(0, digits));
  for (const auto& [suffix, unit] : kSuffixes) {
    if (suffix != text.substr(digits) || !count) continue;
    if (!IsPossible(*count, unit)) break;
    return {.count = *count, .unit = unit};
  }
  internal::ThrowBadText(source, text,
                         "an interval such as 30s, 5epochs or 100steps");
}

}  // namespace sven::train
