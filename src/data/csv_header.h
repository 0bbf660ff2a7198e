// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_CSV_HEADER_H_
#define SVEN_SRC_DATA_CSV_HEADER_H_

#include <string>
#include <string_view>
#include <vector>

#include "sven/data/csv.h"

namespace sven::data {

// The first record, which is kept until it is clear whether it is data.
struct CsvRecord {
  std::vector<std::string> words;  // without the blanks around them
  Index line = 1;
};

// Whether it holds names, by the rule in csv.h. DataError if it might be either.
bool IsCsvHeader(std::string_view source, const CsvOptions& options,
                 const CsvRecord& first);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_CSV_HEADER_H_
