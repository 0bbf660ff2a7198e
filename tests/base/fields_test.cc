// SPDX-License-Identifier: MIT
#include "sven/base/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sven {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Road { kGram, kDense, kRandomised };

}  // namespace

template <>
struct EnumNames<Road> {
  static constexpr std::pair<std::string_view, Road> kTable[] = {
      {"gram", Road::kGram},
      {"dense", Road::kDense},
      {"randomised", Road::kRandomised},
  };
};

namespace {

struct Demo {
  double rtol = 0.5;
  double rate = 0.1;
  double anything = 2;
  Index rank = 3;
  std::uint64_t seed = 7;
  bool bias = true;
  Road road = Road::kDense;
  std::optional<double> damping = std::nullopt;
  std::optional<Index> limit = 4;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"rtol", "cut-off", {.low = 0, .high = 1, .high_open = true}},
          self.rtol);
    visit(Field{"rate", "step", {.low = 0, .low_open = true}}, self.rate);
    visit(Field{"anything", "no limits"}, self.anything);
    visit(Field{"rank", "directions", {.low = 1}}, self.rank);
    visit(Field{"seed", "of the stream"}, self.seed);
    visit(Field{"bias", "with bias"}, self.bias);
    visit(Field{"road", "which way"}, self.road);
    visit(Field{"damping", "shift", {.high = 10, .high_open = true}},
          self.damping);
    visit(Field{"limit", "at most", {.low = 2, .high = 9}}, self.limit);
  }

  bool operator==(const Demo&) const = default;
};

// The message of the UsageError that `action` throws; empty if none.
std::string MessageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

std::string ValidationOf(const Demo& demo) {
  return MessageOf([&] { ValidateFields("Demo", demo); });
}

// Sets one field of a fresh Demo from text.
std::string SettingOf(std::string_view name, std::string_view text) {
  Demo demo;
  return MessageOf([&] { SetField("--flag", name, text, demo); });
}

template <class T>
T Parsed(std::string_view text) {
  T value{};
  ParseValue("here", text, value);
  return value;
}

template <class T>
std::string RefusalOf(std::string_view text) {
  return MessageOf([&] { Parsed<T>(text); });
}

TEST(ValidateFieldsTest, AcceptsTheDefaults) {
  EXPECT_EQ(ValidationOf({}), "");
}

TEST(ValidateFieldsTest, NamesOwnerFieldValueAndLimits) {
  EXPECT_EQ(ValidationOf({.rtol = -1}),
            "Demo::rtol = -1: must satisfy 0 <= rtol < 1");
  EXPECT_EQ(ValidationOf({.rate = 0}), "Demo::rate = 0: must satisfy rate > 0");
  EXPECT_EQ(ValidationOf({.rank = 0}),
            "Demo::rank = 0: must satisfy rank >= 1");
  EXPECT_EQ(ValidationOf({.damping = 10.5}),
            "Demo::damping = 10.5: must satisfy damping < 10");
  EXPECT_EQ(ValidationOf({.limit = 12}),
            "Demo::limit = 12: must satisfy 2 <= limit <= 9");
}

TEST(ValidateFieldsTest, RefusesNanEverywhere) {
  EXPECT_EQ(ValidationOf({.rtol = kNan}),
            "Demo::rtol = nan: must satisfy 0 <= rtol < 1");
  EXPECT_EQ(ValidationOf({.anything = kNan}),
            "Demo::anything = nan: must be a finite number");
  EXPECT_EQ(ValidationOf({.damping = kNan}),
            "Demo::damping = nan: must satisfy damping < 10");
}

TEST(ValidateFieldsTest, ReportsTheFirstFieldOutsideItsRange) {
  EXPECT_EQ(ValidationOf({.rate = -1, .rank = 0}),
            "Demo::rate = -1: must satisfy rate > 0");
}

