// SPDX-License-Identifier: MIT
#include "sven/data/trained_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/files.h"

namespace sven::data::trained_model_test {
namespace {

using sven::testing::DataErrorOf;

ModelCard FullCard() {
  return {.activation = nn::Activation::kTanh,
          .loss = nn::Loss(nn::Loss::kHuber, 0.1),
          .normalisation = {.inputs = {.mean = {1.0 / 3, 2},
                                       .deviation = {0.1, 1e-9}},
                            .targets = {.mean = {5}, .deviation = {7}}},
          .input_names = {"a \"b\"", "\u00e4"},
          .target_names = {"y"}};
}

TEST(TrainedModel, ComesBackFromItsFile) {
  const nn::Mlp<double> net({2, 3, 1}, nn::Activation::kTanh, 4);
  const SafetensorsFile file = FormatModel(net, FullCard());
  const auto model = ParseModel<double>(file, "m");
  EXPECT_TRUE(std::ranges::equal(model.net.Parameters(), net.Parameters()));
  EXPECT_EQ(model.net.Layers(), net.Layers());
  EXPECT_EQ(model.card.normalisation, FullCard().normalisation);
  EXPECT_EQ(model.card.input_names, FullCard().input_names);
  EXPECT_EQ(model.card.target_names, FullCard().target_names);
  EXPECT_EQ(model.card.loss.kind, nn::Loss::kHuber);
  EXPECT_EQ(model.card.loss.huber_delta, 0.1);
  EXPECT_EQ(FormatModel(model.net, model.card), file);
  EXPECT_EQ(NumberTypeOf(file), NumberType::kFloat64);
}

TEST(TrainedModel, FileWithoutMetadataHasDefaults) {
  const nn::Mlp<float> net({2, 3, 1}, nn::Activation::kRelu, 4);
  SafetensorsFile file = FormatModel(net, {});
  file.metadata.clear();
  const auto model = ParseModel<float>(file, "m", nn::Activation::kRelu);
  EXPECT_EQ(model.net.Layers(), net.Layers());
  EXPECT_TRUE(model.card.normalisation.inputs.IsIdentity());
  EXPECT_EQ(NumberTypeOf(file), NumberType::kFloat32);
}

TEST(TrainedModel, MetadataThatDoNotFitAreNamed) {
  const nn::Mlp<float> net({2, 3, 1}, nn::Activation::kTanh, 4);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"activation", "gulp"},       {"loss", "none"},
      {"huber_delta", "x"},         {"input_mean", "[1,2,3]"},
      {"huber_delta", "0"},         {"huber_delta", "-1"},
      {"huber_delta", "nan"},       {"input_mean", "[1e999,1]"},
      {"input_mean", "{"},          {"input_mean", "[\"a\",1]"},
      {"input_deviation", "[0,1]"}, {"input_deviation", "[1]"},
      {"input_names", "[1,2]"},     {"input_names", "[\"a\"]"},
      {"class_names", "\"a\""},     {"target_mean", "null"},
  };
  for (const auto& [key, text] : wrong) {
    SafetensorsFile file = FormatModel(net, FullCard());
    file.metadata[key] = text;
    const std::string message =
        DataErrorOf([&] { ParseModel<float>(file, "m.safetensors"); });
    EXPECT_NE(message.find("m.safetensors: metadata '" + key),
              std::string::npos)
        << key << " = " << text << ": " << message;
  }
}

}  // namespace
}  // namespace sven::data::trained_model_test
