// SPDX-License-Identifier: MIT
#include "sven/base/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace sven::json_depth_test {
namespace {

std::string Nested(std::size_t depth, char open, char close) {
  return std::string(depth, open) + std::string(depth, close);
}

TEST(JsonDepth, IsTheNumberOfBracketsOpenAtATime) {
  EXPECT_FALSE(IsTooDeep(""));
  EXPECT_FALSE(IsTooDeep(Nested(kDeepestJson, '[', ']')));
  EXPECT_TRUE(IsTooDeep(Nested(kDeepestJson + 1, '[', ']')));
  EXPECT_TRUE(IsTooDeep(Nested(kDeepestJson + 1, '{', '}')));
  EXPECT_TRUE(IsTooDeep(std::string(kDeepestJson + 1, '[')));
  std::string wide = "[";
  for (int i = 0; i < 100; ++i) wide += "[{}],";
  EXPECT_FALSE(IsTooDeep(wide + "0]"));
}

TEST(JsonDepth, BracketsInStringsDoNotCount) {
  const std::string brackets(100, '[');
  EXPECT_FALSE(IsTooDeep("[\"" + brackets + "\"]"));
  EXPECT_FALSE(IsTooDeep(R"(["\")" + brackets + "\"]"));
  EXPECT_TRUE(IsTooDeep(R"(["\\",)" + brackets));
  EXPECT_FALSE(IsTooDeep("\"\\"));
}

}  // namespace
}  // namespace sven::json_depth_test
