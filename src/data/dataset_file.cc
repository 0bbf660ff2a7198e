// SPDX-License-Identifier: MIT
#include "sven/data/dataset_file.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "array_archive.h"
#include "array_reader.h"
#include "fail.h"
#include "file_format.h"
#include "idx_header.h"
#include "npy_header.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

namespace fs = std::filesystem;

void RefuseOption(const std::string& source, FileFormat format,
                  std::string_view option, std::string_view value) {
  if (value.empty()) return;
  throw UsageError(
      fmt::format("{} = {}: must be empty for {}, a file in {} format", option,
                  Quote(value), source, Name(format)));
}

StoredArray OpenArray(const SharedSource& source, FileFormat format) {
  UniqueStream file = StreamContents(source);
  return format == FileFormat::kNpy ? OpenNpy(std::move(file))
                                    : OpenIdx(std::move(file));
}

StoredArray OpenTargetFile(const fs::path& path) {
  const SharedSource source = OpenFile(path);
  const FileFormat format = DetectFormat(path, source);
  if (format != FileFormat::kNpy && format != FileFormat::kIdx) {
    Fail(source->Name(), "a file in {} format, expected NPY or IDX for targets",
         Name(format));
  }
  return OpenArray(source, format);
}

template <class T>
Table<T> ReadArrayFile(const SharedSource& source, FileFormat format,
                       const DatasetFileOptions& options) {
  Table<T> table;
  ArrayReader<T> reader(options.csv.columns);
  reader.ReadTable(OpenArray(source, format), table.data);
  if (!options.target_file.empty()) {
    reader.ReadTargets(OpenTargetFile(options.target_file), table.data);
  }
  table.class_names =
      reader.Finish(source->Name(), table.data, table.validation);
  return table;
}

// The arrays x and y, or x_val and y_val, of an archive. Both must be there or
// neither; y may be missing where it is missing for all.
template <class T>
class ArchiveReader {
 public:
  ArchiveReader(ArrayArchive archive, const ColumnOptions& options)
      : archive_(std::move(archive)), reader_(options) {}

  Table<T> Read() {
    Table<T> table;
    ReadPart("x", "y", table.data);
    if (Has("x_val") || Has("y_val")) {
      ReadPart("x_val", "y_val", table.validation);
      CheckFit(table.data, table.validation);
    }
    table.class_names =
        reader_.Finish(archive_.name, table.data, table.validation);
    return table;
  }

 private:
  [[nodiscard]] bool Has(std::string_view name) const {
    return std::ranges::any_of(archive_.arrays, [&](const auto& entry) {
      return entry.first == name;
    });
  }

  StoredArray Open(std::string_view name) {
    for (const auto& [found, open] : archive_.arrays) {
      if (found == name) return open();
    }
    std::vector<std::string> names;
    for (const auto& [found, open] : archive_.arrays) names.push_back(found);
    Fail(archive_.name, "has no array {}, only {}; expected x, y, x_val, y_val",
         Quote(name), Quote(fmt::format("{}", fmt::join(names, ", "))));
  }

  void ReadPart(std::string_view x, std::string_view y, Dataset<T>& data) {
    reader_.ReadInputs(Open(x), data);
    if (Has(y) || Has("y")) reader_.ReadTargets(Open(y), data);
  }

  void CheckFit(const Dataset<T>& data, const Dataset<T>& validation) const {
    const bool fits = data.x.cols() == validation.x.cols() &&
                      data.y.cols() == validation.y.cols() &&
                      data.labels.empty() == validation.labels.empty();
    if (fits) return;
    Fail(archive_.name,
         "x_val and y_val have {} inputs and {} targets, expected {} and {} "
         "of the same type as in x and y",
         validation.x.cols(), Targets(validation), data.x.cols(),
         Targets(data));
  }

  static Index Targets(const Dataset<T>& data) {
    return data.labels.empty() ? data.y.cols() : 1;
  }

  ArrayArchive archive_;
  ArrayReader<T> reader_;
};

template <class T>
Table<T> ReadArchive(const SharedSource& source, FileFormat format,
                     const DatasetFileOptions& options) {
  const ColumnOptions& columns = options.csv.columns;
  RefuseOption(source->Name(), format, "target", FormatValue(columns.targets));
  RefuseOption(source->Name(), format, "inputs", FormatValue(columns.inputs));
  RefuseOption(source->Name(), format, "target_file", options.target_file);
  if (IsGzip(*source)) {
    Fail(source->Name(), "is compressed by gzip, expected the {} file itself",
         Name(format));
  }
  ArrayArchive archive =
      format == FileFormat::kNpz ? OpenNpz(source) : OpenSafetensors(source);
  return ArchiveReader<T>(std::move(archive), columns).Read();
}

}  // namespace

void DatasetFileOptions::Validate() const {
  csv.columns.Validate();
  if (!target_file.empty() && !csv.columns.targets.empty()) {
    throw UsageError(fmt::format(
        "DatasetFileOptions::target_file = {}: must be empty where targets "
        "names columns",
        Quote(target_file)));
  }
}

template <class T>
Table<T> ReadDataset(const fs::path& path, const DatasetFileOptions& options) {
  options.Validate();
  const SharedSource source = OpenFile(path);
  const FileFormat format = DetectFormat(path, source);
  switch (format) {
    case FileFormat::kText:
      RefuseOption(source->Name(), format, "target_file", options.target_file);
      return ReadCsv<T>(path, options.csv);
    case FileFormat::kNpy:
    case FileFormat::kIdx:
      return ReadArrayFile<T>(source, format, options);
    case FileFormat::kNpz:
    case FileFormat::kSafetensors:
      break;
  }
  return ReadArchive<T>(source, format, options);
}

bool IsTextTable(const fs::path& path) {
  return DetectFormat(path, OpenFile(path)) == FileFormat::kText;
}

template Table<float> ReadDataset(const fs::path&, const DatasetFileOptions&);
template Table<double> ReadDataset(const fs::path&, const DatasetFileOptions&);

}  // namespace sven::data
