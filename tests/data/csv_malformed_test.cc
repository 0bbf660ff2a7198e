// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>

#include "sven/data/csv.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::csv_malformed_test {
namespace {

// A text, how it is read, and what the message has to hold.
struct Case {
  std::string what;
  std::string text;
  std::vector<std::string> words;
  CsvOptions options = {};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.what; }

CsvOptions Target(const std::string& column) {
  return {.columns = {.targets = {column}}};
}

CsvOptions Classes(const std::string& column) {
  return {
      .columns = {.targets = {column}, .target_kind = TargetKind::kClasses}};
}

std::vector<Case> Texts() {
  return {
      {"Empty", "", {"is empty"}},
      {"OnlyByteOrderMark", "\xef\xbb\xbf", {"is empty"}},
      {"OnlyLineBreaks", "\n\r\n\n", {"is empty"}},
      {"Utf16", {"\xff\xfe\x31\0", 4}, {"UTF-16", "UTF-8"}},
      {"Utf16BigEndian", {"\xfe\xff\0\x31", 4}, {"UTF-16", "UTF-8"}},
      {"Nul", {"1,2\n3,\0\n", 8}, {"line 2, column 2", "NUL"}},
      {"NulInQuotes", {"1,2\n\"\0\",3\n", 10}, {"line 2, column 1", "NUL"}},
      {"OnlyHeader", "a,b\n", {"a header and no rows"}},
      {"EmptyLineFirst", "\n1,2\n", {"line 1", "empty line"}},
      {"EmptyLineBetween", "1,2\n\r\n\n3,4\n", {"line 2", "empty line"}},
      {"EmptyLineInOneColumn", "1\n\n3\n", {"line 2", "empty line"}},
      {"CarriageReturnAlone", "1,2\r3,4\r", {"line 1", "carriage return"}},
      {"CarriageReturnAtEnd", "1,2\n3,4\r", {"line 2", "carriage return"}},
      {"QuoteInside", "1,2\n3,4\"5\"\n", {"line 2, column 2", "quote inside"}},
      {"QuoteAfterBlank", "1,2\n3, \"4\"\n", {"line 2, column 2", "quote"}},
      {"QuoteNotClosed", "1,\"2\n3,4\n", {"line 1, column 2", "not closed"}},
      {"QuoteThenText", "1,2\n\"3\"4,5\n", {"line 2, column 1", "'4'"}},
      {"QuoteThenOtherSeparator",
       "a;b\n\"1\",2\n",
       {"line 2, column 1", "','", "separator"}},
      {"RowTooShort", "1,2,3\n4,5\n", {"line 2", "2 values", "3", "line 1"}},
      {"RowTooLong", "a,b\n1,2\n3,4,5\n", {"line 3", "3 values", "2"}},
      {"RowEndsWithSeparator", "1,2\n3,4,\n", {"line 2", "3 values"}},
      {"RowOfBlanks", "1,2\n  \n", {"line 2", "missing value"}},
      {"LastRowShort", "1,2\n3,4\n5", {"line 3", "1 values"}},
      {"FieldOfMegabytes",
       std::string(3'000'000, 'x').insert(0, "\""),
       {"line 1, column 1", "more than 1048576 bytes", "quote"}},
      {"LineBeyondAnother", "\"\n\n\",b\n1,2\n3\n", {"line 5", "1 values"}},
  };
}

std::vector<Case> Numbers() {
  const std::string nines(400, '9');
  const std::string letters(5000, 'x');
  return {
      {"Word", "a,b\n1,x\n", {"line 2, column 2 ('b')", "'x'", "a number"}},
      {"WordNoHeader", "1,2\n1,x\n", {"line 2, column 2: 'x'", "a number"}},
      {"Nan", "1,2\n1,nan\n", {"line 2, column 2", "'nan'", "finite"}},
      {"NanFirst", "1,NaN\n1,2\n", {"line 1, column 2", "'NaN'", "finite"}},
      {"Infinity", "1,2\n-inf,2\n", {"line 2, column 1", "'-inf'", "finite"}},
      {"Missing", "1,2\n1,\n", {"line 2, column 2", "missing value"}},
      {"MissingFirst", "1,\n1,2\n", {"line 1, column 2", "missing value"}},
      {"MissingBlank", "1,2\n ,2\n", {"line 2, column 1", "missing value"}},
      {"MissingQuoted", "1,2\n\"\",2\n", {"line 2, column 1", "missing"}},
      {"MissingWord", "1,2\nNA,2\n", {"line 2, column 1", "'NA'"}},
      {"TooLarge", "1,2\n1e999,2\n", {"line 2", "'1e999'", "at most 1.8e+308"}},
      {"TooLargeByDigits",
       "1,2\n" + nines + ",2\n",
       {"line 2", "999...", "at most"}},
      {"Hexadecimal", "1,2\n0x10,2\n", {"line 2", "'0x10'", "a number"}},
      {"DecimalComma", "1;2\n1;2,5\n", {"line 2", "'2,5'", "decimal point"}},
      {"ThousandsComma", "1;2\n1;\"1,000,000\"\n", {"line 2", "a number"}},
      {"TwoSigns", "1,2\n+-1,2\n", {"line 2", "'+-1'"}},
      {"Half", "1,2\n1e,2\n", {"line 2", "'1e'"}},
      {"BlankInside", "1,2\n1 2,3\n", {"line 2", "'1 2'"}},
      {"Escape", "1,2\n\x1b[31m,2\n", {"line 2", "'?[31m'"}},
      {"LongWord", "1,2\n" + letters + ",2\n", {"line 2", "xxx..."}},
      {"NotUtf8", "1,2\n\xe9,2\n", {"line 2", "'?'"}},
      {"NameNotUtf8", "\xe9,b\n1,2\n", {"line 1, column 1", "UTF-8"}},
  };
}

std::vector<Case> Columns() {
  const std::string named = "a,b,c\n1,2,3\n";
  const std::string text = "1,2,3\n4,5,6\n";
  return {
      {"HeaderOrNot", "1,x,3\n1,2,3\n", {"line 1", "'3'", "'x'", "header"}},
      {"NameMissing",
       named,
       {"target", "'d'", "1 to 3", "a, b, c"},
       Target("d")},
      {"NameWithoutHeader",
       text,
       {"'d'", "no names"},
       {.columns = {.targets = {"d"}}, .header = Header::kNo}},
      {"NumberZero", text, {"target", "'0'", "1 to 3"}, Target("0")},
      {"NumberTooLarge", named, {"target", "'4'", "1 to 3"}, Target("4")},
      {"NumberTooSmall",
       text,
       {"target", "'-4'", "-1 for the last"},
       Target("-4")},
      {"InputMissing",
       named,
       {"inputs", "'d'"},
       {.columns = {.inputs = {"a", "d"}}}},
      {"InputTwice",
       named,
       {"inputs", "column 1 ('a')", "twice"},
       {.columns = {.inputs = {"a", "1"}}}},
      {"InputAndTarget",
       text,
       {"inputs", "column 3", "twice"},
       {.columns = {.targets = {"-1"}, .inputs = {"1", "3"}}}},
      {"NoInputLeft",
       "1\n2\n",
       {"1 columns", "all of them targets"},
       Target("1")},
      {"NameTwice",
       "a,b,a\n1,2,3\n",
       {"2 columns", "'a'", "by number"},
       Target("a")},
      {"ManyNames",
       std::string(3000, 'x') + ",b\n1,2\n",
       {"'d'", "xxx..."},
       Target("d")},
  };
}

std::vector<Case> ClassColumns() {
  return {
      {"Missing",
       "1,a\n2,\n",
       {"line 2, column 2", "missing value"},
       Target("2")},
      {"MissingFirst", "1,?\n2,a\n", {"line 1, column 2", "'?'"}, Classes("2")},
      {"MissingWord",
       "1,a\n2,N/A\n",
       {"line 2, column 2", "'N/A'"},
       Target("2")},
      {"Nan", "1,0\n2,nan\n", {"line 2, column 2", "'nan'"}, Classes("2")},
      {"Fraction", "1,0\n2,1.5\n", {"class '1.5'", "whole"}, Classes("2")},
      {"TooLarge", "1,0\n2,1e300\n", {"class '1e300'", "whole"}, Classes("2")},
      {"NumberAfterWords",
       "1,a\n2,b\n3,7\n",
       {"line 3", "'7'", "line 1"},
       Target("2")},
      {"WordAfterNumbers",
       "1,0\n2,1\n3,b\n",
       {"line 3", "'b'", "a number"},
       Target("2")},
      // Names of columns that are numbers do not look like a header.
      {"HeaderTakenForData",
       "0,1,price\n5,6,7\n",
       {"line 2", "'7'", "header"},
       Classes("-1")},
      {"NotUtf8",
       "1,a\n2,\xe9\n",
       {"line 2, column 2", "'?'", "UTF-8"},
       Target("2")},
      {"Unknown",
       "1,a\n2,c\n",
       {"line 2", "class 'c'", "'a,b'"},
       {.columns = {.targets = {"2"}, .classes = {"a", "b"}}}},
  };
}

class MalformedCsv : public ::testing::TestWithParam<Case> {};

TEST_P(MalformedCsv, IsRefusedWithATellingMessage) {
  const Case& c = GetParam();
  const std::string message = testing::DataErrorOf([&] {
    ParseCsv<double>(testing::ToBytes(c.text), "some/file.csv", c.options);
  });
  EXPECT_EQ(testing::FaultsOf(message, "some/file.csv", c.words), "");
}

constexpr auto kTestName = [](const auto& info) { return info.param.what; };
INSTANTIATE_TEST_SUITE_P(Texts, MalformedCsv, ::testing::ValuesIn(Texts()),
                         kTestName);
INSTANTIATE_TEST_SUITE_P(Numbers, MalformedCsv, ::testing::ValuesIn(Numbers()),
                         kTestName);
INSTANTIATE_TEST_SUITE_P(Columns, MalformedCsv, ::testing::ValuesIn(Columns()),
                         kTestName);
INSTANTIATE_TEST_SUITE_P(Classes, MalformedCsv,
                         ::testing::ValuesIn(ClassColumns()), kTestName);

TEST(Csv, ANumberTooLargeForTheTypeIsRefused) {
  const auto bytes = testing::ToBytes("1,2\n3,1e39\n");
  EXPECT_EQ(ParseCsv<double>(bytes, "x").data.x(1, 1), 1e39);
  const std::string message =
      testing::DataErrorOf([&] { ParseCsv<float>(bytes, "x"); });
  EXPECT_EQ(testing::FaultsOf(message, "x", {"'1e39'", "at most 3.4e+38"}), "");
}

}  // namespace
}  // namespace sven::data::csv_malformed_test
