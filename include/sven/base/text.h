// SPDX-License-Identifier: MIT
//
// Text that comes from files, made fit for messages.
#ifndef SVEN_BASE_TEXT_H_
#define SVEN_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace sven {

// At most `limit` bytes, control characters replaced, and whatever is not
// ASCII if it is not UTF-8: a file cannot write escape sequences to the terminal
// or flood it, and a message is always text.
std::string Printable(std::string_view text, std::size_t limit);

// The same in quotes.
std::string Quote(std::string_view text);

// Whether it is well-formed UTF-8: no stray, missing or overlong bytes, no
// surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace sven

#endif  // SVEN_BASE_TEXT_H_
