// SPDX-License-Identifier: MIT
#include "testing/malformed.h"

#include <ostream>

namespace sven::testing {

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.what;
}

std::string FaultsOf(const std::string& message, std::string_view source,
                     const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 500;
  std::string faults;
  if (!message.starts_with(std::string(source) + ": ")) {
    faults += "does not open with " + std::string(source) + "; ";
  }
  if (message.size() > kLongest) faults += "is too long; ";
  for (const std::string& word : words) {
    if (message.find(word) == std::string::npos) {
      faults += "does not hold '" + word + "'; ";
    }
  }
  return faults.empty() ? faults : faults + "it is: " + message;
}

std::vector<std::byte> Damage(const std::vector<std::byte>& original,
                              std::string_view likely, std::mt19937& random) {
  std::vector<std::byte> bytes = original;
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t flips = 1 + below(4); flips > 0; --flips) {
    bytes[below(bytes.size())] ^= std::byte{1} << static_cast<int>(below(8));
  }
  if (below(4) == 0) {
    bytes[below(bytes.size())] =
        static_cast<std::byte>(likely[below(likely.size())]);
  }
  if (below(16) == 0) bytes.resize(below(bytes.size()) + 1);
  if (below(16) == 0) {
    bytes.insert(bytes.end(), original.begin(), original.end());
  }
  return bytes;
}

}  // namespace sven::testing
