// SPDX-License-Identifier: MIT
#include "sven/linalg/matrix_buffer.h"

#include <gtest/gtest.h>

#include <utility>

namespace sven::matrix_buffer_test {
namespace {

TEST(MatrixBufferTest, StartsEmpty) {
  const MatrixBuffer<double> buffer;
  EXPECT_EQ(buffer.View().rows(), 0);
  EXPECT_EQ(buffer.View().cols(), 0);
}

TEST(MatrixBufferTest, ViewsHaveTheSizeAskedFor) {
  MatrixBuffer<float> buffer;
  for (const auto& [rows, cols] :
       {std::pair{3, 4}, {10, 1}, {1, 10}, {0, 5}, {100, 7}, {2, 2}}) {
    buffer.Resize(rows, cols);
    EXPECT_EQ(buffer.View().rows(), rows);
    EXPECT_EQ(buffer.View().cols(), cols);
    EXPECT_EQ(std::as_const(buffer).View().rows(), rows);
    EXPECT_EQ(std::as_const(buffer).View().cols(), cols);
  }
}

TEST(MatrixBufferTest, KeepsItsMemoryWhenItShrinksAndGrowsBack) {
  MatrixBuffer<double> buffer;
  buffer.Resize(20, 30);
  const double* data = buffer.View().data();
  for (const auto& [rows, cols] :
       {std::pair{5, 30}, {20, 30}, {0, 0}, {600, 1}, {20, 29}, {20, 30}}) {
    buffer.Resize(rows, cols);
    EXPECT_EQ(buffer.View().data(), data) << rows << " x " << cols;
  }
}

TEST(MatrixBufferTest, BothViewsShowTheSameEntries) {
  MatrixBuffer<double> buffer;
  buffer.Resize(3, 5);
  for (Index r = 0; r < 3; ++r) {
    for (Index c = 0; c < 5; ++c) {
      buffer.View()(r, c) = static_cast<double>(10 * r + c);
    }
  }
  const ConstMatrixView<double> view = std::as_const(buffer).View();
  for (Index i = 0; i < 15; ++i) {
    const Index entry = 10 * (i / 5) + i % 5;  // row-major
    EXPECT_EQ(view.data()[i], static_cast<double>(entry));
  }
}

}  // namespace
}  // namespace sven::matrix_buffer_test
