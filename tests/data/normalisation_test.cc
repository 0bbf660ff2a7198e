// SPDX-License-Identifier: MIT
#include "sven/data/normalisation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sven::data::normalisation_test {
namespace {

TEST(Scaling, LearntColumnsHaveMeanZeroAndDeviationOne) {
  Matrix<double> rows(5, 2);
  // A large mean, from which a one-pass formula would lose all digits.
  rows << 1e9 + 1, 2, 1e9 + 2, 4, 1e9 + 3, 8, 1e9 + 4, 16, 1e9 + 5, 32;
  const Scaling scaling = LearnScaling<double>(View(rows));
  EXPECT_NEAR(scaling.deviation[0], std::sqrt(2.5), 1e-6);
  const Matrix<double> raw = rows;
  scaling.Apply<double>(MutableView(rows));
  for (Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(rows.col(j).mean(), 0, 1e-7);
    EXPECT_NEAR(rows.col(j).squaredNorm() / 4, 1, 1e-6);
  }
  scaling.Undo<double>(MutableView(rows));
  EXPECT_LT((rows - raw).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Scaling, ConstantColumnsAndSingleRowsKeepTheirScale) {
  Matrix<float> rows(3, 2);
  rows << 0.1F, 1, 0.1F, 2, 0.1F, 3;
  EXPECT_EQ(LearnScaling<float>(View(rows)).deviation[0], 1);
  const Matrix<float> one = rows.topRows(1);
  EXPECT_EQ(LearnScaling<float>(View(one)).deviation,
            (std::vector<double>{1, 1}));
}

TEST(Scaling, OneEntryServesAllColumns) {
  Matrix<float> rows(1, 3);
  rows << 0, 5, 10;
  const Scaling scaling{.mean = {5}, .deviation = {5}};
  scaling.Apply<float>(MutableView(rows));
  EXPECT_EQ(rows, (Matrix<float>(1, 3) << -1, 0, 1).finished());
}

TEST(Scaling, NoEntriesChangeNothingAndWrongOnesAreRefused) {
  Matrix<float> rows = Matrix<float>::Ones(2, 3);
  Scaling().Apply<float>(MutableView(rows));
  EXPECT_EQ(rows, (Matrix<float>::Ones(2, 3)));
  const Scaling two{.mean = {0, 0}, .deviation = {1, 1}};
  EXPECT_THROW(two.Apply<float>(MutableView(rows)), std::logic_error);
}

}  // namespace
}  // namespace sven::data::normalisation_test
