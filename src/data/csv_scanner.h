// SPDX-License-Identifier: MIT
//
// Takes a text file apart into fields.
#ifndef SVEN_SRC_DATA_CSV_SCANNER_H_
#define SVEN_SRC_DATA_CSV_SCANNER_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.h"
#include "sven/data/csv.h"

namespace sven::data {

// One field after the other:
//
//   CsvScanner scanner(stream, Separator::kAuto);
//   while (scanner.Next()) ... scanner.Text() ... scanner.EndsRecord() ...
//
// Holds a block of the file at a time; a field has to fit into it. DataError,
// with the line, for what is not as RFC 4180 has it.
class CsvScanner {
 public:
  CsvScanner(ByteStream& stream, Separator separator);

  // Goes to the next field; false if there is none.
  bool Next();

  // Without the quotes; valid until the next call.
  [[nodiscard]] std::string_view Text() const { return text_; }
  [[nodiscard]] bool IsQuoted() const { return quoted_; }
  [[nodiscard]] bool EndsRecord() const { return ends_record_; }
  // Where the field begins, counted from 1.
  [[nodiscard]] Index Line() const { return line_; }
  [[nodiscard]] Index Column() const { return column_; }
  [[nodiscard]] char SeparatorCharacter() const { return separator_; }

 private:
  void SkipByteOrderMark();
  [[nodiscard]] char DetectSeparator() const;
  // Whether there is a byte at at_; reads on if need be. Keeps the bytes from
  // begin_ on, and moves begin_ and at_ with them.
  bool HasByte();
  bool SkipEmptyLines();
  void ScanPlain();
  void ScanQuoted();
  // Steps over what ends a field: a separator, a line break or nothing more.
  void TakeEnd(std::string_view expected);
  [[noreturn]] void FailHere(std::string_view what) const;

  ByteStream& stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the field, in the buffer
  std::size_t at_ = 0;     // the next byte to look at
  std::size_t end_ = 0;    // of what the buffer holds
  char separator_ = ',';
  std::array<bool, 256> special_ = {};  // bytes that end a plain field

  Index next_line_ = 1;
  Index line_ = 1;
  Index column_ = 0;
  std::string_view text_;
  std::string unescaped_;  // what text_ refers to if quotes were doubled
  bool quoted_ = false;
  bool ends_record_ = true;
};

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_CSV_SCANNER_H_
