// SPDX-License-Identifier: MIT
#include "sven/data/npy.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sven/base/error.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::npy_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using testing::DataErrorOf;
using testing::Slurp;
using testing::Spill;
using testing::TemporaryFolder;
using testing::ToBytes;

fs::path Sample(const std::string& name) {
  return fs::path(SVEN_TEST_DATA) / "formats" / name;
}

// What tests/data/formats/make.py puts into arrays of float.
std::vector<double> SampleFloats() {
  std::vector<double> values;
  for (int k = 0; k < 24; ++k) values.push_back((k - 6) / 2.0);
  return values;
}

TEST(Npy, EveryVersionOfNumPyIsRead) {
  for (const std::string name : {"version1", "version2", "version3"}) {
    const Tensor tensor = ReadNpy(Sample(name + ".npy"));
    EXPECT_EQ(tensor.dtype, DType::kF32);
    EXPECT_EQ(tensor.shape, (std::vector<Index>{2, 3, 4}));
    EXPECT_EQ(tensor.Values<double>(), SampleFloats());
  }
}

TEST(Npy, ScalarsListsAndEmptyArraysKeepTheirShapes) {
  const Tensor scalar = ReadNpy(Sample("scalar.npy"));
  EXPECT_EQ(scalar.shape, std::vector<Index>{});
  EXPECT_EQ(scalar.Values<double>(), std::vector<double>{2.5});
  const Tensor list = ReadNpy(Sample("list.npy"));
  EXPECT_EQ(list.shape, std::vector<Index>{3});
  EXPECT_EQ(list.Integers(), (std::vector<std::int64_t>{3, 1, 2}));
  const Tensor empty = ReadNpy(Sample("empty.npy"));
  EXPECT_EQ(empty.shape, (std::vector<Index>{0, 3}));
}

TEST(Npy, MatricesHaveARowPerIndexOfTheFirstAxis) {
  const auto matrix = ReadNpyMatrix<float>(Sample("version1.npy"));
  ASSERT_EQ(matrix.rows(), 2);
  ASSERT_EQ(matrix.cols(), 12);
  const std::vector<double> expected = SampleFloats();
  for (Index i = 0; i < matrix.size(); ++i) {
    EXPECT_EQ(matrix.data()[i], static_cast<float>(expected[i]));
  }
  const auto list = ReadNpyMatrix<double>(Sample("list.npy"));
  EXPECT_EQ(list.rows(), 3);
  EXPECT_EQ(list.cols(), 1);
  EXPECT_EQ(ReadNpyMatrix<double>(Sample("scalar.npy"))(0, 0), 2.5);
  EXPECT_EQ(ReadNpyMatrix<double>(Sample("empty.npy")).cols(), 3);
}

TEST(Npy, WhatIsWrittenIsWhatNumPyWrites) {
  for (const std::string name :
       {"version1.npy", "scalar.npy", "list.npy", "empty.npy"}) {
    const Bytes bytes = Slurp(Sample(name));
    EXPECT_EQ(FormatNpy(ParseNpy(bytes, "bytes")), bytes) << name;
  }
}

TEST(Npy, EveryTypeSurvivesARoundTrip) {
  for (const auto& [name, dtype] : EnumNames<DType>::kTable) {
    if (dtype == DType::kBF16) continue;
    Tensor tensor{.dtype = dtype, .shape = {2, 3}, .bytes = {}};
    for (Index i = 0; i < 6 * ByteSize(dtype); ++i) {
      tensor.bytes.push_back(static_cast<std::byte>(37 * i + 11));
    }
    EXPECT_EQ(ParseNpy(FormatNpy(tensor), "bytes"), tensor) << name;
  }
}

TEST(Npy, UnwritableTensorsAreALogicError) {
  EXPECT_THROW(FormatNpy({.dtype = DType::kBF16, .shape = {0}, .bytes = {}}),
               std::logic_error);
  EXPECT_THROW(
      FormatNpy({.dtype = DType::kF32, .shape = {2}, .bytes = Bytes(7)}),
      std::logic_error);
}

