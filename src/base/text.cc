// SPDX-License-Identifier: MIT
#include "sven/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sven {

std::string Printable(std::string_view text, std::size_t limit) {
  std::string clean(text.substr(0, limit));
  std::ranges::replace_if(
      clean, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  if (clean.size() == text.size()) return clean;
  // Not in the middle of a UTF-8 sequence.
  const auto is_continuation = [](char c) { return (c & 0xc0) == 0x80; };
  std::size_t end = clean.size();
  while (end > 0 && is_continuation(text[end])) --end;
  return clean.substr(0, end) + "...";
}

std::string Quote(std::string_view text) {
  constexpr std::size_t kLimit = 80;
  return fmt::format("'{}'", Printable(text, kLimit));
}

}  // namespace sven
