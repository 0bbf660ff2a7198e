// SPDX-License-Identifier: MIT
#include "sven/pde/field.h"

#include <fmt/format.h>

#include "sven/base/error.h"

namespace sven::pde::internal {

void ThrowMissing(const char* what, const nn::JetShape& shape) {
  throw UsageError(fmt::format(
      "derivatives = {}: the condition asks for {}, which that does "
      "not include",
      Name(shape.derivatives), what));
}

void ThrowNoSuch(const char* what, Index number, Index count) {
  throw UsageError(fmt::format(
      "there is no {} {}: there are {}, counted from 0", what, number, count));
}

}  // namespace sven::pde::internal
