// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "fail.h"
#include "idx_header.h"
#include "sven/base/text.h"
#include "sven/data/tasks.h"

namespace sven::data {
namespace {

namespace fs = std::filesystem;

constexpr Index kPixels = kImageSide * kImageSide;
constexpr double kWhite = 255;
constexpr double kMean = 0.1307;
constexpr double kDeviation = 0.3081;

// Class of the file -> label; -1 for those that are left out.
using LabelMap = std::array<std::int64_t, kImageClasses>;

LabelMap MapLabels(const std::vector<std::string>& digits) {
  LabelMap map;
  if (digits.empty()) {
    for (Index c = 0; c < kImageClasses; ++c) map[c] = c;
    return map;
  }
  map.fill(-1);
  const auto fail = [&](std::string_view what) {
    throw UsageError(fmt::format("digits = {}: {}", FormatValue(digits), what));
  };
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::string& digit = digits[i];
    if (digit.size() != 1 || digit[0] < '0' || digit[0] > '9') {
      fail(fmt::format("{} is none of 0 to 9", Quote(digit)));
    }
    std::int64_t& label = map[digit[0] - '0'];
    if (label >= 0) fail(digit + " is there twice");
    label = static_cast<std::int64_t>(i);
  }
  if (digits.size() < 2) fail("must be two or more to tell apart");
  return map;
}

StoredArray OpenMnistFile(const MnistOptions& options, const fs::path& folder,
                          std::string_view name) {
  const auto path = FindMnistFile(folder, name);
  if (!path) {
    Fail(folder.string(),
         "has no file {0}, nor {0}.gz; get it with: sven data {1} --dir {2}",
         name, Name(options.set), folder.string());
  }
  return OpenIdx(StreamContents(OpenFile(*path)));
}

void CheckLayout(const StoredArray& array, std::span<const Index> sizes,
                 std::string_view what) {
  const ArrayLayout& layout = array.Layout();
  const bool fits =
      layout.dtype == DType::kU8 && layout.shape.size() == sizes.size() + 1 &&
      std::equal(sizes.begin(), sizes.end(), layout.shape.begin() + 1);
  if (!fits) {
    Fail(array.Name(), "{}, expected {}", layout.Describe(), what);
  }
}

std::vector<std::int64_t> ReadLabels(StoredArray array) {
  CheckLayout(array, {}, "one label per image, U8 [images]");
  std::vector<std::int64_t> labels(static_cast<std::size_t>(array.Rows()));
  array.ForEachValue([&](Index row, Index, auto value) {
    const auto label = static_cast<std::uint8_t>(value);
    if (label >= kImageClasses) {
      Fail(array.Name(), "label {} of image {}: must be from 0 to {}", label,
           row + 1, kImageClasses - 1);
    }
    labels[row] = label;
  });
  return labels;
}

// The places of the images in the data set, -1 for those that are left out;
// and the labels of the others, the first `limit` of them.
std::vector<Index> Select(const std::vector<std::int64_t>& classes,
                          const LabelMap& map, std::optional<Index> limit,
                          std::vector<std::int64_t>& labels) {
  std::vector<Index> places;
  places.reserve(classes.size());
  for (const std::int64_t c : classes) {
    const bool taken = map[c] >= 0 && (!limit || std::ssize(labels) < *limit);
    places.push_back(taken ? std::ssize(labels) : -1);
    if (taken) labels.push_back(map[c]);
  }
  return places;
}

template <class T>
void ReadImages(StoredArray array, const std::vector<Index>& places,
                const Scaling& scaling, Matrix<T>& x) {
  // The few values that a pixel can have.
  std::array<T, 256> normalised;
  for (std::size_t pixel = 0; pixel < normalised.size(); ++pixel) {
    normalised[pixel] = static_cast<T>(
        (static_cast<double>(pixel) - scaling.mean[0]) / scaling.deviation[0]);
  }
  array.ForEachValue([&](Index row, Index col, auto pixel) {
    if (places[row] < 0) return;
    x(places[row], col) = normalised[static_cast<std::uint8_t>(pixel)];
  });
}

template <class T>
Dataset<T> ReadPart(const MnistOptions& options, const fs::path& folder,
                    const MnistPart& part, std::optional<Index> limit,
                    std::string_view limit_name, const Scaling& scaling) {
  StoredArray images = OpenMnistFile(options, folder, part.images);
  CheckLayout(images, std::array{kImageSide, kImageSide},
              "images of 28 x 28 bytes, U8 [images, 28, 28]");
  StoredArray labels = OpenMnistFile(options, folder, part.labels);
  if (labels.Rows() != images.Rows()) {
    Fail(labels.Name(), "{} labels, expected {}, one for each image of {}",
         labels.Rows(), images.Rows(), images.Name());
  }
  const LabelMap map = MapLabels(options.digits);
  Dataset<T> data;
  const std::vector<Index> places =
      Select(ReadLabels(std::move(labels)), map, limit, data.labels);
  const Index count = std::ssize(data.labels);
  if (limit && count < *limit) {
    throw UsageError(
        fmt::format("{} = {}: must be at most {}, the images of "
                    "these classes in {}",
                    limit_name, *limit, count, images.Name()));
  }
  if (count == 0) Fail(images.Name(), "has no images of these classes");
  TakeMemory(images.Name(), [&] { data.x.resize(count, kPixels); });
  ReadImages(std::move(images), places, scaling, data.x);
  return data;
}

void CheckSize(std::string_view name, std::optional<Index> size) {
  if (!size || *size >= 1) return;
  throw UsageError(
      fmt::format("{} = {}: must satisfy {} >= 1", name, *size, name));
}

}  // namespace

template <class T>
Task<T> MakeMnist(const MnistOptions& options) {
  CheckSize("train_size", options.train);
  CheckSize("val_size", options.validation);
  MapLabels(options.digits);  // wrong ones are named before anything is read
  const fs::path folder = options.folder.empty() ? DefaultFolder(options.set)
                                                 : fs::path(options.folder);
  Task<T> task;
  task.normalisation.inputs = {.mean = {kMean * kWhite},
                               .deviation = {kDeviation * kWhite}};
  const Scaling& scaling = task.normalisation.inputs;
  task.train = ReadPart<T>(options, folder, kMnistTrain, options.train,
                           "train_size", scaling);
  task.validation = ReadPart<T>(options, folder, kMnistTest, options.validation,
                                "val_size", scaling);
  const auto names = ClassNames(options.set);
  if (options.digits.empty()) {
    task.class_names.assign(names.begin(), names.end());
  }
  for (const std::string& digit : options.digits) {
    task.class_names.emplace_back(names[digit[0] - '0']);
  }
  return task;
}

template Task<float> MakeMnist(const MnistOptions&);
template Task<double> MakeMnist(const MnistOptions&);

}  // namespace sven::data