template <class T>
class NpyMatrix : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NpyMatrix, Types);

// Larger than the blocks in which values are read.
TYPED_TEST(NpyMatrix, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  Matrix<TypeParam> matrix(1000, 301);
  for (Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = static_cast<TypeParam>(i) / 7;
  }
  WriteNpy(folder / "x.npy", matrix);
  EXPECT_EQ(ReadNpyMatrix<TypeParam>(folder / "x.npy"), matrix);
  const Tensor tensor = ReadNpy(folder / "x.npy");
  EXPECT_EQ(tensor.shape, (std::vector<Index>{1000, 301}));
}

// The order of axes in the file against a plain transposition.
TEST(Npy, FortransOrderIsTurnedRoundAcrossBlocks) {
  constexpr Index kRows = 300;
  constexpr Index kCols = 500;
  std::vector<double> values;
  for (Index c = 0; c < kCols; ++c) {
    for (Index r = 0; r < kRows; ++r) values.push_back(double(r * kCols + c));
  }
  std::string text(
      "\x93NUMPY\x01\x00\x44\x00"
      "{'descr': '<f8', 'fortran_order': True, 'shape': (300, 500)}       \n",
      78);
  Bytes bytes = ToBytes(text);
  const auto raw = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  const std::vector<double> read = ParseNpy(bytes, "bytes").Values<double>();
  for (Index i = 0; i < kRows * kCols; ++i) ASSERT_EQ(read[i], double(i));
}

TEST(Npy, HeadersMayBeWrittenInAnyOrderWithAnyBlanks) {
  const std::string header =
      "{ \"shape\":(2L ,),'fortran_order' : False,\t'descr':'|u1'}";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size());
  text += '\0';
  const Tensor tensor = ParseNpy(ToBytes(text + header + "ab"), "bytes");
  EXPECT_EQ(tensor.shape, std::vector<Index>{2});
  EXPECT_EQ(tensor.bytes, ToBytes("ab"));
}

TEST(Npy, ExtentsBesideAZeroMayBeOfAnySize) {
  for (const std::string shape :
       {"(0, 9000000000000000000)", "(9000000000000000000, 0)",
        "(2, 0, 9000000000000000000, 9000000000000000000)"}) {
    std::string header = "{'descr': '<f2', 'fortran_order': True, 'shape': ";
    header += shape + "}";
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size());
    text += '\0';
    EXPECT_EQ(ParseNpy(ToBytes(text + header), "bytes").Size(), 0) << shape;
  }
}

TEST(Npy, EveryTruncatedFileIsRefused) {
  const Bytes bytes = Slurp(Sample("version1.npy"));
  const TemporaryFolder folder;
  const fs::path path = folder / "cut.npy";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Bytes prefix = bytes;
    prefix.resize(size);
    const std::string message =
        DataErrorOf([&] { ParseNpy(prefix, "cut.npy"); });
    EXPECT_EQ(testing::FaultsOf(message, "cut.npy", {}), "");
  }
  Spill(path, bytes);
  fs::resize_file(path, bytes.size() - 1);
  const std::string message = DataErrorOf([&] { ReadNpyMatrix<float>(path); });
  EXPECT_EQ(testing::FaultsOf(message, path.string(), {"96 bytes", "95"}), "");
}

TEST(Npy, DamagedFilesParseOrThrowDataError) {
  constexpr int kFiles = 20'000;
  std::mt19937 random(20240608);
  const Bytes original = Slurp(Sample("version1.npy"));
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    const Bytes damaged =
        testing::Damage(original, "{}()',:0129-<>|fiub", random);
    try {
      const Tensor tensor = ParseNpy(damaged, "damaged");
      ASSERT_EQ(std::ssize(tensor.Values<double>()), tensor.Size());
    } catch (const DataError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("damaged: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, kFiles / 4);
  EXPECT_LT(refused, kFiles);
}

}  // namespace
}  // namespace sven::data::npy_test
