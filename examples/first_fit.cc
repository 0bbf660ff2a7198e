// SPDX-License-Identifier: MIT
//
// The program of the README.
#include <sven/sven.h>

#include <cstdio>

int main() {
  const auto task = sven::data::MakeToy1d<double>();
  sven::nn::Mlp<double> net({1, 16, 16, 16, 1}, sven::nn::Activation::kGelu, 1);
  sven::optim::Sven<double> optimizer({.truncation = {.k = 16, .rtol = 1e-3}});
  sven::data::BatchStream<double> stream(task.train, /*batch_size=*/32, 1);
  for (int epoch = 1; epoch <= 5; ++epoch) {
    sven::StepReport report;
    for (sven::nn::Batch<double> batch; stream.Next(batch);)
      report = optimizer.Step(net, sven::nn::Loss::kSquaredError, batch);
    std::printf("epoch %d: loss %.1e, %td singular values kept\n", epoch,
                report.loss, report.kept);
  }
}
