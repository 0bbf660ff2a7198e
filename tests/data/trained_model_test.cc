// SPDX-License-Identifier: MIT
#include "sven/data/trained_model.h"

#include <gtest/gtest.h>

#include "testing/files.h"

namespace sven::data {
namespace {

using sven::testing::DataErrorOf;

SafetensorsFile Example() {
  const nn::Mlp<float> net({2, 3, 1}, nn::Activation::kTanh, 1);
  return FormatModel(
      net, {.activation = nn::Activation::kTanh,
            .loss = nn::Loss(nn::Loss::kHuber, 0.25),
            .normalisation = {.inputs = {.mean = {1, 2}, .deviation = {3, 4}}},
            .input_names = {"a", "b,\"c\""}});
}

TEST(TrainedModel, ComesBackWithItsCard) {
  const SafetensorsFile file = Example();
  const auto model = ParseModel<float>(file, "m");
  EXPECT_EQ(FormatModel(model.net, model.card), file);
  EXPECT_EQ(model.card.loss.huber_delta, 0.25);
  EXPECT_EQ(model.card.input_names[1], "b,\"c\"");
}

TEST(TrainedModel, MetadataThatCannotBeAreRefusedByName) {
  const std::pair<const char*, const char*> bad[] = {
      {"huber_delta", "0"},         {"huber_delta", "-1"},
      {"huber_delta", "nan"},       {"huber_delta", "inf"},
      {"huber_delta", ""},          {"loss", "l1"},
      {"activation", ""},           {"input_deviation", "[1, 0]"},
      {"input_mean", "[1, 2, 3]"},  {"input_mean", "[1, \"2\"]"},
      {"input_mean", "[1e999, 1]"}, {"input_names", "[\"a\", 1]"},
      {"input_names", "{}"},        {"target_deviation", "[1]"},
  };
  for (const auto& [key, text] : bad) {
    SafetensorsFile file = Example();
    file.metadata[key] = text;
    const std::string error =
        DataErrorOf([&] { ParseModel<float>(file, "m.safetensors"); });
    EXPECT_NE(error.find("m.safetensors: metadata '" + std::string(key) + "'"),
              std::string::npos)
        << key << " = " << text << ": " << error;
  }
}

}  // namespace
}  // namespace sven::data
