// SPDX-License-Identifier: MIT
#ifndef SVEN_BASE_SUGGEST_H_
#define SVEN_BASE_SUGGEST_H_

#include <span>
#include <string>
#include <string_view>

namespace sven {

// The end of a message about a name that nobody knows: "; did you mean 'adam'?"
// if one of `names` is near (at most a third of its letters changed, added,
// left out or exchanged with a neighbour), else "; expected sven, sgd or adam".
std::string SuggestOrList(std::string_view name,
                          std::span<const std::string_view> names);

}  // namespace sven

#endif  // SVEN_BASE_SUGGEST_H_
