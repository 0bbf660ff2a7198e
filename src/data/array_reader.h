// SPDX-License-Identifier: MIT
//
// Data sets out of arrays.
#ifndef SVEN_SRC_DATA_ARRAY_READER_H_
#define SVEN_SRC_DATA_ARRAY_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "class_names.h"
#include "columns.h"
#include "stored_array.h"
#include "sven/data/dataset.h"
#include "sven/data/table.h"

namespace sven::data {

// Reads one data set, or two with the same classes. Values go straight to their
// places. DataError, with row and column counted from 1, for a number that is
// not finite in T, and for a class that is not whole or not known.
template <class T>
class ArrayReader {
 public:
  // `options` must outlive the reader.
  explicit ArrayReader(const ColumnOptions& options)
      : options_(options), classes_(options.classes) {}

  // Inputs and targets that are columns of one array.
  void ReadTable(StoredArray array, Dataset<T>& data);
  void ReadInputs(StoredArray array, Dataset<T>& data);
  // Of the samples that `data` has the inputs of.
  void ReadTargets(StoredArray array, Dataset<T>& data);

  // Makes the labels final; returns the names of the classes.
  std::vector<std::string> Finish(const std::string& source, Dataset<T>& data,
                                  Dataset<T>& validation);

 private:
  // Where the values of a column go, those of a row at a distance of `stride`.
  struct Place {
    T* values = nullptr;
    Index stride = 0;
    std::int64_t* labels = nullptr;
  };

  void Read(StoredArray array, const ColumnChoice& choice, Dataset<T>& data);
  // Makes room, and says where the values of every column of the array go.
  std::vector<Place> MakePlaces(const StoredArray& array,
                                const ColumnChoice& choice,
                                Dataset<T>& data) const;
  [[nodiscard]] bool AreClasses(const StoredArray& array,
                                std::size_t targets) const;
  template <class V>
  std::int64_t Label(const StoredArray& array, Index row, V value);

  const ColumnOptions& options_;
  ClassCollector classes_;
};

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_ARRAY_READER_H_
