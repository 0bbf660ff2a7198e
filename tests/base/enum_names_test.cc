// SPDX-License-Identifier: MIT
#include "sven/base/enum_names.h"

#include <gtest/gtest.h>

namespace sven {
namespace {

enum class Colour { kRed, kGreen, kBlue, kUnnamed };
enum class Single { kOnly };
enum class Pair { kLeft, kRight };

}  // namespace

template <>
struct EnumNames<Colour> {
  static constexpr std::pair<std::string_view, Colour> kTable[] = {
      {"red", Colour::kRed},
      {"green", Colour::kGreen},
      {"blue", Colour::kBlue},
      {"azure", Colour::kBlue},  // a second name
  };
};
template <>
struct EnumNames<Single> {
  static constexpr std::pair<std::string_view, Single> kTable[] = {
      {"only", Single::kOnly}};
};
template <>
struct EnumNames<Pair> {
  static constexpr std::pair<std::string_view, Pair> kTable[] = {
      {"left", Pair::kLeft}, {"right", Pair::kRight}};
};

namespace {

TEST(EnumNamesTest, EveryNameLeadsBackToItsValue) {
  for (const auto& [name, value] : EnumNames<Colour>::kTable) {
    EXPECT_EQ(FromName<Colour>(name), value) << name;
  }
}

TEST(EnumNamesTest, FirstNameListedIsThePrintedOne) {
  static_assert(Name(Colour::kRed) == "red");
  static_assert(Name(Colour::kBlue) == "blue");
  EXPECT_EQ(FromName<Colour>("azure"), Colour::kBlue);
}

TEST(EnumNamesTest, ValueWithoutNamePrintsAQuestionMark) {
  EXPECT_EQ(Name(Colour::kUnnamed), "?");
}

TEST(EnumNamesTest, OnlyExactNamesAreFound) {
  for (const std::string_view text : {"", "Red", "re", "redd", " red", "?"}) {
    EXPECT_EQ(FromName<Colour>(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(EnumNamesTest, AllNamesReadAsASentence) {
  EXPECT_EQ(AllNames<Single>(), "only");
  EXPECT_EQ(AllNames<Pair>(), "left or right");
  EXPECT_EQ(AllNames<Colour>(), "red, green, blue or azure");
}

}  // namespace
}  // namespace sven
