// SPDX-License-Identifier: MIT
#include "sven/data/dataset.h"

#include <gtest/gtest.h>

#include <set>

#include "sven/base/error.h"
#include "sven/data/tasks.h"

namespace sven::data::dataset_test {
namespace {

Dataset<double> Numbered(Index count) {
  Dataset<double> data;
  data.x.resize(count, 2);
  data.y.resize(count, 1);
  for (Index a = 0; a < count; ++a) {
    data.x.row(a).setConstant(double(a));
    data.y(a, 0) = 10.0 * double(a);
    data.labels.push_back(a);
  }
  return data;
}

TEST(BatchStream, AnEpochVisitsEverySampleOnceInANewOrder) {
  const Dataset<double> data = Numbered(10);
  BatchStream<double> stream(data, 4, 1);
  std::vector<std::vector<double>> orders;
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<double> order;
    std::vector<Index> sizes;
    while (const auto batch = stream.Next()) {
      sizes.push_back(batch->Size());
      for (Index i = 0; i < batch->Size(); ++i) {
        order.push_back(batch->x(i, 0));
        EXPECT_EQ(batch->y(i, 0), 10 * batch->x(i, 0));
        EXPECT_EQ(double(batch->labels[i]), batch->x(i, 1));
      }
    }
    EXPECT_EQ(sizes, (std::vector<Index>{4, 4, 2}));
    EXPECT_EQ(std::set<double>(order.begin(), order.end()).size(), 10U);
    orders.push_back(order);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
}

TEST(BatchStream, TheSeedDecidesTheOrder) {
  const Dataset<double> data = Numbered(20);
  const auto first = [&](std::uint64_t seed) {
    BatchStream<double> stream(data, 20, seed);
    return Vector<double>(stream.Next()->x.col(0));
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(BatchStream, RefusesWhatCannotBeBatched) {
  const Dataset<double> data = Numbered(3);
  EXPECT_THROW(BatchStream<double>(data, 0, 1), UsageError);
  EXPECT_THROW(BatchStream<double>(Dataset<double>{}, 1, 1), DataError);
}

TEST(Toy1d, IsTheFunctionWithTargetsStandardisedOnTheTrainingPart) {
  const Task<double> task = MakeToy1d<double>();
  EXPECT_EQ(task.train.Size(), 10000);
  EXPECT_EQ(task.validation.Size(), 10000);
  EXPECT_LE(task.train.x.cwiseAbs().maxCoeff(), 1);
  EXPECT_NEAR(task.train.y.mean(), 0, 1e-12);
  EXPECT_NEAR(task.train.y.squaredNorm() / 9999, 1, 1e-12);
  // One affine map takes the function to the targets, in both parts.
  const auto f = [](double x) {
    return std::exp(-10 * x * x) * std::sin(2 * x);
  };
  const auto& x = task.train.x;
  const auto& y = task.train.y;
  const double slope = (y(1, 0) - y(0, 0)) / (f(x(1, 0)) - f(x(0, 0)));
  const double offset = y(0, 0) - slope * f(x(0, 0));
  for (Index a = 0; a < 100; ++a) {
    EXPECT_NEAR(task.validation.y(a, 0),
                slope * f(task.validation.x(a, 0)) + offset, 1e-9);
  }
  EXPECT_THROW(MakeToy1d<double>({.train = 1}), UsageError);
  EXPECT_THROW(MakeToy1d<double>({.validation = 0}), UsageError);
}

}  // namespace
}  // namespace sven::data::dataset_test
