// SPDX-License-Identifier: MIT
#include "sven/base/suggest.h"

#include <algorithm>
#include <vector>

namespace sven {
namespace {

// Longer names are not looked at closely.
constexpr std::size_t kLongest = 64;

// The number of letters to change, add, leave out or exchange with their
// neighbour (each pair once): the restricted Damerau-Levenshtein distance.
std::size_t Distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> d((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return d[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t best = std::min(
          {at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, at(i - 2, j - 2) + 1);
      }
      at(i, j) = best;
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string SuggestOrList(std::string_view name,
                          std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t least = 0;
  for (const std::string_view candidate : names) {
    if (name.size() > kLongest) break;
    const std::size_t distance = Distance(name, candidate);
    const bool near =
        3 * distance <= std::max<std::size_t>(candidate.size(), 3);
    if (near && (nearest.empty() || distance < least)) {
      nearest = candidate;
      least = distance;
    }
  }
  if (!nearest.empty()) return "; did you mean '" + std::string(nearest) + "'?";
  std::string text = "; expected ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace sven
