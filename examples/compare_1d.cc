// SPDX-License-Identifier: MIT
//
// Trains the paper's 1-D task with Sven and with SGD, from the same weights and
// on the same batches, and prints how they compare.
#include <fmt/format.h>
#include <sven/base/stopwatch.h>
#include <sven/sven.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using sven::Index;

constexpr int kEpochs = 20;
constexpr Index kBatch = 32;

constexpr int kSeeds = 3;
constexpr std::array kShownEpochs = {1, 5, 20};

using MakeOptimizer =
    std::function<std::unique_ptr<sven::optim::Optimizer<double>>()>;

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

Result Train(std::string name, const sven::data::Task<double>& task,
             const MakeOptimizer& make_optimizer) {
  Result result{.name = std::move(name), .losses = {}};
  double seconds = 0;
  Index steps = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const auto optimizer = make_optimizer();
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

void WriteCurves(const char* path, const std::vector<Result>& results) {
  std::ofstream file(path);
  file << "optimizer,epoch,validation_loss\n";
  for (const Result& result : results) {
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      file << fmt::format("\"{}\",{},{}\n", result.name, epoch,
                          Median(result.losses[epoch - 1]));
    }
  }
  if (!file.flush()) throw sven::Error(fmt::format("{}: cannot write", path));
}

void Compare(const char* curves) {
  using sven::optim::Sgd;
  using sven::optim::Sven;
  const auto task = sven::data::MakeToy1d<double>();
  fmt::print(
      "y = exp(-10 x^2) sin(2 x), {} samples, network 1-16-16-16-1, batch {}, "
      "{} seeds\n\n",
      task.train.Size(), kBatch, kSeeds);
  const std::vector<Result> results = {
      Train("SGD, lr 0.1", task,
            [] {
              return std::make_unique<Sgd<double>>(
                  sven::optim::SgdOptions{.learning_rate = 0.1});
            }),
      Train("SGD, lr 0.1, momentum 0.9", task,
            [] {
              return std::make_unique<Sgd<double>>(sven::optim::SgdOptions{
                  .learning_rate = 0.1, .momentum = 0.9});
            }),
      Train("Sven, lr 0.05, k 16", task, [] {
        return std::make_unique<Sven<double>>(sven::optim::SvenOptions{
            .learning_rate = 0.05, .truncation = {.k = 16, .rtol = 1e-3}});
      })};
  Print(results);
  if (curves != nullptr) WriteCurves(curves, results);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Compare(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_1d: {}\n", error.what());
    return 1;
  }
  return 0;
}
