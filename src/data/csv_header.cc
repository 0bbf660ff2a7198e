// SPDX-License-Identifier: MIT
#include "csv_header.h"

#include <optional>

#include "columns.h"
#include "fail.h"
#include "number_text.h"
#include "sven/base/text.h"

namespace sven::data {

bool IsCsvHeader(std::string_view source, const CsvOptions& options,
                 const CsvRecord& first) {
  if (options.header != Header::kAuto) return options.header == Header::kYes;
  const Index count = std::ssize(first.words);
  if (AsksForNames(options.columns, count)) return true;
  const ColumnChoice choice = ChooseColumns(source, options.columns, count, {});
  std::optional<Index> number;
  std::optional<Index> word;
  for (const Index column : choice.inputs) {
    const std::string& text = first.words[column];
    if (IsMissing(text)) continue;
    (LooksLikeNumber(text) ? number : word) = column;
  }
  if (number && word) {
    Fail(source,
         "line {}: column {} is a number ({}) and column {} is not ({}); "
         "expected values only or names only, say header = yes or no",
         first.line, *number + 1, Quote(first.words[*number]), *word + 1,
         Quote(first.words[*word]));
  }
  return word.has_value();
}

}  // namespace sven::data
