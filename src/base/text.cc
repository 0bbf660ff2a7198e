// SPDX-License-Identifier: MIT
#include "sven/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sven {

namespace {

struct Utf8Form {
  std::uint32_t mask;     // of the leading byte
  std::uint32_t pattern;  // under that mask
  std::size_t length;
  std::uint32_t smallest;  // code point that needs this length
};
constexpr std::array<Utf8Form, 4> kUtf8Forms = {{{0x80, 0x00, 1, 0x0},
                                                 {0xe0, 0xc0, 2, 0x80},
                                                 {0xf0, 0xe0, 3, 0x800},
                                                 {0xf8, 0xf0, 4, 0x10000}}};

// Bytes of the code point at the start of `text`, none if it is not one.
std::size_t Utf8Length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto form = std::ranges::find_if(kUtf8Forms, [lead](const Utf8Form& f) {
    return (lead & f.mask) == f.pattern;
  });
  if (form == kUtf8Forms.end() || form->length > text.size()) return 0;
  std::uint32_t code = lead & ~form->mask;
  for (const char c : text.substr(1, form->length - 1)) {
    if ((c & 0xc0) != 0x80) return 0;
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool valid =
      code >= form->smallest && code <= 0x10ffff && !is_surrogate;
  return valid ? form->length : 0;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t limit) {
  std::string clean(text.substr(0, limit));
  const unsigned char highest = IsUtf8(text) ? 0xff : 0x7e;
  std::ranges::replace_if(
      clean,
      [highest](unsigned char c) {
        return c < 0x20 || c == 0x7f || c > highest;
      },
      '?');
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

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace sven
