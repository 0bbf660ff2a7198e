// SPDX-License-Identifier: MIT
#include "sven/data/csv.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "class_names.h"
#include "columns.h"
#include "csv_header.h"
#include "csv_scanner.h"
#include "fail.h"
#include "growing_matrix.h"
#include "number_text.h"
#include "stored_array.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

template <class T>
class TableReader {
 public:
  TableReader(UniqueStream file, const CsvOptions& options)
      : file_(std::move(file)),
        options_(options),
        scanner_(*file_, options.separator),
        classes_(options.columns.classes) {
    options.columns.Validate();
  }

  Table<T> Read() {
    const CsvRecord first = ReadFirst();
    const bool has_header = IsCsvHeader(Source(), options_, first);
    if (has_header) TakeNames(first);
    ChooseRoles();
    if (!has_header) {
      may_be_header_ = options_.header == Header::kAuto;
      TakeRecord(first);
    }
    while (scanner_.Next()) TakeField();
    if (rows_ == 0) {
      Fail(Source(), "has a header and no rows, expected at least one");
    }
    return Finish();
  }

 private:
  enum class Use { kNone, kInput, kNumber, kClass, kUndecided };
  // What becomes of a column: which one of the inputs or targets it is.
  struct Role {
    Use use = Use::kNone;
    Index position = 0;
  };

  [[nodiscard]] const std::string& Source() const { return file_->Name(); }

  CsvRecord ReadFirst() {
    CsvRecord record;
    while (scanner_.Next()) {
      record.line = scanner_.Column() == 1 ? scanner_.Line() : record.line;
      record.words.emplace_back(scanner_.IsQuoted() ? scanner_.Text()
                                                    : Trim(scanner_.Text()));
      if (scanner_.EndsRecord()) break;
    }
    if (record.words.empty()) Fail(Source(), "is empty, expected a table");
    columns_ = std::ssize(record.words);
    first_line_ = record.line;
    return record;
  }

  void TakeNames(const CsvRecord& first) {
    names_ = first.words;
    for (Index i = 0; i < columns_; ++i) {
      if (IsUtf8(names_[i])) continue;
      Fail(Source(), "line {}, column {}: {}, expected a name in UTF-8",
           first.line, i + 1, Quote(names_[i]));
    }
  }

  void ChooseRoles() {
    choice_ = ChooseColumns(Source(), options_.columns, columns_, names_);
    roles_.resize(static_cast<std::size_t>(columns_));
    for (Index i = 0; i < std::ssize(choice_.inputs); ++i) {
      roles_[choice_.inputs[i]] = {Use::kInput, i};
    }
    const Use use = TargetUse();
    for (Index i = 0; i < std::ssize(choice_.targets); ++i) {
      roles_[choice_.targets[i]] = {use, i};
    }
    x_ = GrowingMatrix<T>(std::ssize(choice_.inputs));
    y_ = GrowingMatrix<T>(use == Use::kClass ? 0 : std::ssize(choice_.targets));
  }

  [[nodiscard]] Use TargetUse() const {
    switch (options_.columns.target_kind) {
      case TargetKind::kNumbers:
        return Use::kNumber;
      case TargetKind::kClasses:
        return Use::kClass;
      case TargetKind::kAuto:
        break;
    }
    if (choice_.targets.size() != 1) return Use::kNumber;
    return options_.columns.classes.empty() ? Use::kUndecided : Use::kClass;
  }

  void TakeRecord(const CsvRecord& record) {
    BeginRow();
    for (Index column = 0; column < columns_; ++column) {
      line_ = record.line;
      TakeValue(column, record.words[column]);
    }
  }

  void TakeField() {
    const Index column = scanner_.Column() - 1;
    line_ = scanner_.Line();
    if (column == 0) {
      row_line_ = line_;
      BeginRow();
    }
    if (column < columns_) {
      // Blanks around a number do not matter; in quotes they are part of a word.
      TakeValue(column,
                scanner_.IsQuoted() ? scanner_.Text() : Trim(scanner_.Text()));
    }
    if (scanner_.EndsRecord() && column + 1 != columns_) {
      Fail(Source(), "line {}: {} values, expected {} as in line {}", row_line_,
           column + 1, columns_, first_line_);
    }
  }

  void BeginRow() {
    TakeMemory(Source(), [&] {
      x_row_ = x_.AddRow();
      y_row_ = y_.AddRow();
    });
    ++rows_;
  }

  void TakeValue(Index column, std::string_view text) {
    if (roles_[column].use == Use::kUndecided) DecideTarget(column, text);
    const Role role = roles_[column];
    if (role.use == Use::kInput) {
      TakeNumber(column, text, x_row_[role.position]);
    } else if (role.use == Use::kNumber) {
      TakeNumber(column, text, y_row_[role.position]);
    } else if (role.use == Use::kClass) {
      TakeClass(column, text);
    }
  }

