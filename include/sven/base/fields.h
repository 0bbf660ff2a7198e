// SPDX-License-Identifier: MIT
//
// One list of fields per options struct. An options struct has a member
//
//   template <class Self, class Visitor>
//   static void VisitFields(Self& self, Visitor&& visit) {
//     visit(Field{"rtol", "relative cut-off ...", {.low = 0, .high = 1,
//                 .high_open = true}}, self.truncation.rtol);
//     ...
//   }
//
// and everything that needs the fields goes through it: validation, command
// line, metadata of files, echo, documentation. Nothing is listed twice.
#ifndef SVEN_BASE_FIELDS_H_
#define SVEN_BASE_FIELDS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/error.h"
#include "sven/base/types.h"

namespace sven {

// The values a number may have: low <= x <= high, or < where open. Infinity and
// NaN are outside of every range.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  [[nodiscard]] bool Contains(double x) const;
  // "0 <= rtol < 1"
  [[nodiscard]] std::string Describe(std::string_view name) const;
};

struct Field {
  std::string_view name;
  std::string_view doc;
  Range range = {};
};

namespace internal {

// Each returns the value, or nothing if `text` is not one.
std::optional<double> ParseDouble(std::string_view text);
std::optional<std::int64_t> ParseInteger(std::string_view text);
std::optional<std::uint64_t> ParseUnsigned(std::string_view text);
std::optional<bool> ParseBool(std::string_view text);

[[noreturn]] void ThrowBadText(std::string_view source, std::string_view text,
                               std::string_view expected);
[[noreturn]] void ThrowOutOfRange(std::string_view source, const Field& field,
                                  std::string_view value);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

std::string FormatNumber(double value);

// Types with a text of their own: static V FromText(source, text), which throws
// a UsageError that opens with `source`, and ToText().
template <class V>
concept HasText = requires(const V& value) {
  value.ToText();
};

// "a,b" and back; an empty text is an empty list. An entry that itself holds a
// comma does not come back, so such a one cannot be said as text.
std::string JoinList(const std::vector<std::string>& list);
std::vector<std::string> SplitList(std::string_view text);

}  // namespace internal

template <class T>
std::string FormatValue(const T& value) {
  if constexpr (internal::IsOptional<T>::value) {
    return value ? FormatValue(*value) : "none";
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(Name(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return internal::JoinList(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (internal::HasText<T>) {
    return value.ToText();
  } else {
    return internal::FormatNumber(value);
  }
}

// Sets `value` from text. `source` says where the text stands ("--rtol",
// "case.safetensors: metadata 'rtol'") and opens the error message.
template <class T>
void ParseValue(std::string_view source, std::string_view text, T& value) {
  if constexpr (internal::IsOptional<T>::value) {
    if (text == "none" || text == "None") {
      value.reset();
      return;
    }
    typename T::value_type inner{};
    ParseValue(source, text, inner);
    value = inner;
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto parsed = internal::ParseBool(text);
    if (!parsed) internal::ThrowBadText(source, text, "true or false");
    value = *parsed;
  } else if constexpr (std::is_enum_v<T>) {
    const auto parsed = FromName<T>(text);
    if (!parsed) internal::ThrowBadText(source, text, AllNames<T>());
    value = *parsed;
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    value = internal::SplitList(text);
  } else if constexpr (std::is_unsigned_v<T>) {
    const auto parsed = internal::ParseUnsigned(text);
    if (!parsed) {
      internal::ThrowBadText(source, text, "a whole number from 0 on");
    }
    value = *parsed;
  } else if constexpr (std::is_integral_v<T>) {
    const auto parsed = internal::ParseInteger(text);
    if (!parsed) internal::ThrowBadText(source, text, "a whole number");
    value = *parsed;
  } else if constexpr (internal::HasText<T>) {
    value = T::FromText(source, text);
  } else {
    const auto parsed = internal::ParseDouble(text);
    if (!parsed) internal::ThrowBadText(source, text, "a number");
    value = *parsed;
  }
}

namespace internal {

// `source()` is only asked for its text if there is something to complain of.
template <class T, class Source>
void CheckRange(const Source& source, const Field& field, const T& value) {
  if constexpr (IsOptional<T>::value) {
    if (value) CheckRange(source, field, *value);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (!field.range.Contains(static_cast<double>(value))) {
      ThrowOutOfRange(source(), field, FormatValue(value));
    }
  }
}

}  // namespace internal

// Throws a UsageError "SvenOptions::rtol = -1: must satisfy 0 <= rtol < 1" for
// the first field outside its range. NaN is outside every range.
template <class Options>
void ValidateFields(std::string_view owner, const Options& options) {
  Options::VisitFields(options, [&](const Field& field, const auto& value) {
    const auto source = [&] {
      return std::string(owner) + "::" + std::string(field.name);
    };
    internal::CheckRange(source, field, value);
  });
}

// Sets the field called `name`; false if there is none of that name. Throws a
// UsageError that opens with `source` for a value that it may not have.
template <class Options>
bool SetField(std::string_view source, std::string_view name,
              std::string_view text, Options& options) {
  bool found = false;
  Options::VisitFields(options, [&](const Field& field, auto& value) {
    if (field.name != name) return;
    found = true;
    std::decay_t<decltype(value)> parsed{};
    ParseValue(source, text, parsed);
    internal::CheckRange([&] { return source; }, field, parsed);
    value = parsed;
  });
  return found;
}

// A field as text, for --help and listings.
struct FieldDescription {
  std::string name;
  std::string doc;
  std::string default_value;
  std::string range;  // empty where anything goes
};

// With the values of `options` as defaults.
template <class Options>
std::vector<FieldDescription> DescribeFields(const Options& options = {}) {
  std::vector<FieldDescription> list;
  Options::VisitFields(options, [&](const Field& field, const auto& value) {
    std::string range = field.range.Describe(field.name);
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      range = AllNames<std::decay_t<decltype(value)>>();
    }
    list.push_back({std::string(field.name), std::string(field.doc),
                    FormatValue(value), std::move(range)});
  });
  return list;
}

}  // namespace sven

#endif  // SVEN_BASE_FIELDS_H_
