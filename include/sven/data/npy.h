// SPDX-License-Identifier: MIT
//
// Single arrays in NumPy's NPY files (numpy.save and numpy.load). A file is
//
//   6 bytes       0x93 'N' 'U' 'M' 'P' 'Y'
//   2 bytes       version: 1.0, 2.0 or 3.0
//   2 or 4 bytes  n, the length of the header, little-endian (4 from 2.0 on)
//   n bytes       a Python dictionary: {'descr': '<f8',
//                 'fortran_order': False, 'shape': (3, 4), }
//   the rest      the values
//
// Read are floats of 16, 32 and 64 bits, signed and unsigned integers of 8 to
// 64 bits and bools, in either byte order, with the last axis fastest (C's
// order) or the first (Fortran's). Python objects, texts, complex numbers and
// structures are refused; nothing of a file is ever executed. Whatever departs
// from the format is a DataError that opens with the file, and the header is
// held against the size of the file before memory is taken for the values.
#ifndef SVEN_DATA_NPY_H_
#define SVEN_DATA_NPY_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "sven/data/tensor.h"
#include "sven/linalg/types.h"

namespace sven::data {

// `source` names the bytes in error messages.
Tensor ParseNpy(std::span<const std::byte> bytes, std::string_view source);

// The file may be compressed by gzip.
Tensor ReadNpy(const std::filesystem::path& path);

// A row per index of the first axis, the other axes flattened with the last
// one fastest; a list becomes one column. Values are rounded to nearest where T
// is narrower. They go straight into the matrix: nothing else of the size of
// the file is ever held.
template <class T>
Matrix<T> ReadNpyMatrix(const std::filesystem::path& path);

// The bytes of the file, version 1.0, last axis fastest. std::logic_error if
// the tensor's bytes do not fit its shape, or for BF16, which NPY does not
// have.
std::vector<std::byte> FormatNpy(const Tensor& tensor);

// All or nothing, as WriteFileAtomically in sven/base/atomic_file.h does it.
void WriteNpy(const std::filesystem::path& path, const Tensor& tensor);
template <class T>
void WriteNpy(const std::filesystem::path& path, const Matrix<T>& matrix);

}  // namespace sven::data

#endif  // SVEN_DATA_NPY_H_
