// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_DATA_FILE_FORMAT_H_
#define SVEN_SRC_DATA_FILE_FORMAT_H_

#include <filesystem>
#include <string_view>
#include <utility>

#include "byte_source.h"
#include "sven/base/enum_names.h"

namespace sven::data {

enum class FileFormat { kText, kNpy, kNpz, kIdx, kSafetensors };

// By the rule in dataset_file.h.
FileFormat DetectFormat(const std::filesystem::path& path,
                        const SharedSource& source);

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::FileFormat> {
  using FileFormat = sven::data::FileFormat;
  static constexpr std::pair<std::string_view, FileFormat> kTable[] = {
      {"text", FileFormat::kText},
      {"NPY", FileFormat::kNpy},
      {"NPZ", FileFormat::kNpz},
      {"IDX", FileFormat::kIdx},
      {"safetensors", FileFormat::kSafetensors},
  };
};

#endif  // SVEN_SRC_DATA_FILE_FORMAT_H_
