// SPDX-License-Identifier: MIT
#include "sven/data/npy.h"

#include <array>
#include <string>

#include "npy_header.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"

namespace sven::data {
namespace {

std::string HeaderOf(const Tensor& tensor) {
  Check(std::ssize(tensor.bytes) == ByteCount(tensor.dtype, tensor.shape),
        "bytes of a Tensor must fit its shape and dtype");
  return FormatNpyHeader(tensor.dtype, tensor.shape);
}

void WritePieces(const std::filesystem::path& path, std::string_view header,
                 std::span<const std::byte> values) {
  const std::array pieces = {std::as_bytes(std::span(header)), values};
  WriteFileAtomically(path, pieces);
}

}  // namespace

Tensor ParseNpy(std::span<const std::byte> bytes, std::string_view source) {
  return OpenNpy(StreamContents(OpenMemory(bytes, source))).ReadTensor();
}

Tensor ReadNpy(const std::filesystem::path& path) {
  return OpenNpy(StreamContents(OpenFile(path))).ReadTensor();
}

template <class T>
Matrix<T> ReadNpyMatrix(const std::filesystem::path& path) {
  return OpenNpy(StreamContents(OpenFile(path))).ReadMatrix<T>();
}

template Matrix<float> ReadNpyMatrix(const std::filesystem::path&);
template Matrix<double> ReadNpyMatrix(const std::filesystem::path&);

std::vector<std::byte> FormatNpy(const Tensor& tensor) {
  const std::string header = HeaderOf(tensor);
  const auto start = std::as_bytes(std::span(header));
  std::vector<std::byte> bytes(start.begin(), start.end());
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

void WriteNpy(const std::filesystem::path& path, const Tensor& tensor) {
  WritePieces(path, HeaderOf(tensor), tensor.bytes);
}

template <class T>
void WriteNpy(const std::filesystem::path& path, const Matrix<T>& matrix) {
  constexpr DType kDType =
      std::is_same_v<T, double> ? DType::kF64 : DType::kF32;
  const std::array shape = {matrix.rows(), matrix.cols()};
  const std::span values(matrix.data(),
                         static_cast<std::size_t>(matrix.size()));
  WritePieces(path, FormatNpyHeader(kDType, shape), std::as_bytes(values));
}

template void WriteNpy(const std::filesystem::path&, const Matrix<float>&);
template void WriteNpy(const std::filesystem::path&, const Matrix<double>&);

}  // namespace sven::data
