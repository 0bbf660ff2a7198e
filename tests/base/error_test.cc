// SPDX-License-Identifier: MIT
#include "sven/base/error.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace sven::error_test {
namespace {

TEST(CheckTest, ThatHoldsDoesNothing) {
  EXPECT_NO_THROW(Check(true, "never said"));
}

TEST(CheckTest, ThatFailsThrowsLogicErrorWithThePlaceOfTheCall) {
  int line = 0;
  std::string message;
  try {
    line = __LINE__ + 1;
    Check(false, "sizes must fit");
  } catch (const std::logic_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, std::string(__FILE__) + ":" + std::to_string(line) +
                         ": sizes must fit");
}

TEST(ErrorTest, MistakesOfUserAndProgramDoNotMix) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  static_assert(std::is_base_of_v<Error, UsageError>);
  static_assert(std::is_base_of_v<Error, DataError>);
  static_assert(!std::is_base_of_v<UsageError, DataError>);
  static_assert(!std::is_base_of_v<DataError, UsageError>);
  EXPECT_THROW(throw UsageError("--rtol"), Error);
  EXPECT_THROW(Check(false, "x"), std::logic_error);
  EXPECT_STREQ(DataError("file: text").what(), "file: text");
}

}  // namespace
}  // namespace sven::error_test
