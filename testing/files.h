// SPDX-License-Identifier: MIT
//
// Files and errors in tests.
#ifndef SVEN_TESTING_FILES_H_
#define SVEN_TESTING_FILES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sven::testing {

// The message of the DataError that `action` throws, "no DataError" if none.
std::string DataErrorOf(const std::function<void()>& action);

std::vector<std::byte> ToBytes(std::string_view text);

// All bytes of a file, and a file with these bytes.
std::vector<std::byte> Slurp(const std::filesystem::path& path);
void Spill(const std::filesystem::path& path,
           const std::vector<std::byte>& bytes);

std::uint32_t Crc32(std::string_view text);

// A gzip file with these contents of less than 64 KiB, not compressed.
std::vector<std::byte> Gzip(const std::vector<std::byte>& contents);

// A safetensors file with this header, whatever it says, and `data_size` bytes
// of data.
std::vector<std::byte> RawSafetensors(std::string_view header,
                                      std::size_t data_size);

// A folder that disappears with the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& Path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] std::ptrdiff_t CountFiles() const;

 private:
  std::filesystem::path path_;
};

}  // namespace sven::testing

#endif  // SVEN_TESTING_FILES_H_
