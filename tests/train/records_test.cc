// SPDX-License-Identifier: MIT
#include "sven/train/records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/files.h"

namespace sven::train::records_test {
namespace {

using sven::testing::DataErrorOf;

RunFile Example() {
  RunFile file;
  file.config = {.version = "1.2.3",
                 .command = "sven train --data 'a \"b\".csv'",
                 .settings = {{"lr", "0.1"},
                              {"seed", "18446744073709551615"},
                              {"shuffle", "true"},
                              {"task", "toy1d"}},
                 .machine = {{"cpu", "a"}}};
  file.epochs.push_back({.epoch = 1,
                         .step = 313,
                         .seconds = 0.1 + 0.2,
                         .train = {.loss = 1.0 / 3, .accuracy = 0.9},
                         .validation = {.loss = 5e-324, .accuracy = 0.8},
                         .batch_loss = 1e300,
                         .learning_rate = 0.1,
                         .update_norm = 2.5,
                         .refused = 3,
                         .evaluation_seconds = 0.5,
                         .phases = {.forward = 1, .weights = 2},
                         .kept = 15.5,
                         .spectrum = {1, 0.1, 1e-3}});
  file.validations.push_back(
      {.epoch = 0, .step = 100, .seconds = 0.05, .validation = {.loss = 2}});
  file.summary = RunSummary{.status = RunStatus::kDiverged,
                            .epochs = 1,
                            .steps = 313,
                            .final_train = {.loss = 1},
                            .final_validation = {.loss = 2},
                            .initial_validation = {.loss = 3},
                            .best_validation_loss = 2,
                            .best_epoch = 1,
                            .train_seconds = 4,
                            .total_seconds = 5,
                            .diverged_at_step = 214,
                            .peak_memory = 50'000'000};
  return file;
}

TEST(Records, FileComesBackBitForBit) {
  const std::string text = FormatRunFile(Example());
  const RunFile read = ParseRunFile(text, "run.jsonl");
  EXPECT_EQ(FormatRunFile(read), text);
  EXPECT_EQ(read.epochs[0].seconds, 0.1 + 0.2);
  EXPECT_EQ(read.epochs[0].validation.loss, 5e-324);
  EXPECT_EQ(read.epochs[0].spectrum, (std::vector<double>{1, 0.1, 1e-3}));
  EXPECT_EQ(read.config.settings.at("seed"), "18446744073709551615");
  EXPECT_EQ(read.summary->status, RunStatus::kDiverged);
}

TEST(Records, LinesCarryTheDocumentedNames) {
  const std::string text = FormatRunFile(Example());
  for (const char* name :
       {"\"epoch\":1", "\"step\":313",
        "\"seconds\":", "\"train_loss\":", "\"val_loss\":",
        "\"train_accuracy\":", "\"val_accuracy\":", "\"final_val_loss\":",
        "\"best_val_loss\":", "\"total_seconds\":", "\"peak_memory\":50000000",
        "\"status\":\"diverged\"", "\"seed\":18446744073709551615"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
}

TEST(Records, ValidationsStandBeforeTheEndOfTheirEpoch) {
  const std::string text = FormatRunFile(Example());
  EXPECT_LT(text.find("\"validation\""), text.find("\"epoch\",\"epoch\""));
}

TEST(Records, WhatIsNotFiniteIsNullAndComesBackAsNaN) {
  EpochRecord record;
  record.train.loss = std::numeric_limits<double>::infinity();
  record.validation.loss = std::numeric_limits<double>::quiet_NaN();
  const std::string line = FormatRecord(record);
  EXPECT_NE(line.find("\"train_loss\":null"), std::string::npos);
  const RunFile read = ParseRunFile(line, "x");
  EXPECT_TRUE(std::isnan(read.epochs[0].train.loss));
  EXPECT_TRUE(std::isnan(read.epochs[0].validation.loss));
}

TEST(Records, UnknownRecordsAndFieldsArePassedOver) {
  const RunFile read = ParseRunFile(
      "{\"type\":\"future\",\"x\":[[1]]}\n\n{\"type\":\"validation\","
      "\"epoch\":1,\"step\":2,\"seconds\":3,\"val_loss\":4,\"new\":{}}\r\n",
      "x");
  EXPECT_EQ(read.validations.size(), 1U);
  EXPECT_FALSE(read.summary.has_value());
}

TEST(Records, MalformedLinesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{", "line 1"},
      {"\n[1]", "line 2: [1]: expected an object"},
      {"{\"type\":\"epoch\"}", "'epoch' is missing"},
      {"{\"epoch\":1}", "'type' is missing"},
      {"{\"type\":1}", "'type' = 1: expected a text"},
      {"{\"type\":\"epoch\",\"epoch\":-1}", "whole number from 0"},
      {"{\"type\":\"epoch\",\"epoch\":1e99}", "whole number from 0"},
      {"{\"type\":\"epoch\",\"epoch\":99999999999999999999}", "whole number"},
      {"{\"type\":\"epoch\",\"epoch\":1,\"step\":1,\"seconds\":\"x\"}",
       "'seconds' = \"x\": expected a number"},
      {"{\"type\":\"summary\",\"status\":\"fine\"}", "'status' = \"fine\""},
      {"{\"type\":\"config\",\"version\":\"\",\"command\":\"\",\"settings\":3}",
       "'settings' = 3: expected an object"},
      {std::string(100000, '['), "line 1"},
      {"{\"type\":\"epoch\",\"epoch\":1,\"step\":1,\"seconds\":1,\"train_loss\""
       ":1,\"val_loss\":1,\"spectrum\":[1,\"a\"]}",
       "'spectrum' = \"a\""},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message =
        DataErrorOf([&text = text] { ParseRunFile(text, "run.jsonl"); });
    EXPECT_EQ(message.rfind("run.jsonl: line ", 0), 0U) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace sven::train::records_test
