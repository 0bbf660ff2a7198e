// SPDX-License-Identifier: MIT
#include "sven/base/error.h"

#include <fmt/format.h>

namespace sven::internal {

void ThrowCheckFailure(std::string_view what, const char* file, int line) {
  throw std::logic_error(fmt::format("{}:{}: {}", file, line, what));
}

}  // namespace sven::internal
