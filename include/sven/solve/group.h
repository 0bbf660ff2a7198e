// SPDX-License-Identifier: MIT
//
// What all problems that are made of named groups of conditions share.
#ifndef SVEN_SOLVE_GROUP_H_
#define SVEN_SOLVE_GROUP_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/random.h"
#include "sven/base/types.h"

namespace sven::solve {

namespace internal {
[[noreturn]] void ThrowTaken(std::string_view name);
}  // namespace internal

// A group's name, and which of its conditions a step is for.
struct GroupRows {
  std::string name;
  std::vector<Index> all;   // 0 ... n - 1
  std::vector<Index> rows;  // of this step
  double scale = 1;         // sqrt(v n / b)

  GroupRows() = default;
  // Throws a UsageError that names the group, if its number of conditions, weight
  // or batch is out of range.
  GroupRows(std::string_view name, Index count, double weight,
            const std::optional<Index>& batch);

  [[nodiscard]] bool Sampled() const { return rows.size() < all.size(); }
};

// Of all groups, which derive from GroupRows.
template <class Groups>
Index CountRows(const Groups& groups) {
  Index sum = 0;
  for (const GroupRows& group : groups) sum += std::ssize(group.rows);
  return sum;
}
template <class Groups>
bool AnySampled(const Groups& groups) {
  return std::ranges::any_of(
      groups, [](const GroupRows& group) { return group.Sampled(); });
}
template <class Groups>
void DrawRows(RandomStream& random, Groups& groups) {
  for (GroupRows& group : groups) {
    if (!group.Sampled()) continue;
    SampleWithoutReplacement(std::ssize(group.all), std::ssize(group.rows),
                             random, group.rows);
  }
}
// Condition a of a step: "group 'edge', point 3", where `what` is "point".
template <class Groups>
std::string DescribeRow(const Groups& groups, Index a, std::string_view what) {
  for (const GroupRows& group : groups) {
    if (a < std::ssize(group.rows)) {
      return "group '" + group.name + "', " + std::string(what) + " " +
             std::to_string(group.rows[a]);
    }
    a -= std::ssize(group.rows);
  }
  return std::string(what) + " " + std::to_string(a);
}
// Throws a UsageError if a group has the name already.
template <class Groups>
void CheckNameIsFree(const Groups& groups, std::string_view name) {
  for (const GroupRows& group : groups) {
    if (group.name == name) internal::ThrowTaken(name);
  }
}

namespace internal {
// From within a catch block: what was thrown, nested in a DataError that says
// which group it was.
[[noreturn]] void RethrowInGroup(const std::string& name);
}  // namespace internal

// Calls a function of the user; what it throws says which group it was.
template <class Call>
void InGroup(const std::string& name, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (...) {
    internal::RethrowInGroup(name);
  }
}

}  // namespace sven::solve

#endif  // SVEN_SOLVE_GROUP_H_
