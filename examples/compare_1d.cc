// SPDX-License-Identifier: MIT
//
// Trains the paper's 1-D task with SGD, Adam and Sven, from the same weights and
// on the same batches, and prints how they compare.
// Usage: compare_1d [curves.csv]
#include <fmt/format.h>
#include <sven/base/stopwatch.h>
#include <sven/sven.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "program.h"

namespace {

using sven::Index;

constexpr int kEpochs = 20;
constexpr Index kBatch = 32;

constexpr int kSeeds = 3;
constexpr std::array kShownEpochs = {1, 5, 20};

struct Result {
  std::string name;
  // Of each epoch: the validation losses of all seeds.
  std::array<std::vector<double>, kEpochs> losses;
  double microseconds_per_step = 0;
};

void ShowProgress(const std::string& name, int done, int all) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{:<28} {:3d} %", name, 100 * done / all);
  if (done == all) fmt::print(stderr, "\r{:40}\r", "");
}

// An optimizer by its name, and its settings as texts.
struct Entry {
  std::string shown;
  std::string optimizer;
  std::vector<std::pair<std::string, std::string>> settings;
};

Result Train(const Entry& entry, const sven::data::Task<double>& task) {
  auto choice = sven::optim::ChooseOptimizer("optimizer", entry.optimizer);
  for (const auto& [name, text] : entry.settings) choice.Set(name, name, text);
  Result result{.name = entry.shown, .losses = {}};
  double seconds = 0;
  Index steps = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const auto optimizer = choice.Make<double>();
    sven::nn::Mlp<double> net({1, 16, 16, 16, 1}, sven::nn::Activation::kGelu,
                              static_cast<std::uint64_t>(seed));
    sven::data::BatchStream<double> stream(task.train, kBatch, /*seed=*/51159);
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      sven::Stopwatch stopwatch;
      while (const auto batch = stream.Next()) {
        optimizer->Step(net, sven::nn::Loss::kSquaredError, *batch);
        ++steps;
      }
      seconds += stopwatch.Lap();
      result.losses[epoch - 1].push_back(sven::nn::MeanLoss<double>(
          net, sven::nn::Loss::kSquaredError, task.validation.All()));
      ShowProgress(result.name, (seed - 1) * kEpochs + epoch, kSeeds * kEpochs);
    }
  }
  result.microseconds_per_step = seconds / static_cast<double>(steps) * 1e6;
  return result;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void Print(const std::vector<Result>& results) {
  fmt::print("{:<28}", "median validation loss");
  for (const int epoch : kShownEpochs) {
    fmt::print(" {:>10}", fmt::format("epoch {}", epoch));
  }
  fmt::print(" {:>10}\n", "us/step");
  for (const Result& result : results) {
    fmt::print("{:<28}", result.name);
    for (const int epoch : kShownEpochs) {
      fmt::print(" {:>10.1e}", Median(result.losses[epoch - 1]));
    }
    fmt::print(" {:>10.1f}\n", result.microseconds_per_step);
  }
}

void Write(example::ResultFile& file, const std::vector<Result>& results) {
  file.WriteLine("optimizer,epoch,validation_loss");
  for (const Result& result : results) {
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      file.WriteLine(fmt::format("\"{}\",{},{}", result.name, epoch,
                                 Median(result.losses[epoch - 1])));
    }
  }
  file.Finish();
}

void Run(int argc, char** argv) {
  std::optional<example::ResultFile> file;
  if (argc > 1) file.emplace(argv[1]);
  const auto task = sven::data::MakeToy1d<double>();
  fmt::print(
      "y = exp(-10 x^2) sin(2 x), {} samples, network 1-16-16-16-1, batch {}, "
      "{} seeds\n\n",
      task.train.Size(), kBatch, kSeeds);
  const Entry entries[] = {
      {"SGD, lr 0.1", "sgd", {{"lr", "0.1"}}},
      {"SGD, lr 0.1, momentum 0.9",
       "sgd",
       {{"lr", "0.1"}, {"momentum", "0.9"}}},
      {"Adam, lr 0.01", "adam", {{"lr", "0.01"}}},
      {"Sven, lr 0.05, k 16",
       "sven",
       {{"lr", "0.05"}, {"k", "16"}, {"rtol", "1e-3"}}},
  };
  std::vector<Result> results;
  for (const Entry& entry : entries) results.push_back(Train(entry, task));
  Print(results);
  if (file) Write(*file, results);
}

}  // namespace

int main(int argc, char** argv) {
  return example::Main("compare_1d [curves.csv]", argc, argv, Run);
}
