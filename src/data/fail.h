// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_FAIL_H_
#define SVEN_SRC_DATA_FAIL_H_

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "sven/base/error.h"

namespace sven::data {

// The DataError "<source>: <what>"; `source` is a file, or a place in one.
template <class... Args>
[[noreturn]] void Fail(std::string_view source,
                       fmt::format_string<Args...> format, Args&&... args) {
  throw DataError(fmt::format(
      "{}: {}", source, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_FAIL_H_
