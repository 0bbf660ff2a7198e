// SPDX-License-Identifier: MIT
#include "columns.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fail.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

// The column, counted from 0, that a text names by its number.
std::optional<Index> ByNumber(std::string_view text, Index count) {
  const std::optional<Index> number = sven::internal::ParseInteger(text);
  if (!number || *number == 0 || *number < -count || *number > count) {
    return std::nullopt;
  }
  return *number > 0 ? *number - 1 : count + *number;
}

class ColumnFinder {
 public:
  ColumnFinder(std::string_view source, Index count,
               std::span<const std::string> names)
      : source_(source), count_(count), names_(names) {
    for (Index i = 0; i < std::ssize(names); ++i) {
      by_name_[names[i]].push_back(i);
    }
  }

  std::vector<Index> Find(std::string_view option,
                          std::span<const std::string> wanted) {
    std::vector<Index> columns;
    for (const std::string& text : wanted) {
      const Index column = FindOne(option, text);
      if (!used_.insert(column).second) {
        Fail(source_, "{}: {} is asked for twice, expected once", option,
             DescribeColumn(column, names_));
      }
      columns.push_back(column);
    }
    return columns;
  }

  [[nodiscard]] std::vector<Index> Others() const {
    std::vector<Index> columns;
    for (Index i = 0; i < count_; ++i) {
      if (!used_.contains(i)) columns.push_back(i);
    }
    return columns;
  }

 private:
  [[nodiscard]] Index FindOne(std::string_view option,
                              const std::string& text) const {
    if (const auto found = by_name_.find(text); found != by_name_.end()) {
      if (found->second.size() == 1) return found->second.front();
      Fail(source_, "{}: {} columns are called {}, expected one; ask by number",
           option, found->second.size(), Quote(text));
    }
    const std::optional<Index> column = ByNumber(text, count_);
    if (!column) {
      Fail(source_, "{}: there is no column {}, expected {}", option,
           Quote(text), Known());
    }
    return *column;
  }

  [[nodiscard]] std::string Known() const {
    const std::string numbers =
        fmt::format("1 to {}, or -1 for the last", count_);
    if (names_.empty()) return numbers + "; the columns have no names";
    constexpr std::size_t kShown = 200;
    return fmt::format(
        "{}, or one of {}", numbers,
        Printable(fmt::format("{}", fmt::join(names_, ", ")), kShown));
  }

  std::string_view source_;
  Index count_;
  std::span<const std::string> names_;
  std::map<std::string_view, std::vector<Index>> by_name_;
  std::set<Index> used_;
};

}  // namespace

void ColumnOptions::Validate() const {
  const bool are_classes =
      target_kind == TargetKind::kClasses || !classes.empty();
  if (are_classes && targets.size() > 1) {
    throw UsageError(fmt::format(
        "ColumnOptions::target = {}: must be one column if it has classes",
        Quote(FormatValue(targets))));
  }
  if (target_kind == TargetKind::kNumbers && !classes.empty()) {
    throw UsageError(fmt::format(
        "ColumnOptions::classes = {}: must be empty where target_kind is "
        "numbers",
        Quote(FormatValue(classes))));
  }
  const std::set<std::string> different(classes.begin(), classes.end());
  if (different.size() != classes.size()) {
    throw UsageError(
        fmt::format("ColumnOptions::classes = {}: must differ from each other",
                    Quote(FormatValue(classes))));
  }
}

ColumnChoice ChooseColumns(std::string_view source,
                           const ColumnOptions& options, Index count,
                           std::span<const std::string> names) {
  ColumnFinder finder(source, count, names);
  ColumnChoice choice;
  choice.targets = finder.Find("target", options.targets);
  choice.inputs = options.inputs.empty()
                      ? finder.Others()
                      : finder.Find("inputs", options.inputs);
  if (choice.inputs.empty()) {
    Fail(source, "has {} columns, all of them targets; expected an input",
         count);
  }
  return choice;
}

bool AsksForNames(const ColumnOptions& options, Index count) {
  const auto is_name = [count](const std::string& text) {
    return !ByNumber(text, count);
  };
  return std::ranges::any_of(options.targets, is_name) ||
         std::ranges::any_of(options.inputs, is_name);
}

std::vector<std::string> NamesOf(std::span<const Index> columns,
                                 std::span<const std::string> names) {
  std::vector<std::string> chosen;
  if (names.empty()) return chosen;
  for (const Index column : columns) chosen.push_back(names[column]);
  return chosen;
}

std::string DescribeColumn(Index column, std::span<const std::string> names) {
  if (names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column {} ({})", column + 1, Quote(names[column]));
}

}  // namespace sven::data