TEST(ValidateFieldsTest, ClosedLimitsBelongToTheRangeAndOpenOnesDoNot) {
  EXPECT_EQ(ValidationOf({.rtol = 0}), "");
  EXPECT_NE(ValidationOf({.rtol = std::nextafter(0.0, -1)}), "");
  EXPECT_EQ(ValidationOf({.rtol = std::nextafter(1.0, 0)}), "");
  EXPECT_NE(ValidationOf({.rtol = 1}), "");
  EXPECT_NE(ValidationOf({.rate = 0}), "");
  EXPECT_EQ(ValidationOf({.rate = std::nextafter(0.0, 1)}), "");
  EXPECT_EQ(ValidationOf({.rank = 1}), "");
  EXPECT_NE(ValidationOf({.rank = 0}), "");
  EXPECT_EQ(ValidationOf({.limit = 2}), "");
  EXPECT_NE(ValidationOf({.limit = 1}), "");
  EXPECT_EQ(ValidationOf({.limit = 9}), "");
  EXPECT_NE(ValidationOf({.limit = 10}), "");
}

TEST(ValidateFieldsTest, MissingOptionalFieldsAreFine) {
  EXPECT_EQ(ValidationOf({.damping = std::nullopt, .limit = std::nullopt}), "");
}

TEST(RangeTest, ContainsExactlyWhatItDescribes) {
  const Range closed = {.low = -1, .high = 2};
  const Range open = {
      .low = -1, .high = 2, .low_open = true, .high_open = true};
  EXPECT_EQ(closed.Describe("x"), "-1 <= x <= 2");
  EXPECT_EQ(open.Describe("x"), "-1 < x < 2");
  for (const double limit : {-1.0, 2.0}) {
    EXPECT_TRUE(closed.Contains(limit));
    EXPECT_FALSE(open.Contains(limit));
    const double inside = std::nextafter(limit, 0);
    const double outside = std::nextafter(limit, 10 * limit);
    EXPECT_TRUE(closed.Contains(inside) && open.Contains(inside));
    EXPECT_FALSE(closed.Contains(outside) || open.Contains(outside));
  }
  EXPECT_FALSE(closed.Contains(kNan));
}

TEST(RangeTest, WithoutLimitsDescribesNothingAndRefusesWhatIsNotFinite) {
  const Range all;
  EXPECT_EQ(all.Describe("x"), "");
  for (const double x : {-1e300, -1.0, 0.0, 1e300}) {
    EXPECT_TRUE(all.Contains(x));
  }
  for (const double x : {-kInf, kInf, kNan}) EXPECT_FALSE(all.Contains(x));
}

TEST(RangeTest, WithOneLimitDescribesThatOne) {
  EXPECT_EQ((Range{.low = 0}).Describe("x"), "x >= 0");
  EXPECT_EQ((Range{.low = 0, .low_open = true}).Describe("x"), "x > 0");
  EXPECT_EQ((Range{.high = 1e-5}).Describe("x"), "x <= 1e-05");
  EXPECT_EQ((Range{.high = 3, .high_open = true}).Describe("x"), "x < 3");
}

