// SPDX-License-Identifier: MIT
//
// The settings of every optimizer, as text.
#include "sven/optim/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>

#include "testing/optimizers.h"

namespace sven::optim::registry_test {
namespace {

using testing::EveryOptimizer;
using testing::UsageErrorOf;

// The bounds that a range such as "0 <= momentum < 1" or "lr > 0" states.
struct Bounds {
  std::optional<double> low, high;
  bool low_open = false, high_open = false;
};

std::optional<Bounds> BoundsOf(const FieldDescription& field) {
  std::istringstream words(field.range);
  std::vector<std::string> parts;
  for (std::string word; words >> word;) parts.push_back(word);
  const auto self = std::ranges::find(parts, field.name);
  if (self == parts.end()) return std::nullopt;  // names, or nothing
  Bounds bounds;
  if (self != parts.begin()) {
    bounds.low = std::stod(*(self - 2));
    bounds.low_open = *(self - 1) == "<";
  }
  if (self + 1 != parts.end()) {
    const std::string& relation = *(self + 1);
    const double number = std::stod(*(self + 2));
    if (relation[0] == '>') {
      bounds.low = number;
      bounds.low_open = relation == ">";
    } else {
      bounds.high = number;
      bounds.high_open = relation == "<";
    }
  }
  return bounds;
}

std::vector<FieldDescription> AllFields(const OptimizerChoice& choice) {
  std::vector<FieldDescription> fields = choice.MethodFields();
  const auto chain = choice.ChainFields();
  fields.insert(fields.end(), chain.begin(), chain.end());
  return fields;
}

std::string ValueOf(const OptimizerChoice& choice, const std::string& name) {
  for (const FieldDescription& field : AllFields(choice)) {
    if (field.name == name) return field.default_value;
  }
  return "no such field";
}

// Texts that some field takes.
std::vector<std::string> Candidates(const FieldDescription& field) {
  std::vector<std::string> texts = {"0.25",
                                    "0.5",
                                    "1",
                                    "2",
                                    "7",
                                    "true",
                                    "false",
                                    "none",
                                    "1e-05",
                                    "cosine:steps=9,end=0.5",
                                    "constant:warmup=3"};
  std::istringstream words(field.range);  // "a, b or c"
  for (std::string word; words >> word;) {
    if (word.back() == ',') word.pop_back();
    if (word != "or") texts.push_back(word);
  }
  return texts;
}

TEST(Registry, NamesAreDifferentAndFound) {
  std::set<std::string_view> names;
  for (const OptimizerInfo& info : AllOptimizers()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(ChooseOptimizer("test", info.name).Info().name, info.name);
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.summary.empty());
  }
}

TEST(Registry, AnUnknownNameSuggestsTheNearest) {
  const auto message = [](std::string_view name) {
    return UsageErrorOf([&] { ChooseOptimizer("--optimizer", name); });
  };
  EXPECT_TRUE(message("adma").starts_with("--optimizer = 'adma': no such"));
  EXPECT_NE(message("adma").find("adam"), std::string::npos);
  EXPECT_NE(message("lbgfs").find("lbfgs"), std::string::npos);
  for (const OptimizerInfo& info : AllOptimizers()) {
    EXPECT_NE(message(std::string(info.name) + "x").find(info.name),
              std::string::npos);
  }
}

TEST(Registry, DefaultsAreValid) {
  for (const OptimizerChoice& choice : EveryOptimizer()) {
    EXPECT_NO_THROW(choice.Validate()) << choice.Info().name;
  }
}

TEST(Registry, EveryFieldGoesThroughItsText) {
  for (const OptimizerChoice& original : EveryOptimizer()) {
    for (const FieldDescription& field : AllFields(original)) {
      std::set<std::string> seen;
      for (const std::string& text : Candidates(field)) {
        OptimizerChoice choice = original;
        try {
          ASSERT_TRUE(choice.Set("test", field.name, text));
        } catch (const UsageError&) {
          continue;
        }
        const std::string shown = ValueOf(choice, field.name);
        seen.insert(shown);
        OptimizerChoice again = original;
        ASSERT_TRUE(again.Set("test", field.name, shown));
        EXPECT_EQ(ValueOf(again, field.name), shown)
            << original.Info().name << ", " << field.name;
      }
      EXPECT_GE(seen.size(), 2U) << original.Info().name << ", " << field.name;
    }
  }
}

TEST(Registry, ACopyIsIndependent) {
  OptimizerChoice choice = ChooseOptimizer("test", "sgd");
  OptimizerChoice copy = choice;
  copy.Set("test", "lr", "0.5");
  EXPECT_EQ(ValueOf(choice, "lr"), "0.01");
  EXPECT_EQ(ValueOf(copy, "lr"), "0.5");
}

TEST(Registry, AFieldOfAnotherMethodIsNotTaken) {
  EXPECT_FALSE(ChooseOptimizer("test", "adam").Set("test", "kappa", "1"));
  EXPECT_FALSE(ChooseOptimizer("test", "adamw").Set("test", "lambda", "1"));
  EXPECT_FALSE(
      ChooseOptimizer("test", "adamw").Set("test", "decoupled_decay", "1"));
}

TEST(Registry, EveryNumberOutOfItsRangeIsRefusedByNameAndValue) {
  for (const OptimizerChoice& original : EveryOptimizer()) {
    for (const FieldDescription& field : AllFields(original)) {
      const std::optional<Bounds> bounds = BoundsOf(field);
      if (!bounds) continue;
      const std::string where =
          fmt::format("{}, {}", original.Info().name, field.name);
      const auto message = [&](const std::string& text) {
        return UsageErrorOf([&] {
          OptimizerChoice choice = original;
          choice.Set("--" + field.name, field.name, text);
        });
      };
      const auto expect = [&](double value, bool refused) {
        const std::string text = fmt::format("{}", value);
        EXPECT_EQ(message(text),
                  refused ? fmt::format("--{} = {}: must satisfy {}",
                                        field.name, text, field.range)
                          : "no UsageError")
            << where;
      };
      if (bounds->low) {
        expect(*bounds->low - 1, true);
        expect(*bounds->low, bounds->low_open);
      }
      if (bounds->high) {
        expect(*bounds->high + 1, true);
        expect(*bounds->high, bounds->high_open);
      }
      for (const char* text : {"nan", "inf", "-inf", "", "x", "1e999"}) {
        EXPECT_TRUE(message(text).starts_with("--" + field.name + " = "))
            << where << ", " << text;
      }
    }
  }
}

}  // namespace
}  // namespace sven::optim::registry_test
