// SPDX-License-Identifier: MIT
#include "sven/solve/guarded.h"

#include <fmt/format.h>

#include "sven/base/error.h"

namespace sven::solve::internal {

void ThrowOverrun(std::string_view what, Index count) {
  throw DataError(fmt::format(
      "the function wrote past the end of its {} {}: is the number of "
      "conditions that the group was added with right?",
      count, what));
}

void ThrowUnwritten(std::string_view what, Index count, Index first) {
  throw DataError(fmt::format(
      "the function left entry {} of its {} {} unwritten: each must be set (+= "
      "is not enough, they do not start at zero), and the number of conditions "
      "that the group was added with must be right",
      first, count, what));
}

}  // namespace sven::solve::internal
