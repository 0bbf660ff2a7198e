// SPDX-License-Identifier: MIT
#include "sven/experiment/run_config.h"

#include <gtest/gtest.h>

#include "testing/optimizers.h"

namespace sven::experiment::run_config_test {
namespace {

using sven::testing::UsageErrorOf;
using ::testing::Test;

RunConfig Parsed(const std::string& toml) {
  RunConfig config;
  ParseConfig(toml, "run.toml", config);
  return config;
}

std::string ErrorOf(const std::string& toml) {
  return UsageErrorOf([&] { Parsed(toml).Validate(); });
}

TEST(RunConfig, TomlSetsEverySortOfSetting) {
  const RunConfig config = Parsed(
      "task = \"polynomial\"\nhidden = [8, 4]\nlr = 0.25\nshuffle = false\n"
      "optimizer = [\"sven\", \"adam\"]\nbatch_size = 7\ndegree = 3\n"
      "checkpoint_every = \"5steps\"\n[adam]\nlr = 1e-3\n");
  config.Validate();
  EXPECT_EQ(config.Data().task, "polynomial");
  EXPECT_EQ(config.Model().hidden->widths, (std::vector<Index>{8, 4}));
  EXPECT_FALSE(config.Training().shuffle);
  EXPECT_EQ(config.Training().batch_size, 7);
  EXPECT_EQ(config.Task().degree, 3);
  EXPECT_EQ(config.Execution().checkpoint_every->ToText(), "5steps");
  const auto lr = [&](const char* name) {
    return config.Optimizer(name).MethodFields().front().default_value;
  };
  EXPECT_EQ(lr("sven"), "0.25");
  EXPECT_EQ(lr("adam"), "0.001");
}

TEST(RunConfig, WhatIsSaidLaterForAllHoldsForAll) {
  RunConfig config = Parsed("task = \"toy1d\"\n[sven]\nlr = 0.5\n");
  config.Set("--lr", "lr", "0.125");
  EXPECT_EQ(config.Optimizer("sven").MethodFields().front().default_value,
            "0.125");
}

TEST(RunConfig, NamesThatTomlDoesNotHaveAreRefused) {
  for (const char* toml :
       {"[.a]\n", "[[.a]]\n", "[=]\n", "\u0123 = 1\n", "lr\u00e9 = 1\n"}) {
    EXPECT_NE(ErrorOf(toml).find("run.toml: line 1, column"), std::string::npos)
        << toml;
  }
}

TEST(RunConfig, EntriesOfAListStayApart) {
  const RunConfig config =
      Parsed("data = \"a.csv\"\nclasses = [\"\", \"b\"]\n");
  EXPECT_EQ(config.Echo().at("classes"), ",b");
  EXPECT_NE(ErrorOf("data = \"a.csv\"\ntarget = [\"x,y\"]\n")
                .find("line 2: target: 'x,y': an entry of a list may not hold "
                      "a comma"),
            std::string::npos);
}

TEST(RunConfig, SavedConfigurationIsTheSameWhenRead) {
  RunConfig config = Parsed(
      "data = \"/tmp/a \\\"b\\\"\\\\c\\u0007.csv\"\ntarget = \"y,-1\"\n"
      "lr = 0.1\nrtol = \"1e-3\"\nseed = 18446744073709551\n"
      "shuffle_seed = \"18446744073709551615\"\npatience = \"none\"\n"
      "shuffle = true\noptimizer = \"sven,sgd\"\n[sgd]\nmomentum = 0.9\n");
  const RunConfig again = Parsed(config.ToToml());
  EXPECT_EQ(again.ToToml(), config.ToToml());
  EXPECT_EQ(again.Echo(), config.Echo());
  EXPECT_EQ(again.Optimizers(), config.Optimizers());
  EXPECT_EQ(again.Training().shuffle_seed, 18446744073709551615U);
}

TEST(RunConfig, DefaultsComeFromTheTask) {
  EXPECT_EQ(Parsed("task = \"toy1d\"").Training().batch_size, 32);
  EXPECT_EQ(Parsed("task = \"mnist\"").Training().batch_size, 64);
  EXPECT_EQ(Parsed("task = \"mnist\"\nbatch_size = 32").Training().batch_size,
            32);
}

TEST(RunConfig, SeedOfTheRunIsThatOfTheOptimizer) {
  const RunConfig config = Parsed("task = \"toy1d\"\nseed = 17");
  bool found = false;
  for (const auto& field : config.Optimizer("sven").MethodFields()) {
    if (field.name != "seed") continue;
    found = true;
    EXPECT_EQ(field.default_value, "17");
  }
  EXPECT_TRUE(found);
}

struct Wrong {
  const char* toml;
  std::vector<const char*> parts;
};

TEST(RunConfig, ErrorsNamePlaceValueAndRemedy) {
  const std::vector<Wrong> cases = {
      {"task = \"toy1d\"\nepoch = 3", {"run.toml: line 2", "epoch", "epochs"}},
      {"task = \"toy1d\"\nqwertyuiop = 3", {"line 2", "--help"}},
      {"task = \"toy1", {"run.toml: line 1, column"}},
      {"task = \"toy2d\"", {"toy2d", "toy1d"}},
      {"epochs = 0\ntask = \"toy1d\"", {"line 1", "1 <= epochs"}},
      {"epochs = \"many\"", {"line 1", "'many'", "a whole number"}},
      {"task = \"toy1d\"\noptimizer = \"svan\"", {"line 2", "svan", "sven"}},
      {"task = \"toy1d\"\noptimizer = \"sgd,sgd\"", {"twice"}},
      {"task = \"toy1d\"\noptimizer = \"sgd\"\nk = 3",
       {"line 3", "k", "not a setting of the optimizer sgd"}},
      {"task = \"toy1d\"\n[sgd]\nk = 3", {"line 3", "k", "sgd"}},
      {"task = \"toy1d\"\n[adm]\nlr = 3", {"line 3", "adm", "adam"}},
      {"lr = 0.1", {"no data", "--task", "--data"}},
      {"task = \"toy1d\"\ndata = \"x.csv\"", {"--task and --data"}},
      {"task = \"toy1d\"\ntarget = \"y\"", {"'target'", "--task"}},
      {"task = \"toy1d\"\nvalidation = 0.5", {"'validation'", "--task"}},
      {"data = \"x.csv\"\ndegree = 3", {"'degree'", "--data"}},
      {"task = \"toy1d\"\nhidden = [0]", {"line 2", "'0'", "16,16,16"}},
      {"task = \"toy1d\"\nhidden = []", {"line 2", "16,16,16"}},
      {"task = \"toy1d\"\nhidden = [[1]]", {"line 2", "a list"}},
      {"task = \"toy1d\"\nhidden = [4]\ninit = \"m\"", {"--hidden", "--init"}},
      {"task = 2020-01-01", {"line 1", "a text"}},
      {"task = \"toy1d\"\n[sven]\nx = { y = 1 }", {"line 3", "a text"}},
      {"task = \"toy1d\"\nschedule = \"cosin\"", {"line 2", "cosin"}},
      {"task = \"toy1d\"\ntime_limit = nan", {"line 2", "time_limit"}},
  };
  for (const Wrong& wrong : cases) {
    const std::string message = ErrorOf(wrong.toml);
    for (const char* part : wrong.parts) {
      EXPECT_NE(message.find(part), std::string::npos)
          << wrong.toml << "\n-> " << message << "\nlacks " << part;
    }
  }
}

}  // namespace
}  // namespace sven::experiment::run_config_test
