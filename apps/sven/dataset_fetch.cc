// SPDX-License-Identifier: MIT
#include "dataset_fetch.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/data/idx.h"
#include "sven/data/mnist_files.h"
#include "terminal.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using Pieces = std::array<std::span<const std::byte>, 2>;

// Nothing that another way could help.
class StoreError : public DataError {
  using DataError::DataError;
};

// A folder that is gone with all that is in it at the end of the block.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) ThrowFileError("TMPDIR", "is no folder", error.value());
    std::string name = (parent / "sven-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      ThrowFileError(name, "cannot make a temporary folder", errno);
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const fs::path& Path() const { return path_; }

 private:
  fs::path path_;
};

// The beginning of the IDX file (idx.h) of such a shape.
std::vector<std::byte> Header(const std::vector<Index>& shape) {
  constexpr std::byte kBytes{0x08};
  std::vector<std::byte> header = {std::byte{0}, std::byte{0}, kBytes,
                                   static_cast<std::byte>(shape.size())};
  for (const Index extent : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      header.push_back(static_cast<std::byte>(extent >> shift));
    }
  }
  return header;
}

std::string Sha256(const Pieces& pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  bool ok = context != nullptr &&
            EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const auto& piece : pieces) {
    ok = ok && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  ok = ok && EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1;
  if (!ok) throw Error("OpenSSL cannot compute a SHA-256");
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

// A file's contents, which are known to be right.
struct Contents {
  std::vector<std::byte> header;
  data::Tensor values;

  [[nodiscard]] Pieces InPieces() const { return {header, values.bytes}; }
  [[nodiscard]] std::size_t Size() const {
    return header.size() + values.bytes.size();
  }
};

Contents ReadChecked(const fs::path& path, const KnownFile& file) {
  Contents contents{.header = Header(file.shape),
                    .values = data::ReadIdx(path)};
  if (contents.values.dtype != data::DType::kU8 ||
      contents.values.shape != file.shape) {
    throw DataError(fmt::format("{}: does not have the size of {}",
                                path.string(), file.name));
  }
  const std::string sha256 = Sha256(contents.InPieces());
  if (sha256 != file.sha256) {
    throw DataError(fmt::format("{}: SHA-256 {} of the contents, expected {}",
                                path.string(), sha256, file.sha256));
  }
  return contents;
}

// The files that are not in the folder. Those that are there have to be right.
std::vector<KnownFile> MissingFiles(std::span<const KnownFile> files,
                                    const fs::path& folder) {
  std::vector<KnownFile> missing;
  for (const KnownFile& file : files) {
    const auto path = data::FindMnistFile(folder, file.name);
    if (!path) {
      missing.push_back(file);
      continue;
    }
    try {
      ReadChecked(*path, file);
    } catch (const DataError& error) {
      throw DataError(
          fmt::format("{}; it is not overwritten: remove it, or choose another "
                      "folder with --dir",
                      error.what()));
    }
    fmt::print("{}: is there, SHA-256 checked\n", path->string());
  }
  return missing;
}

void Store(const Contents& contents, const fs::path& path) try {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    ThrowFileError(path.parent_path(), "cannot make the folder", error.value());
  }
  WriteFileAtomically(path, contents.InPieces());
} catch (const DataError& error) {
  throw StoreError(error.what());
}

// Takes what the way has off the list.
void TryWay(const FetchWay& way, std::vector<KnownFile>& missing,
            const fs::path& folder) {
  const ScratchFolder scratch;
  const fs::path source = way.fetch(missing, scratch.Path());
  while (!missing.empty()) {
    const KnownFile& file = missing.front();
    const auto path = data::FindMnistFile(source, file.name);
    if (!path) throw Error(fmt::format("has no file {}", file.name));
    const Contents contents = ReadChecked(*path, file);
    Store(contents, folder / file.name);
    fmt::print("{}: {} bytes from {}, SHA-256 checked\n",
               (folder / file.name).string(), contents.Size(), way.name);
    missing.erase(missing.begin());
  }
}

}  // namespace

void FetchFiles(std::span<const KnownFile> files,
                std::span<const FetchWay> ways, const fs::path& folder) {
  std::vector<KnownFile> missing = MissingFiles(files, folder);
  if (missing.empty()) {
    fmt::print("{} is complete: nothing to do\n", folder.string());
    return;
  }
  std::string reasons;
  for (const FetchWay& way : ways) {
    // It may take its time.
    PrintError("trying {}\n", way.name);
    try {
      TryWay(way, missing, folder);
      return;
    } catch (const StoreError&) {
      throw;
    } catch (const Error& error) {
      reasons += fmt::format("\n  {}: {}", way.name, error.what());
    }
  }
  throw DataError(fmt::format("{}: {} cannot be had; what was tried:{}",
                              folder.string(), missing.front().name, reasons));
}

}  // namespace sven::cli
