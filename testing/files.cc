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

// Bit by bit, polynomial x^32 + x^26 + ... + 1, reflected.
std::uint32_t Crc32(std::string_view text) {
  std::uint32_t crc = ~0U;
  for (const unsigned char c : text) {
    crc ^= c;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0);
    }
  }
  return ~crc;
}

std::vector<std::byte> Gzip(const std::vector<std::byte>& contents) {
  const std::string text(reinterpret_cast<const char*>(contents.data()),
                         contents.size());
  const auto number = [](std::uint32_t value, std::size_t size) {
    std::string bytes(size, '\0');
    std::memcpy(bytes.data(), &value, size);
    return bytes;
  };
  const auto size = static_cast<std::uint32_t>(text.size());
  // The header without name and time, and one stored block, the last one.
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11);
  file += number(size, 2) + number(~size, 2) + text;
  return ToBytes(file + number(Crc32(text), 4) + number(size, 4));
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
