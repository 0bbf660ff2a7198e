// SPDX-License-Identifier: MIT
//
// Data sets out of files of any format that we read:
//
//   text (csv.h)           a table; options name the targets
//   NPY (npy.h)            the inputs, a sample per index of the first axis; or
//                          a table with two axes, with targets by number
//   IDX (idx.h)            the inputs
//   NPZ, safetensors       arrays `x` and `y` (inputs and targets), and `x_val`
//                          and `y_val` where there is a validation part
//
// Inputs with more than two axes are flattened, the last axis fastest. Targets
// may stand in an NPY or IDX file of their own. All but NPZ and safetensors may
// be compressed by gzip.
//
//   data::Table<float> iris = data::ReadDataset<float>(
//       "iris.csv", {.csv = {.columns = {.targets = {"species"}}}});
//   data::Table<float> mnist = data::ReadDataset<float>(
//       "train-images-idx3-ubyte.gz",
//       {.target_file = "train-labels-idx1-ubyte.gz"});
//
// The names .csv, .tsv, .txt, .dat, .data, .npy, .npz and .safetensors, with or
// without .gz behind them, say what a file is; for others its first bytes do,
// and what begins like none of these formats is read as text.
//
// Every value is finite in the type T, or there is a DataError that names file,
// row and column.
#ifndef SVEN_DATA_DATASET_FILE_H_
#define SVEN_DATA_DATASET_FILE_H_

#include <filesystem>
#include <string>

#include "sven/data/csv.h"
#include "sven/data/table.h"

namespace sven::data {

struct DatasetFileOptions {
  // `columns` serves NPY files too, but for names; only its `target_kind` and
  // `classes` apply where targets are an array of their own.
  CsvOptions csv = {};
  // The targets of an NPY or IDX file. Empty: none, or those of csv.columns.
  std::string target_file = "";

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    CsvOptions::VisitFields(self.csv, visit);
    visit(Field{"target_file", "NPY or IDX file with the targets"},
          self.target_file);
  }
  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

// Throws a DataError for a file that cannot be read, a UsageError for options
// that contradict each other or do not fit the format of the file. Labels of
// the validation part are numbered together with those of the other one.
template <class T>
Table<T> ReadDataset(const std::filesystem::path& path,
                     const DatasetFileOptions& options = {});

// Whether the file is a table in text, whose columns may have names.
bool IsTextTable(const std::filesystem::path& path);

}  // namespace sven::data

#endif  // SVEN_DATA_DATASET_FILE_H_
