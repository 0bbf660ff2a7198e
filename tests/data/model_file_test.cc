// SPDX-License-Identifier: MIT
#include "sven/data/model_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sven/base/error.h"

namespace sven::data::model_file_test {
namespace {

Tensor Values(std::vector<Index> shape, double first = 1) {
  std::vector<double> values;
  Index size = 1;
  for (const Index n : shape) size *= n;
  for (Index i = 0; i < size; ++i) values.push_back(first + double(i));
  return Tensor::From<double>(values, shape);
}

// 3 -> 2 -> 1, biases before weights as some writers order them.
SafetensorsFile SmallModel() {
  SafetensorsFile file;
  file.tensors.emplace_back("2.bias", Values({1}, 100));
  file.tensors.emplace_back("0.bias", Values({2}, 10));
  file.tensors.emplace_back("0.weight", Values({2, 3}));
  file.tensors.emplace_back("2.weight", Values({1, 2}, 50));
  file.tensors.emplace_back("x", Values({4, 3}));
  return file;
}

TEST(ModelFile, TheNetworkFollowsFromTheNamesAndShapes) {
  const Model<double> model =
      ReadModel<double>(SmallModel(), nn::Activation::kTanh, "m");
  ASSERT_EQ(model.net.NumLayers(), 2);
  EXPECT_EQ(model.net.Layers()[0].activation, nn::Activation::kTanh);
  EXPECT_EQ(model.net.Layers()[1].activation, nn::Activation::kIdentity);
  EXPECT_EQ(model.net.Weight(0)(1, 2), 6);
  EXPECT_EQ(model.net.Bias(0)[1], 11);
  EXPECT_EQ(model.net.Weight(1)(0, 1), 51);
  EXPECT_EQ(model.net.Bias(1)[0], 100);
}

TEST(ModelFile, WhatIsReadIsWrittenBack) {
  const SafetensorsFile file = SmallModel();
  SafetensorsFile written;
  AppendModel<double>(ReadModel<double>(file, nn::Activation::kTanh, "m"),
                      written);
  ASSERT_EQ(written.tensors.size(), 4U);
  for (const auto& [name, tensor] : written.tensors) {
    EXPECT_EQ(tensor, *file.Find(name));
  }
}

TEST(ModelFile, FlatVectorsGoBetweenTheOrders) {
  const Model<double> model =
      ReadModel<double>(SmallModel(), nn::Activation::kTanh, "m");
  const auto flat = std::span<const double>(model.net.Parameters());
  const std::vector<double> in_file = ToFileOrder<double, double>(model, flat);
  EXPECT_EQ(in_file,
            (std::vector<double>{100, 10, 11, 1, 2, 3, 4, 5, 6, 50, 51}));
  const std::vector<double> back =
      FromFileOrder<double, double>(model, in_file);
  EXPECT_TRUE(std::ranges::equal(back, flat));
}

TEST(ModelFile, ABiasMayBeMissing) {
  SafetensorsFile file;
  file.tensors.emplace_back("0.weight", Values({2, 3}));
  const Model<float> model = ReadModel<float>(file, nn::Activation::kTanh, "m");
  EXPECT_FALSE(model.net.Layers()[0].bias);
}

TEST(ModelFile, OnlyPyTorchsSpellingIsAParameter) {
  EXPECT_TRUE(IsParameterName("0.weight"));
  EXPECT_TRUE(IsParameterName("10.bias"));
  for (const char* name : {"00.weight", "-0.weight", "+1.bias", "0.weights",
                           ".weight", "a.weight", "0.0.weight", "weight", ""}) {
    EXPECT_FALSE(IsParameterName(name)) << name;
  }
  // A larger tensor of almost the same name is no part of the network.
  SafetensorsFile file = SmallModel();
  file.tensors.insert(file.tensors.begin(), {"00.weight", Values({4000, 2})});
  EXPECT_EQ(
      ReadModel<double>(file, nn::Activation::kTanh, "m").net.NumParameters(),
      11);
}

TEST(ModelFile, LayersAreOrderedByNumberNotByText) {
  SafetensorsFile file;
  file.tensors.emplace_back("10.weight", Values({1, 4}));
  file.tensors.emplace_back("2.weight", Values({4, 3}));
  const Model<double> model =
      ReadModel<double>(file, nn::Activation::kTanh, "m");
  EXPECT_EQ(model.net.NumInputs(), 3);
  EXPECT_EQ(model.net.NumOutputs(), 1);
}

TEST(ModelFile, WhatDoesNotFitIsNamed) {
  const auto message =
      [](const std::function<void(SafetensorsFile&)>& damage) -> std::string {
    SafetensorsFile file = SmallModel();
    damage(file);
    try {
      ReadModel<double>(file, nn::Activation::kTanh, "m.safetensors");
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([](auto& f) { f.tensors.clear(); }).find("no parameters"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) {
              f.tensors[2].second = Values({6});
            }).find("'0.weight' has shape [6]"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) {
              f.tensors[1].second = Values({3});
            }).find("'0.bias' has shape [3]: expected [2]"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) {
              f.tensors[3].second = Values({1, 5});
            }).find("'2.weight' has 5 inputs"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) {
              f.tensors.erase(f.tensors.begin() + 3);
            }).find("'2.bias' without '2.weight'"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) {
              f.tensors[2].second =
                  Values({2, 3}, std::numeric_limits<double>::quiet_NaN());
            }).find("'0.weight' has the value nan at position 0"),
            std::string::npos);
}

}  // namespace
}  // namespace sven::data::model_file_test
