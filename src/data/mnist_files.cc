// SPDX-License-Identifier: MIT
#include "sven/data/mnist_files.h"

#include <string>

namespace sven::data {
namespace {

namespace fs = std::filesystem;

using Names = std::array<std::string_view, kImageClasses>;
constexpr Names kDigits = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
constexpr Names kClothes = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                            "Coat",        "Sandal",    "Shirt",    "Sneaker",
                            "Bag",         "Ankle boot"};

}  // namespace

fs::path DefaultFolder(ImageSet set) { return fs::path("data") / Name(set); }

std::span<const std::string_view, kImageClasses> ClassNames(ImageSet set) {
  return set == ImageSet::kMnist ? kDigits : kClothes;
}

std::optional<fs::path> FindMnistFile(const fs::path& folder,
                                      std::string_view name) {
  std::string dotted(name);
  const std::size_t place = dotted.find("-idx");
  if (place != std::string::npos) dotted[place] = '.';
  for (const std::string& stem : {std::string(name), dotted}) {
    for (const std::string_view suffix : {"", ".gz"}) {
      fs::path path = folder / (stem + std::string(suffix));
      std::error_code error;
      if (fs::exists(path, error)) return path;
    }
  }
  return std::nullopt;
}

}  // namespace sven::data
