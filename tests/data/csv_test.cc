// SPDX-License-Identifier: MIT
#include "sven/data/csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

#include "sven/base/error.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::csv_test {
namespace {

using testing::DataErrorOf;
using testing::TemporaryFolder;
using testing::ToBytes;
using Strings = std::vector<std::string>;
using Labels = std::vector<std::int64_t>;

template <class T = double>
Table<T> Parse(std::string_view text, const CsvOptions& options = {}) {
  return ParseCsv<T>(ToBytes(text), "bytes", options);
}

CsvOptions WithTarget(const std::string& target,
                      TargetKind kind = TargetKind::kAuto) {
  return {.columns = {.targets = {target}, .target_kind = kind}};
}

Matrix<double> Rows(const std::vector<std::vector<double>>& rows) {
  Matrix<double> matrix(std::ssize(rows), std::ssize(rows[0]));
  for (Index r = 0; r < matrix.rows(); ++r) {
    for (Index c = 0; c < matrix.cols(); ++c) matrix(r, c) = rows[r][c];
  }
  return matrix;
}

const Matrix<double> kTwoByTwo = Rows({{1, 2}, {3, 4}});

TEST(Csv, EveryEndOfLineAndSeparatorGivesTheSameTable) {
  for (const std::string text :
       {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r\n3,4", "1;2\n3;4\n",
        "1\t2\n3\t4\n",
        "\xef\xbb\xbf"
        "1,2\n3,4\n",
        "1,2\n3,4\n\n\r\n\n", "\"1\",\"2\"\n3,\"4\"\n", " 1 , +2\n3\t,4.0\n",
        "1e0,2.\n.3e1,+4\n", "a,b\n1,2\n3,4\n",
        "\xef\xbb\xbf\"a\",\"b\"\r\n1,2\r\n3,4"}) {
    EXPECT_EQ(Parse(text).data.x, kTwoByTwo) << text;
  }
}

TEST(Csv, ASeparatorThatIsSaidIsTheOnlyOne) {
  const CsvOptions semicolon = {.separator = Separator::kSemicolon,
                                .header = Header::kYes};
  const Table<double> table = Parse("a,x;b\tx\n1;2\n3;4", semicolon);
  EXPECT_EQ(table.data.x, kTwoByTwo);
  EXPECT_EQ(table.input_names, (Strings{"a,x", "b\tx"}));
}

TEST(Csv, TheSeparatorIsSoughtOutsideOfQuotesInTheFirstLine) {
  EXPECT_EQ(Parse("\"a;\tx\",\"b\n;\"\n1,2\n3,4").data.x, kTwoByTwo);
  EXPECT_EQ(Parse("\"a,x\";b\n1;2\n3;4").data.x, kTwoByTwo);
  EXPECT_EQ(Parse("\"a;x\"\tb\n1\t2\n3\t4").data.x, kTwoByTwo);
}

TEST(Csv, QuotedFieldsHoldSeparatorsLineBreaksAndQuotes) {
  const Table<double> table =
      Parse("\"a,\"\"b\"\"\",\"c\nd\",\"\"\"\",\"\"\n1,2,3,4\n");
  EXPECT_EQ(table.input_names, (Strings{"a,\"b\"", "c\nd", "\"", ""}));
  EXPECT_EQ(table.data.x, Rows({{1, 2, 3, 4}}));
}

TEST(Csv, LinesAreCountedThroughQuotes) {
  const std::string message =
      DataErrorOf([] { Parse("\"a\n\n\",b\n1,2\n3,x\n"); });
  EXPECT_NE(message.find("line 5, column 2 ('b'): 'x'"), std::string::npos)
      << message;
}

// The first line is data or names.
TEST(Csv, AHeaderIsSeenByItsWords) {
  EXPECT_EQ(Parse("a,b\n1,2").input_names, (Strings{"a", "b"}));
  EXPECT_EQ(Parse(",b\n1,2").input_names, (Strings{"", "b"}));
  EXPECT_EQ(Parse("5,6\n1,2").data.x.rows(), 2);
  EXPECT_TRUE(Parse("5,6\n1,2").input_names.empty());
  // A class is no feature, so its name does not make a header.
  const Table<double> flowers = Parse("1,2,setosa\n3,4,lily", WithTarget("3"));
  EXPECT_EQ(flowers.data.x, kTwoByTwo);
  EXPECT_EQ(flowers.class_names, (Strings{"lily", "setosa"}));
}

TEST(Csv, AHeaderCanBeForcedAndDenied) {
  const Table<double> named = Parse("5,6\n1,2\n3,4", {.header = Header::kYes});
  EXPECT_EQ(named.input_names, (Strings{"5", "6"}));
  EXPECT_EQ(named.data.x, kTwoByTwo);
  EXPECT_THROW(Parse("a,b\n1,2", {.header = Header::kNo}), DataError);
  // Asking for a name is saying that there is one.
  EXPECT_EQ(Parse("5,6\n1,2", WithTarget("6")).data.y, Rows({{2}}));
}

TEST(Csv, ColumnsAreFoundByNameAndByNumberFromBothEnds) {
  const std::string text = "a,b,c\n1,2,3\n4,5,6\n";
  for (const std::string target : {"b", "2", "-2"}) {
    const Table<double> table = Parse(text, WithTarget(target));
    EXPECT_EQ(table.data.x, Rows({{1, 3}, {4, 6}}));
    EXPECT_EQ(table.data.y, Rows({{2}, {5}}));
    EXPECT_EQ(table.input_names, (Strings{"a", "c"}));
    EXPECT_EQ(table.target_names, (Strings{"b"}));
  }
}

TEST(Csv, ANameGoesBeforeANumber) {
  const Table<double> table =
      Parse("3,b,1\n1,2,3\n",
            {.columns = {.targets = {"1"}}, .header = Header::kYes});
  EXPECT_EQ(table.data.y, Rows({{3}}));
}

TEST(Csv, SeveralTargetsAndInputsComeInTheOrderAskedFor) {
  const CsvOptions options = {
      .columns = {.targets = {"d", "a"}, .inputs = {"c", "b"}}};
  const Table<double> table = Parse("a,b,c,d,e\n1,2,3,4,text\n", options);
  EXPECT_EQ(table.data.x, Rows({{3, 2}}));
  EXPECT_EQ(table.data.y, Rows({{4, 1}}));
  EXPECT_EQ(table.input_names, (Strings{"c", "b"}));
  EXPECT_EQ(table.target_names, (Strings{"d", "a"}));
}

TEST(Csv, WithoutTargetsThereAreNone) {
  const Table<double> table = Parse("1,2\n3,4");
  EXPECT_EQ(table.data.y.size(), 0);
  EXPECT_TRUE(table.data.labels.empty());
  EXPECT_TRUE(table.class_names.empty());
}

TEST(Csv, WordsAreClassesInSortedOrder) {
  const Table<double> table =
      Parse("1,b\n2, a\n3,\"c,\"\n4,b\n", WithTarget("-1"));
  EXPECT_EQ(table.class_names, (Strings{"a", "b", "c,"}));
  EXPECT_EQ(table.data.labels, (Labels{1, 0, 2, 1}));
  EXPECT_EQ(table.data.y.size(), 0);
}

TEST(Csv, WholeNumbersAreClassesIfSaidSo) {
  const std::string text = "1,2\n2,0\n3,1\n4,2\n";
  const Table<double> classes =
      Parse(text, WithTarget("2", TargetKind::kClasses));
  EXPECT_EQ(classes.data.labels, (Labels{2, 0, 1, 2}));
  EXPECT_EQ(classes.class_names, (Strings{"0", "1", "2"}));
  EXPECT_EQ(Parse(text, WithTarget("2")).data.y, Rows({{2}, {0}, {1}, {2}}));
}

TEST(Csv, NumbersOfClassesAreSortedByValueAndMayBeWrittenInManyWays) {
  const Table<double> table = Parse("1,10\n1,9\n1,-3\n1,09\n1,9.0\n1,+1e1\n",
                                    WithTarget("2", TargetKind::kClasses));
  EXPECT_EQ(table.class_names, (Strings{"-3", "9", "10"}));
  EXPECT_EQ(table.data.labels, (Labels{2, 1, 0, 1, 1, 2}));
}

TEST(Csv, NumbersAmongWordsAreWords) {
  const Table<double> table =
      Parse("1,01\n1,b\n1,1\n", WithTarget("2", TargetKind::kClasses));
  EXPECT_EQ(table.class_names, (Strings{"01", "1", "b"}));
}

TEST(Csv, KnownClassesKeepTheirNumbers) {
  const CsvOptions words = {
      .columns = {.targets = {"2"}, .classes = {"NA", "b", "a"}}};
  const Table<double> table = Parse("1,a\n1,NA\n1,a\n", words);
  EXPECT_EQ(table.data.labels, (Labels{2, 0, 2}));
  EXPECT_EQ(table.class_names, (Strings{"NA", "b", "a"}));
  // A test set that lacks class 1.
  const CsvOptions numbers = {
      .columns = {.targets = {"2"}, .classes = {"0", "1", "2"}}};
  EXPECT_EQ(Parse("1,2\n1,0.0\n1,02\n", numbers).data.labels,
            (Labels{2, 0, 2}));
  EXPECT_THROW(Parse("1,3\n", numbers), DataError);
}

TEST(Csv, OptionsThatContradictEachOtherAreAUsageError) {
  const std::vector<ColumnOptions> wrong = {
      {.targets = {"1", "2"}, .target_kind = TargetKind::kClasses},
      {.targets = {"1", "2"}, .classes = {"a", "b"}},
      {.target_kind = TargetKind::kNumbers, .classes = {"a"}},
      {.classes = {"a", "b", "a"}},
  };
  for (const ColumnOptions& columns : wrong) {
    EXPECT_THROW(Parse("1,2,3\n", {.columns = columns}), UsageError);
  }
}

template <class T>
class CsvNumbers : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CsvNumbers, Types);

