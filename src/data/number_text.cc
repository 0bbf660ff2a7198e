// SPDX-License-Identifier: MIT
#include "number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "sven/base/types.h"

namespace sven::data {
namespace {

// from_chars refuses a plus, and so "+-1", whose plus stays.
std::string_view WithoutPlus(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

template <class T>
std::errc ParseAll(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return stop == end ? status : std::errc::invalid_argument;
}

// Of a number out of range: whether it is too small rather than too large, that
// is, whether its first digit other than zero stands right of the point once
// the exponent is applied.
bool IsTiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const auto point =
      static_cast<Index>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<Index>(digits.find_first_of("123456789"));
  const std::string_view exponent_text =
      WithoutPlus(text.substr(std::min(e + 1, text.size())));
  Index exponent = 0;
  if (ParseAll(exponent_text, exponent) == std::errc::result_out_of_range) {
    return exponent_text.starts_with('-');
  }
  return point - first + exponent < 0;
}

}  // namespace

template <class T>
NumberStatus ParseNumber(std::string_view text, T& value) {
  text = WithoutPlus(Trim(text));
  const std::errc status = ParseAll(text, value);
  if (status == std::errc{}) {
    return std::isfinite(value) ? NumberStatus::kFine
                                : NumberStatus::kNotFinite;
  }
  if (status != std::errc::result_out_of_range) return NumberStatus::kNoNumber;
  value = 0;
  return IsTiny(text) ? NumberStatus::kFine : NumberStatus::kTooLarge;
}

template NumberStatus ParseNumber(std::string_view, float&);
template NumberStatus ParseNumber(std::string_view, double&);

bool LooksLikeNumber(std::string_view text) {
  double ignored = 0;
  return ParseNumber(text, ignored) != NumberStatus::kNoNumber;
}

std::optional<std::int64_t> ParseWhole(std::string_view text) {
  text = WithoutPlus(Trim(text));
  std::int64_t value = 0;
  if (ParseAll(text, value) == std::errc{}) return value;
  double real = 0;
  if (ParseNumber(text, real) != NumberStatus::kFine) return std::nullopt;
  return ToWhole(real);
}

std::optional<std::int64_t> ToWhole(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(std::abs(value) <= kExact) || std::trunc(value) != value) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool IsMissing(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {"",    "?",   "na",
                                                      "n/a", "nan", "null"};
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return std::ranges::equal(text, word, {}, lower);
  });
}

}  // namespace sven::data
