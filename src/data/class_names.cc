// SPDX-License-Identifier: MIT
#include "class_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "fail.h"
#include "number_text.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

// On entries of a map from words.
constexpr auto kWord = [](const auto& entry) -> const std::string& {
  return entry.first;
};

bool IsWhole(const std::string& word) { return ParseWhole(word).has_value(); }

// The provisional labels of every class, classes in their final order.
using Grouping = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

// Different words may be one number: 1, 01 and 1.0.
template <class Key, class KeyOf, class NameOf, class Labels>
Grouping Group(const Labels& labels, KeyOf key_of, NameOf name_of) {
  std::map<Key, std::vector<std::int64_t>> groups;
  for (const auto& [word, label] : labels) {
    groups[key_of(word)].push_back(label);
  }
  Grouping grouping;
  for (auto& [key, members] : groups) {
    grouping.emplace_back(name_of(key), std::move(members));
  }
  return grouping;
}

}  // namespace

ClassCollector::ClassCollector(const std::vector<std::string>& known)
    : known_(known), known_are_whole_(std::ranges::all_of(known, IsWhole)) {
  for (const std::string& name : known) {
    labels_.emplace(name, std::ssize(labels_));
  }
}

std::optional<std::int64_t> ClassCollector::Label(std::string_view word) {
  if (const auto found = labels_.find(word); found != labels_.end()) {
    return found->second;
  }
  if (known_.empty()) {
    return labels_.emplace(word, std::ssize(labels_)).first->second;
  }
  // A known number may be written in another way here.
  const auto number =
      known_are_whole_ ? ParseWhole(word) : std::optional<std::int64_t>();
  if (!number) return std::nullopt;
  const auto same = std::ranges::find_if(known_, [&](const std::string& name) {
    return ParseWhole(name) == number;
  });
  if (same == known_.end()) return std::nullopt;
  return labels_.emplace(word, same - known_.begin()).first->second;
}

std::optional<std::int64_t> ClassCollector::Label(std::int64_t number) {
  std::array<char, 24> text = {};
  const auto [end, status] =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return Label(std::string_view(text.data(), end));
}

bool ClassCollector::IsKnown(std::string_view word) const {
  return std::ranges::find(known_, word) != known_.end();
}

std::vector<std::string> ClassCollector::Finish(
    std::string_view source,
    std::vector<std::reference_wrapper<std::vector<std::int64_t>>> labels) {
  if (!known_.empty()) return known_;
  const bool are_numbers = std::ranges::all_of(labels_, LooksLikeNumber, kWord);
  const auto fraction = std::ranges::find_if_not(labels_, IsWhole, kWord);
  if (are_numbers && fraction != labels_.end()) {
    Fail(source,
         "class {}, expected words or whole numbers; are the targets numbers "
         "rather than classes?",
         Quote(fraction->first));
  }
  const Grouping grouping =
      are_numbers
          ? Group<std::int64_t>(
                labels_,
                [](const std::string& word) { return *ParseWhole(word); },
                [](std::int64_t number) { return std::to_string(number); })
          : Group<std::string>(
                labels_, [](const std::string& word) { return word; },
                [](const std::string& word) { return word; });
  std::vector<std::string> names;
  std::vector<std::int64_t> final_label(labels_.size());
  for (const auto& [name, members] : grouping) {
    for (const std::int64_t member : members) {
      final_label[member] = std::ssize(names);
    }
    names.push_back(name);
  }
  for (std::vector<std::int64_t>& list : labels) {
    for (std::int64_t& label : list) label = final_label[label];
  }
  return names;
}

}  // namespace sven::data