double Reference(const std::string& text, double /*like*/) {
  return std::strtod(text.c_str(), nullptr);
}
float Reference(const std::string& text, float /*like*/) {
  return std::strtof(text.c_str(), nullptr);
}

TYPED_TEST(CsvNumbers, AreRoundedAsTheCLibraryRoundsThem) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-10, 10);
  std::uniform_int_distribution<int> exponent(-60, 37);
  Strings texts = {"0.1",
                   "-0",
                   "1e-400",
                   "-1e-500",
                   "1e-46",
                   "4e-324",
                   "1e-45",
                   "0e999",
                   "16777217",
                   "33554433.0000001",
                   "0.000000000000000000000000000000000000000000000001e-350",
                   "1e-99999999999999999999"};
  for (int i = 0; i < 5000; ++i) {
    texts.push_back(
        fmt::format("{:.{}f}e{}", mantissa(random), i % 25, exponent(random)));
  }
  std::string file;
  for (const std::string& text : texts) file += text + "\n";
  const Table<TypeParam> table = Parse<TypeParam>(file);
  ASSERT_EQ(table.data.x.rows(), std::ssize(texts));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(table.data.x(i, 0), Reference(texts[i], TypeParam{})) << texts[i];
  }
}

// Fields and records across the blocks in which the file is read, and matrices
// that have to grow.
TYPED_TEST(CsvNumbers, LargeFilesAreReadWhole) {
  const TemporaryFolder folder;
  std::string text = "a,label,b\r\n";
  constexpr Index kRows = 200'000;
  for (Index r = 0; r < kRows; ++r) {
    text +=
        fmt::format("{},\"class {}\",\"{}\"\r\n", r, r % 7, 0.5 * double(r));
  }
  ASSERT_GT(text.size(), 3'000'000U);
  testing::Spill(folder / "x.csv", ToBytes(text));
  const Table<TypeParam> table =
      ReadCsv<TypeParam>(folder / "x.csv", WithTarget("label"));
  ASSERT_EQ(table.data.x.rows(), kRows);
  ASSERT_EQ(std::ssize(table.data.labels), kRows);
  for (Index r = 0; r < kRows; ++r) {
    ASSERT_EQ(table.data.x(r, 0), TypeParam(r));
    ASSERT_EQ(table.data.x(r, 1), TypeParam(0.5 * double(r)));
    ASSERT_EQ(table.data.labels[r], r % 7);
  }
}

