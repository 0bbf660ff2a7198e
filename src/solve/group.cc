// SPDX-License-Identifier: MIT
#include "sven/solve/group.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <new>
#include <numeric>

#include "sven/base/error.h"

namespace sven::solve {

GroupRows::GroupRows(std::string_view given_name, Index count, double weight,
                     const std::optional<Index>& batch)
    : name(given_name) {
  const auto fail = [&](std::string_view what) {
    throw UsageError(fmt::format("group '{}': {}", name, what));
  };
  if (count < 1)
    fail(fmt::format("count = {}: must satisfy count >= 1", count));
  if (!(weight > 0) || !std::isfinite(weight)) {
    fail(fmt::format("weight = {}: must satisfy weight > 0", weight));
  }
  if (batch && (*batch < 1 || *batch > count)) {
    fail(
        fmt::format("batch = {}: must satisfy 1 <= batch <= {}, the number of "
                    "conditions",
                    *batch, count));
  }
  all.resize(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  const Index drawn = batch.value_or(count);
  rows.assign(all.begin(), all.begin() + drawn);
  scale = std::sqrt(weight * static_cast<double>(count) /
                    static_cast<double>(drawn));
}

namespace internal {

void ThrowTaken(std::string_view name) {
  throw UsageError(fmt::format("group '{}': the name is taken", name));
}

void RethrowInGroup(const std::string& name) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& error) {
    std::throw_with_nested(
        DataError(fmt::format("group '{}': {}", name, error.what())));
  } catch (const std::exception& error) {
    std::throw_with_nested(DataError(
        fmt::format("group '{}': the function threw: {}", name, error.what())));
  } catch (...) {
    std::throw_with_nested(DataError(fmt::format(
        "group '{}': the function threw something that is no exception of the "
        "standard library",
        name)));
  }
}

}  // namespace internal
}  // namespace sven::solve
