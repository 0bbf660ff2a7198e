// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_CLASS_NAMES_H_
#define SVEN_SRC_DATA_CLASS_NAMES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sven::data {

// Numbers the classes of a file, words or whole numbers. Their final numbers
// show only when all of them are known, so labels are provisional until
// Finish().
class ClassCollector {
 public:
  // `known`: the names of the classes 0, 1, ..., or empty.
  explicit ClassCollector(const std::vector<std::string>& known);

  // The provisional label of a class; nothing if it is not among the known.
  std::optional<std::int64_t> Label(std::string_view word);
  std::optional<std::int64_t> Label(std::int64_t number);
  [[nodiscard]] bool IsKnown(std::string_view word) const;

  // Makes the labels final. Returns the names of the classes: the known ones,
  // or those that were found, sorted. DataError, opening with `source`, if they
  // are numbers of which one is not whole.
  std::vector<std::string> Finish(
      std::string_view source,
      std::vector<std::reference_wrapper<std::vector<std::int64_t>>> labels);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::string> known_;
  bool known_are_whole_ = false;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> labels_;
};

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_CLASS_NAMES_H_
