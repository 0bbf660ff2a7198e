// SPDX-License-Identifier: MIT
#ifndef SVEN_BASE_JSON_DEPTH_H_
#define SVEN_BASE_JSON_DEPTH_H_

#include <string_view>

namespace sven {

// No file of ours has as many brackets open at a time.
inline constexpr int kDeepestJson = 16;

// Whether lists and objects nest deeper than that, up to the first place where
// the text is not JSON. To be asked before a text from elsewhere is parsed: what
// writes or walks through a value recurses, and enough brackets use up the
// stack.
bool IsTooDeep(std::string_view json);

}  // namespace sven

#endif  // SVEN_BASE_JSON_DEPTH_H_
