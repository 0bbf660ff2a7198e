// SPDX-License-Identifier: MIT
//
// Errors come in three tiers:
//   - a mistake of the calling program (wrong sizes): Check, std::logic_error;
//   - something the user said or supplied is wrong: UsageError or DataError,
//     whose message names the place, the value, what was expected and what to
//     do next;
//   - a numerical outcome (NaN, rank zero): never an exception, always a
//     status in the report of the step.
#ifndef SVEN_BASE_ERROR_H_
#define SVEN_BASE_ERROR_H_

#include <stdexcept>
#include <string_view>

namespace sven {

namespace internal {
[[noreturn]] void ThrowCheckFailure(std::string_view what, const char* file,
                                    int line);
}  // namespace internal

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An option or a setting has a value that it may not have. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A file or a batch does not hold what it should. Exit code 1.
class DataError : public Error {
 public:
  using Error::Error;
};

// Throws std::logic_error naming the place of the call, if `ok` is false.
// (Compiler built-ins, since clang 14 has no std::source_location.)
inline void Check(bool ok, std::string_view what,
                  const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!ok) [[unlikely]]
    internal::ThrowCheckFailure(what, file, line);
}

}  // namespace sven

#endif  // SVEN_BASE_ERROR_H_
