// SPDX-License-Identifier: MIT
//
// Files that are not as they should be, for the tests of readers.
#ifndef SVEN_TESTING_MALFORMED_H_
#define SVEN_TESTING_MALFORMED_H_

#include <cstddef>
#include <iosfwd>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sven::testing {

struct Malformed {
  std::string what;  // names the test
  std::vector<std::byte> bytes;
  std::vector<std::string> words;  // the message holds them all
};

void PrintTo(const Malformed& malformed, std::ostream* out);

// What is wrong with an error message: nothing (an empty text) if it opens with
// `source`, holds all the words, and fits on a screen.
std::string FaultsOf(const std::string& message, std::string_view source,
                     const std::vector<std::string>& words);

// Flips some bits, and now and then overwrites a byte with one of `likely`,
// cuts the end off, or appends the whole once more.
std::vector<std::byte> Damage(const std::vector<std::byte>& original,
                              std::string_view likely, std::mt19937& random);

}  // namespace sven::testing

#endif  // SVEN_TESTING_MALFORMED_H_
