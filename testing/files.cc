// SPDX-License-Identifier: MIT
#include "testing/files.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <system_error>

#include "sven/base/error.h"

namespace sven::testing {

std::string DataErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

std::vector<std::byte> ToBytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> Slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  return ToBytes(std::string{std::istreambuf_iterator<char>(in), {}});
}

void Spill(const std::filesystem::path& path,
           const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

std::vector<std::byte> RawSafetensors(std::string_view header,
                                      std::size_t data_size) {
  std::string text(sizeof(std::uint64_t), '\0');
  const std::uint64_t length = header.size();
  std::memcpy(text.data(), &length, sizeof(length));
  text += header;
  text.append(data_size, 'x');
  return ToBytes(text);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      std::filesystem::temp_directory_path() / "sven_test_XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("mkdtemp failed");
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::ptrdiff_t TemporaryFolder::CountFiles() const {
  return std::distance(std::filesystem::directory_iterator(path_), {});
}

}  // namespace sven::testing