std::string Quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

TEST(Csv, WhateverIsInQuotesIsReadBack) {
  std::mt19937 random(11);
  const std::string letters = "ab,;\t\"\n\r 1";
  for (int trial = 0; trial < 2000; ++trial) {
    Strings words;
    std::string header;
    std::string values;
    for (int i = 0; i < 5; ++i) {
      std::string word = "w";
      for (std::size_t length = random() % 6; length > 0; --length) {
        word += letters[random() % letters.size()];
      }
      if (i > 0) header += ',';
      header += Quoted(word);
      values += i > 0 ? ",1" : "1";
      words.push_back(word);
    }
    const Table<double> table = Parse(header + "\n" + values + "\n");
    ASSERT_EQ(table.input_names, words) << header;
  }
}

TEST(Csv, DamagedFilesParseOrThrowDataError) {
  std::mt19937 random(20240611);
  const std::vector<std::byte> original =
      ToBytes("x,\"y, z\",kind\n1.5,-2e3,a\n\"3\",4,\"b\"\"c\"\n5,6.25,a\n");
  int refused = 0;
  constexpr int kFiles = 20'000;
  for (int i = 0; i < kFiles; ++i) {
    const auto damaged =
        testing::Damage(original, "\",;\t\r\n\\+-.eE0 ", random);
    try {
      const Table<double> table =
          ParseCsv<double>(damaged, "damaged", WithTarget("-1"));
      ASSERT_GT(table.data.x.rows(), 0);
      ASSERT_TRUE(table.data.x.allFinite());
    } catch (const DataError& error) {
      ASSERT_EQ(testing::FaultsOf(error.what(), "damaged", {}), "");
      ++refused;
    }
  }
  EXPECT_GT(refused, kFiles / 4);
  EXPECT_LT(refused, kFiles);
}

}  // namespace
}  // namespace sven::data::csv_test
