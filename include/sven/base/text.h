// SPDX-License-Identifier: MIT
//
// Text that comes from files, made fit for messages.
#ifndef SVEN_BASE_TEXT_H_
#define SVEN_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace sven {

// At most `limit` bytes, control characters replaced: a file cannot write
// escape sequences to the terminal or flood it.
std::string Printable(std::string_view text, std::size_t limit);

// The same in quotes.
std::string Quote(std::string_view text);

}  // namespace sven

#endif  // SVEN_BASE_TEXT_H_
