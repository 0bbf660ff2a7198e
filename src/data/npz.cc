// SPDX-License-Identifier: MIT
#include "sven/data/npz.h"

#include <algorithm>

#include "array_archive.h"
#include "npy_header.h"
#include "sven/base/text.h"
#include "zip.h"

namespace sven::data {
namespace {

NpzFile Load(const SharedSource& source) {
  NpzFile file;
  for (const auto& [name, open] : OpenNpz(source).arrays) {
    file.arrays.emplace_back(name, open().ReadTensor());
  }
  return file;
}

}  // namespace

ArrayArchive OpenNpz(const SharedSource& source) {
  constexpr std::string_view kSuffix = ".npy";
  ArrayArchive archive{.name = source->Name(), .arrays = {}};
  for (ZipMember& member : ReadZipDirectory(*source)) {
    if (!member.name.ends_with(kSuffix)) continue;
    std::string name =
        member.name.substr(0, member.name.size() - kSuffix.size());
    const std::string where = source->Name() + ": array " + Quote(name);
    archive.arrays.emplace_back(
        std::move(name), [source, member = std::move(member), where] {
          return OpenNpy(OpenZipMember(source, member, where));
        });
  }
  return archive;
}

const Tensor* NpzFile::Find(std::string_view name) const {
  const auto found =
      std::ranges::find(arrays, name, &std::pair<std::string, Tensor>::first);
  return found == arrays.end() ? nullptr : &found->second;
}

NpzFile ParseNpz(std::span<const std::byte> bytes, std::string_view source) {
  return Load(OpenMemory(bytes, source));
}

NpzFile ReadNpz(const std::filesystem::path& path) {
  return Load(OpenFile(path));
}

}  // namespace sven::data
