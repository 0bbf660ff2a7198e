// SPDX-License-Identifier: MIT
//
// Tables of users' own data: samples as rows, of whose columns some are inputs
// and some are targets. csv.h and dataset_file.h read them.
#ifndef SVEN_DATA_TABLE_H_
#define SVEN_DATA_TABLE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/fields.h"
#include "sven/data/dataset.h"

namespace sven::data {

// What targets are.
//   numbers   for regression: Dataset::y
//   classes   words or whole numbers, for classification: Dataset::labels
//   auto      classes if there is one target, and it consists of words or (in
//             files that have types) of an integer type; numbers otherwise.
//             Text files have no types: whole numbers there are numbers.
enum class TargetKind { kAuto, kNumbers, kClasses };

// Which columns of a table are what. A column is named by its name, where the
// table has names, or by its number: the first is 1, the last is also -1. A
// name goes before a number.
struct ColumnOptions {
  std::vector<std::string> targets = {};
  // In this order. Empty: all that are not targets, in the order of the table.
  std::vector<std::string> inputs = {};
  TargetKind target_kind = TargetKind::kAuto;
  // Names of the classes 0, 1, ...; any other class is an error. To be set
  // where numbers must mean what they mean elsewhere, as in a test set that may
  // lack a class. Empty: those of the file, sorted; numbers by value.
  std::vector<std::string> classes = {};

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"target", "target columns, by name or number, commas between"},
          self.targets);
    visit(Field{"inputs", "input columns; empty: all others"}, self.inputs);
    visit(Field{"target_kind", "what targets are"}, self.target_kind);
    visit(Field{"classes", "classes 0, 1, ...; empty: as found, sorted"},
          self.classes);
  }
  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

template <class T>
struct Table {
  Dataset<T> data;
  // Without samples unless the file has such a part.
  Dataset<T> validation = {};
  // Of the columns of data.x and of the targets; empty if the file has none.
  std::vector<std::string> input_names = {};
  std::vector<std::string> target_names = {};
  // Of the labels 0, 1, ...; empty if targets are numbers. Classes that are
  // whole numbers are called by them: labels 0 ... C-1 stay what they are.
  std::vector<std::string> class_names = {};
};

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::TargetKind> {
  using TargetKind = sven::data::TargetKind;
  static constexpr std::pair<std::string_view, TargetKind> kTable[] = {
      {"auto", TargetKind::kAuto},
      {"numbers", TargetKind::kNumbers},
      {"classes", TargetKind::kClasses},
  };
};

#endif  // SVEN_DATA_TABLE_H_