  // The first value of the only target decides.
  void DecideTarget(Index column, std::string_view text) {
    roles_[column].use =
        LooksLikeNumber(text) || IsMissing(text) ? Use::kNumber : Use::kClass;
    decided_by_words_ = roles_[column].use == Use::kClass;
    if (decided_by_words_) y_ = GrowingMatrix<T>(0);
  }

  void TakeNumber(Index column, std::string_view text, T& value) {
    const NumberStatus status = ParseNumber(text, value);
    if (status == NumberStatus::kFine) [[likely]] {
      return;
    }
    if (Trim(text).empty()) {
      FailAt(column, "a missing value, expected a number");
    }
    FailAt(column,
           fmt::format("{}, expected {}", Quote(text), Expected(status, text)));
  }

  [[nodiscard]] std::string Expected(NumberStatus status,
                                     std::string_view text) const {
    if (status == NumberStatus::kNotFinite) return "a finite number";
    if (status == NumberStatus::kTooLarge) {
      return fmt::format("a number of at most {:.3g}",
                         std::numeric_limits<T>::max());
    }
    std::string plain(text);
    std::ranges::replace(plain, ',', '.');
    if (text.find(',') != std::string_view::npos && LooksLikeNumber(plain)) {
      return "a number with a decimal point";
    }
    return "a number";
  }

  void TakeClass(Index column, std::string_view word) {
    if (IsMissing(word) && !classes_.IsKnown(word)) {
      FailAt(column, fmt::format("a missing value ({}), expected a class",
                                 Quote(word)));
    }
    CheckAgainstFirst(column, word);
    if (!IsUtf8(word)) {
      FailAt(column, fmt::format("{}, expected UTF-8", Quote(word)));
    }
    const std::optional<std::int64_t> label = classes_.Label(word);
    if (!label) {
      FailAt(column, fmt::format("class {}, expected one of {}", Quote(word),
                                 Quote(FormatValue(options_.columns.classes))));
    }
    labels_.push_back(*label);
  }

  // A word over numbers may be the name of the column, taken for a class.
  void CheckAgainstFirst(Index column, std::string_view word) {
    if (rows_ == 1) first_class_is_word_ = !LooksLikeNumber(word);
    const bool may_disagree =
        first_class_is_word_ &&
        (decided_by_words_ || (may_be_header_ && rows_ == 2));
    if (may_disagree && LooksLikeNumber(word)) {
      FailAt(column,
             fmt::format("{}, a number where line {} has a word; say header = "
                         "yes or no, and target_kind = numbers or classes",
                         Quote(word), first_line_));
    }
  }

  [[noreturn]] void FailAt(Index column, std::string_view what) const {
    Fail(Source(), "line {}, {}: {}", line_, DescribeColumn(column, names_),
         what);
  }

  Table<T> Finish() {
    Table<T> table;
    table.data.x = x_.Take();
    if (labels_.empty()) {
      table.data.y = y_.Take();
    } else {
      table.class_names = classes_.Finish(Source(), {std::ref(labels_)});
      table.data.labels = std::move(labels_);
      table.data.labels.shrink_to_fit();
    }
    table.input_names = NamesOf(choice_.inputs, names_);
    table.target_names = NamesOf(choice_.targets, names_);
    return table;
  }

  UniqueStream file_;
  const CsvOptions& options_;
  CsvScanner scanner_;
  Index columns_ = 0;
  Index first_line_ = 1;
  std::vector<std::string> names_;
  ColumnChoice choice_;
  std::vector<Role> roles_;

  Index rows_ = 0;
  Index row_line_ = 1;
  Index line_ = 1;
  GrowingMatrix<T> x_{0};
  GrowingMatrix<T> y_{0};
  T* x_row_ = nullptr;
  T* y_row_ = nullptr;
  ClassCollector classes_;
  std::vector<std::int64_t> labels_;
  bool may_be_header_ = false;  // nobody said that the first line is data
  bool decided_by_words_ = false;
  bool first_class_is_word_ = false;
};

}  // namespace

template <class T>
Table<T> ParseCsv(std::span<const std::byte> bytes, std::string_view source,
                  const CsvOptions& options) {
  return TableReader<T>(StreamContents(OpenMemory(bytes, source)), options)
      .Read();
}

template <class T>
Table<T> ReadCsv(const std::filesystem::path& path, const CsvOptions& options) {
  return TableReader<T>(StreamContents(OpenFile(path)), options).Read();
}

template Table<float> ParseCsv(std::span<const std::byte>, std::string_view,
                               const CsvOptions&);
template Table<double> ParseCsv(std::span<const std::byte>, std::string_view,
                                const CsvOptions&);
template Table<float> ReadCsv(const std::filesystem::path&, const CsvOptions&);
template Table<double> ReadCsv(const std::filesystem::path&, const CsvOptions&);

}  // namespace sven::data
