// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_COLUMNS_H_
#define SVEN_SRC_DATA_COLUMNS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sven/base/types.h"
#include "sven/data/table.h"

namespace sven::data {

// Columns counted from 0.
struct ColumnChoice {
  std::vector<Index> inputs;
  std::vector<Index> targets;
};

// Finds the columns that `options` asks for among `count` of them. `names` are
// theirs, or empty. DataError, opening with `source`, if one is not there, is
// asked for twice, or if there is no input.
ColumnChoice ChooseColumns(std::string_view source,
                           const ColumnOptions& options, Index count,
                           std::span<const std::string> names);

// Whether a column is asked for by a text that is not the number of one.
bool AsksForNames(const ColumnOptions& options, Index count);

// Those of `names` that `columns` asks for; none if there are none.
std::vector<std::string> NamesOf(std::span<const Index> columns,
                                 std::span<const std::string> names);

// "column 3 ('area')", for messages; counted from 0 here and from 1 there.
std::string DescribeColumn(Index column, std::span<const std::string> names);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_COLUMNS_H_
