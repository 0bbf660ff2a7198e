// SPDX-License-Identifier: MIT
//
// The files that MNIST and its relatives are distributed as: four IDX files
// (idx.h), which may be compressed by gzip.
#ifndef SVEN_DATA_MNIST_FILES_H_
#define SVEN_DATA_MNIST_FILES_H_

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "sven/base/enum_names.h"
#include "sven/base/types.h"

namespace sven::data {

enum class ImageSet { kMnist, kFashionMnist };

inline constexpr Index kImageSide = 28;
inline constexpr Index kImageClasses = 10;

struct MnistPart {
  std::string_view images;  // the names of the files
  std::string_view labels;
};
inline constexpr MnistPart kMnistTrain = {"train-images-idx3-ubyte",
                                          "train-labels-idx1-ubyte"};
inline constexpr MnistPart kMnistTest = {"t10k-images-idx3-ubyte",
                                         "t10k-labels-idx1-ubyte"};

// "data/mnist"
std::filesystem::path DefaultFolder(ImageSet set);

// "0" ... "9", or "T-shirt/top" ... "Ankle boot".
std::span<const std::string_view, kImageClasses> ClassNames(ImageSet set);

// The file of that name in `folder`, or the same with .gz, or either with a dot
// instead of the hyphen before "idx"; the first of these that exists.
std::optional<std::filesystem::path> FindMnistFile(
    const std::filesystem::path& folder, std::string_view name);

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::ImageSet> {
  static constexpr std::pair<std::string_view, data::ImageSet> kTable[] = {
      {"mnist", data::ImageSet::kMnist},
      {"fashion-mnist", data::ImageSet::kFashionMnist},
  };
};

#endif  // SVEN_DATA_MNIST_FILES_H_
