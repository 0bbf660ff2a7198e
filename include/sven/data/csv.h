// SPDX-License-Identifier: MIT
//
// Tables in text files: values separated by commas, tabs or semicolons, one
// sample a line. Quoting is that of RFC 4180: a field in double quotes may hold
// separators, line breaks and, doubled, quotes. Lines end with LF or CRLF, the
// last one may lack it, and a UTF-8 byte order mark is passed over.
//
// Numbers are read with a decimal point in every locale, exactly rounded, with
// or without a plus, blanks around them and quotes. NaN, infinity and missing
// values are refused, as are rows of another length than the first one and
// empty lines between rows (at the end of the file they do not matter). A
// DataError says where:
//
//   houses.csv: line 7, column 3 ('area'): '12O', expected a number
//
// The file, which may be compressed by gzip, is read in blocks; nothing of its
// size is held but the numbers.
#ifndef SVEN_DATA_CSV_H_
#define SVEN_DATA_CSV_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "sven/data/table.h"

namespace sven::data {

// auto: a tab, if the first line has one outside of quotes; else a semicolon,
// if it has one; else a comma.
enum class Separator { kAuto, kComma, kTab, kSemicolon };

// Whether the first line holds the names of the columns. auto: yes if a column
// is chosen by name, or if none of the inputs' fields is a number and at least
// one is a word; no if all are numbers or missing. A first line with numbers
// and words among the inputs is refused, and so is one whose target is a word
// where the next line has a number: say which it is.
enum class Header { kAuto, kYes, kNo };

struct CsvOptions {
  ColumnOptions columns = {};
  Separator separator = Separator::kAuto;
  Header header = Header::kAuto;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    ColumnOptions::VisitFields(self.columns, visit);
    visit(Field{"separator", "between the values of a text file"},
          self.separator);
    visit(Field{"header", "whether the first line of a text file has names"},
          self.header);
  }
};

// Without targets, all columns are inputs. Classes are words as they stand (in
// quotes, or without the blanks around them), unless all of them are numbers,
// which have to be whole then: 1, 01 and 1.0 are one class. The words ?, NA,
// N/A, NaN, null and nothing at all are missing values.
//
// `source` names the bytes in error messages.
template <class T>
Table<T> ParseCsv(std::span<const std::byte> bytes, std::string_view source,
                  const CsvOptions& options = {});
template <class T>
Table<T> ReadCsv(const std::filesystem::path& path,
                 const CsvOptions& options = {});

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::Separator> {
  using Separator = sven::data::Separator;
  static constexpr std::pair<std::string_view, Separator> kTable[] = {
      {"auto", Separator::kAuto},
      {"comma", Separator::kComma},
      {"tab", Separator::kTab},
      {"semicolon", Separator::kSemicolon},
  };
};

template <>
struct sven::EnumNames<sven::data::Header> {
  using Header = sven::data::Header;
  static constexpr std::pair<std::string_view, Header> kTable[] = {
      {"auto", Header::kAuto},
      {"yes", Header::kYes},
      {"no", Header::kNo},
  };
};

#endif  // SVEN_DATA_CSV_H_
