// SPDX-License-Identifier: MIT
//
// Names of the values of an enumeration, listed once and used by the command
// line, files, reports and error messages alike.
#ifndef SVEN_BASE_ENUM_NAMES_H_
#define SVEN_BASE_ENUM_NAMES_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sven {

// Specialise with
//   static constexpr std::pair<std::string_view, E> kTable[] = {...};
// The first name listed for a value is the one that is printed.
template <class E>
struct EnumNames;

template <class E>
constexpr std::string_view Name(E value) {
  for (const auto& [name, entry] : EnumNames<E>::kTable) {
    if (entry == value) return name;
  }
  return "?";
}

template <class E>
constexpr std::optional<E> FromName(std::string_view text) {
  for (const auto& [name, entry] : EnumNames<E>::kTable) {
    if (name == text) return entry;
  }
  return std::nullopt;
}

// "a, b or c", for messages and --help.
template <class E>
std::string AllNames() {
  std::string list;
  const auto& table = EnumNames<E>::kTable;
  const auto count = std::size(table);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += i + 1 == count ? " or " : ", ";
    list += table[i].first;
  }
  return list;
}

}  // namespace sven

#endif  // SVEN_BASE_ENUM_NAMES_H_
