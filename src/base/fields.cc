// SPDX-License-Identifier: MIT
#include "sven/base/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "sven/base/text.h"

namespace sven {
namespace {

// The whole text must be the number: "1e-3x" is not one.
template <class T>
std::optional<T> ParseWhole(std::string_view text) {
  // from_chars refuses a plus, and so "+-1", whose plus stays.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

bool Range::Contains(double x) const {
  const bool above = low_open ? x > low : x >= low;
  const bool below = high_open ? x < high : x <= high;
  return above && below && std::isfinite(x);  // false for NaN
}

std::string Range::Describe(std::string_view name) const {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (has_low && has_high) {
    return fmt::format("{} {} {} {} {}", low, low_open ? "<" : "<=", name,
                       high_open ? "<" : "<=", high);
  }
  if (has_low) return fmt::format("{} {} {}", name, low_open ? ">" : ">=", low);
  if (has_high) {
    return fmt::format("{} {} {}", name, high_open ? "<" : "<=", high);
  }
  return {};
}

namespace internal {

std::optional<double> ParseDouble(std::string_view text) {
  return ParseWhole<double>(text);
}
std::optional<std::int64_t> ParseInteger(std::string_view text) {
  return ParseWhole<std::int64_t>(text);
}
std::optional<std::uint64_t> ParseUnsigned(std::string_view text) {
  return ParseWhole<std::uint64_t>(text);
}
std::optional<bool> ParseBool(std::string_view text) {
  // Python's spelling comes with files that Python wrote.
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  return std::nullopt;
}

void ThrowBadText(std::string_view source, std::string_view text,
                  std::string_view expected) {
  throw UsageError(
      fmt::format("{} = {}: expected {}", source, Quote(text), expected));
}

void ThrowOutOfRange(std::string_view source, const Field& field,
                     std::string_view value) {
  const std::string range = field.range.Describe(field.name);
  throw UsageError(
      fmt::format("{} = {}: must {}", source, value,
                  range.empty() ? "be a finite number" : "satisfy " + range));
}

std::string FormatNumber(double value) { return fmt::format("{}", value); }

std::string JoinList(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ","));
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    list.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) list.emplace_back();
  }
  return list;
}

}  // namespace internal
}  // namespace sven
