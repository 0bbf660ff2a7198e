// SPDX-License-Identifier: MIT
//
// Getting the IDX files of a known data set into a folder, from wherever they
// can be had, and never others: every file is checked against its SHA-256.
#ifndef SVEN_APPS_SVEN_DATASET_FETCH_H_
#define SVEN_APPS_SVEN_DATASET_FETCH_H_

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sven/base/types.h"

namespace sven::cli {

// An IDX file of bytes.
struct KnownFile {
  std::string name;          // "train-images-idx3-ubyte"
  std::vector<Index> shape;  // {60000, 28, 28}
  std::string sha256;  // of the file, not compressed; 64 digits, lower case
};

// A place that may have the files.
struct FetchWay {
  std::string name;
  // Puts these files, or those of the same names with .gz behind, into a folder
  // that it returns; `scratch` is an empty one, which is removed in the end.
  // Throws a sven::Error that says why it cannot.
  std::function<std::filesystem::path(std::span<const KnownFile> files,
                                      const std::filesystem::path& scratch)>
      fetch;
};

// Tries the ways in turn until `folder` has all files, and prints a line per
// file. A file that is there already stays, whatever its name's form
// (data::FindMnistFile); if it is not the known one that is a DataError, since
// it may be of value. Files are written whole or not at all. Throws a DataError
// with the reasons of all ways if none works.
void FetchFiles(std::span<const KnownFile> files,
                std::span<const FetchWay> ways,
                const std::filesystem::path& folder);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_DATASET_FETCH_H_