TEST(ParseValueTest, ReadsNumbersInEveryUsualForm) {
  EXPECT_EQ(Parsed<double>("1e-3"), 1e-3);
  EXPECT_EQ(Parsed<double>("+2.5"), 2.5);
  EXPECT_EQ(Parsed<double>("-.5"), -0.5);
  EXPECT_EQ(Parsed<double>("3."), 3);
  EXPECT_EQ(Parsed<double>("0.1"), 0.1);
  EXPECT_EQ(Parsed<double>("2.2250738585072014e-308"), 0x1p-1022);
  EXPECT_EQ(Parsed<Index>("-12"), -12);
  EXPECT_EQ(Parsed<Index>("+12"), 12);
  EXPECT_EQ(Parsed<Index>("9223372036854775807"),
            std::numeric_limits<Index>::max());
  EXPECT_EQ(Parsed<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
}

TEST(ParseValueTest, RefusesTextThatIsNotWhollyANumber) {
  for (const std::string_view text :
       {"", " ", " 1", "1 ", "1e-3x", "x", "1,5", "1e", "0x10", "0x1p3", "+",
        "-", "++1", "+-1", "--1", "1e400", "-1e400", "1 2", "e5"}) {
    EXPECT_EQ(RefusalOf<double>(text),
              "here = '" + std::string(text) + "': expected a number");
  }
}

TEST(ParseValueTest, ARefusalIsFitForATerminal) {
  EXPECT_EQ(RefusalOf<double>("1\n\x1b[31m"),
            "here = '1??[31m': expected a number");
  EXPECT_LT(RefusalOf<double>(std::string(100000, '1') + "x").size(), 200U);
}

TEST(ParseValueTest, RefusesWhatIsNoWholeNumber) {
  for (const std::string_view text :
       {"", " 1", "1 ", "1.0", "1e3", "0x10", "1x", "+", "-", "+-1", "++1",
        "9223372036854775808", "-9223372036854775809", "nan", "inf"}) {
    EXPECT_EQ(RefusalOf<Index>(text),
              "here = '" + std::string(text) + "': expected a whole number");
  }
  for (const std::string_view text :
       {"", "-1", "-0", "+-1", "1.5", "18446744073709551616", "0x7", " 7"}) {
    EXPECT_EQ(RefusalOf<std::uint64_t>(text),
              "here = '" + std::string(text) +
                  "': expected a whole number from 0 on");
  }
}

TEST(ParseValueTest, ReadsTheThreeFormsOfEachTruthValue) {
  EXPECT_TRUE(Parsed<bool>("true"));
  EXPECT_TRUE(Parsed<bool>("True"));
  EXPECT_FALSE(Parsed<bool>("False"));
  EXPECT_TRUE(Parsed<bool>("1"));
  EXPECT_FALSE(Parsed<bool>("false"));
  EXPECT_FALSE(Parsed<bool>("0"));
  for (const std::string_view text : {"", "TRUE", "yes", "2", " true", "no"}) {
    EXPECT_EQ(RefusalOf<bool>(text),
              "here = '" + std::string(text) + "': expected true or false");
  }
}

TEST(ParseValueTest, RefusalOfAnEnumListsItsNames) {
  EXPECT_EQ(Parsed<Road>("randomised"), Road::kRandomised);
  for (const std::string_view text : {"", "Gram", "gram ", "2", "none"}) {
    EXPECT_EQ(RefusalOf<Road>(text), "here = '" + std::string(text) +
                                         "': expected gram, dense or "
                                         "randomised");
  }
}

TEST(ParseValueTest, NoneEmptiesAnOptional) {
  std::optional<double> value = 3;
  ParseValue("here", "none", value);
  EXPECT_EQ(value, std::nullopt);
  ParseValue("here", "0.25", value);
  EXPECT_EQ(value, 0.25);
  ParseValue("here", "None", value);
  EXPECT_EQ(value, std::nullopt);
  EXPECT_NE(RefusalOf<std::optional<double>>(""), "");
  EXPECT_NE(RefusalOf<double>("none"), "");
}

TEST(ParseValueTest, ReadsTextsAndListsOfThem) {
  using List = std::vector<std::string>;
  std::string text;
  ParseValue("--x", "any, text", text);
  EXPECT_EQ(text, "any, text");
  List list = {"old"};
  ParseValue("--x", "", list);
  EXPECT_EQ(list, List{});
  ParseValue("--x", "a", list);
  EXPECT_EQ(list, List{"a"});
  for (const List& expected : {List{"a", "-1", "b c"}, List{"", "a", ""}}) {
    ParseValue("--x", FormatValue(expected), list);
    EXPECT_EQ(list, expected);
  }
}

TEST(ParseValueTest, RefusalLeavesTheValueAlone) {
  double number = 5;
  EXPECT_THROW(ParseValue("here", "1e-3x", number), UsageError);
  EXPECT_EQ(number, 5);
  std::optional<Index> optional = 6;
  EXPECT_THROW(ParseValue("here", "x", optional), UsageError);
  EXPECT_EQ(optional, 6);
}

TEST(FormatValueTest, ReadsBackAsTheSameValue) {
  for (const double x :
       {0.0, 0.1, 1e-300, -2.5, 1.0 / 3, 1e22, 5e-324, 1e300}) {
    EXPECT_EQ(Parsed<double>(FormatValue(x)), x);
    EXPECT_EQ(Parsed<std::optional<double>>(FormatValue(std::optional(x))), x);
  }
  for (const Index x : {Index{0}, Index{-5}, Index{1} << 62}) {
    EXPECT_EQ(Parsed<Index>(FormatValue(x)), x);
  }
  for (const bool x : {false, true}) {
    EXPECT_EQ(Parsed<bool>(FormatValue(x)), x);
  }
  for (const Road x : {Road::kGram, Road::kDense, Road::kRandomised}) {
    EXPECT_EQ(Parsed<Road>(FormatValue(x)), x);
  }
  EXPECT_EQ(FormatValue(std::optional<double>()), "none");
  EXPECT_EQ(FormatValue(0.1), "0.1");
}

TEST(SetFieldTest, SetsTheFieldOfThatNameAndNoOther) {
  Demo demo;
  EXPECT_TRUE(SetField("--x", "rtol", "0.25", demo));
  EXPECT_TRUE(SetField("--x", "rank", "12", demo));
  EXPECT_TRUE(SetField("--x", "seed", "99", demo));
  EXPECT_TRUE(SetField("--x", "bias", "false", demo));
  EXPECT_TRUE(SetField("--x", "road", "gram", demo));
  EXPECT_TRUE(SetField("--x", "damping", "-3", demo));
  EXPECT_TRUE(SetField("--x", "limit", "none", demo));
  EXPECT_EQ(demo, (Demo{.rtol = 0.25,
                        .rank = 12,
                        .seed = 99,
                        .bias = false,
                        .road = Road::kGram,
                        .damping = -3,
                        .limit = std::nullopt}));
}

TEST(SetFieldTest, UnknownNameIsReportedAndChangesNothing) {
  Demo demo;
  for (const std::string_view name : {"", "Rtol", "rto", "rtol ", "rtoll"}) {
    EXPECT_FALSE(SetField("--x", name, "0.25", demo)) << name;
  }
  EXPECT_EQ(demo, Demo{});
}

TEST(SetFieldTest, BadTextIsReportedWithItsSource) {
  EXPECT_EQ(SettingOf("rtol", "1e-3x"), "--flag = '1e-3x': expected a number");
  EXPECT_EQ(SettingOf("road", "Gram"),
            "--flag = 'Gram': expected gram, dense or randomised");
}

TEST(SetFieldTest, ValueOutsideItsRangeIsReportedWithSourceAndLimits) {
  for (const std::string_view text : {"-1", "1", "nan", "inf"}) {
    EXPECT_EQ(SettingOf("rtol", text),
              "--flag = " + std::string(text) + ": must satisfy 0 <= rtol < 1");
  }
  EXPECT_NE(SettingOf("anything", "nan"), "");
  EXPECT_NE(SettingOf("damping", "10"), "");
  EXPECT_NE(SettingOf("limit", "1"), "");
  EXPECT_EQ(SettingOf("damping", "none"), "");
}

TEST(DescribeFieldsTest, ListsEveryFieldWithDefaultAndRange) {
  const auto list = DescribeFields<Demo>();
  struct Expected {
    std::string name, doc, default_value, range;
  };
  const std::vector<Expected> expected = {
      {"rtol", "cut-off", "0.5", "0 <= rtol < 1"},
      {"rate", "step", "0.1", "rate > 0"},
      {"anything", "no limits", "2", ""},
      {"rank", "directions", "3", "rank >= 1"},
      {"seed", "of the stream", "7", ""},
      {"bias", "with bias", "true", ""},
      {"road", "which way", "dense", "gram, dense or randomised"},
      {"damping", "shift", "none", "damping < 10"},
      {"limit", "at most", "4", "2 <= limit <= 9"},
  };
  ASSERT_EQ(list.size(), expected.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].name, expected[i].name);
    EXPECT_EQ(list[i].doc, expected[i].doc);
    EXPECT_EQ(list[i].default_value, expected[i].default_value);
    EXPECT_EQ(list[i].range, expected[i].range);
  }
}

}  // namespace
}  // namespace sven
