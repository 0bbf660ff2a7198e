// SPDX-License-Identifier: MIT
#include "sven/base/text.h"

#include <gtest/gtest.h>

namespace sven::text_test {
namespace {

TEST(TextTest, WellFormedUtf8IsSeen) {
  for (const std::string_view text :
       {"", "plain", "\u00fc", "\u20ac", "\U0001F600", "a\u07ff\u0800\uffff",
        "\ud7ff\ue000", "\U0010FFFF"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(TextTest, WhateverElseIsNot) {
  for (const std::string_view text :
       {"\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xff", "\xc3(",
        "a\xe2(\xa1", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
        "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xe9t\xe9"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

TEST(TextTest, MessagesAreTextWhateverTheyQuote) {
  EXPECT_EQ(Quote("\x1b[31m\x7f\u00fc"), "'?[31m?\u00fc'");
  EXPECT_EQ(Quote("\xe9t\xe9"), "'?t?'");
  EXPECT_EQ(Printable("\u00fc\u00fc\u00fc", 3), "\u00fc...");
  EXPECT_TRUE(IsUtf8(Printable("\u20ac\u20ac\u20ac", 5)));
}

}  // namespace
}  // namespace sven::text_test
