// SPDX-License-Identifier: MIT
#include "sven/nn/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sven/base/error.h"

namespace sven::nn {
namespace {

// One sample: C outputs f, and either targets y or a label. Each function
// returns the loss and writes its gradient, in double, to g.
struct Sample {
  Index count;
  const double* f;
  const double* y;  // one-hot for label regression
  Index label;
};

double SquaredError(const Sample& sample, double* g) {
  double sum = 0;
  for (Index c = 0; c < sample.count; ++c) {
    const double r = sample.f[c] - sample.y[c];
    sum += r * r;
    g[c] = 2 * r;
  }
  return sum;
}

double Huber(const Sample& sample, double delta, double* g) {
  double sum = 0;
  for (Index c = 0; c < sample.count; ++c) {
    const double r = sample.f[c] - sample.y[c];
    const bool inside = std::abs(r) <= delta;
    sum += inside ? r * r / 2 : delta * (std::abs(r) - delta / 2);
    g[c] = inside ? r : std::copysign(delta, r);
  }
  return sum;
}

// With the largest output taken out of the sum, both the loss and its gradient
// keep their digits when a sample is classified well.
double CrossEntropy(const Sample& sample, double* g) {
  const Index top =
      std::max_element(sample.f, sample.f + sample.count) - sample.f;
  double rest = 0;
  for (Index c = 0; c < sample.count; ++c) {
    g[c] = std::exp(sample.f[c] - sample.f[top]);
    if (c != top) rest += g[c];
  }
  const double sum = 1 + rest;
  double others = 0;
  for (Index c = 0; c < sample.count; ++c) {
    g[c] /= sum;
    if (c != sample.label) others += g[c];
  }
  g[sample.label] = -others;
  return std::log1p(rest) + (sample.f[top] - sample.f[sample.label]);
}

double Evaluate(const Loss& loss, const Sample& sample, double* g) {
  switch (loss.kind) {
    case Loss::kSquaredError:
    case Loss::kLabelRegression:
      return SquaredError(sample, g);
    case Loss::kCrossEntropy:
      return CrossEntropy(sample, g);
    case Loss::kHuber:
      return Huber(sample, loss.huber_delta, g);
  }
  return 0;
}

}  // namespace

Loss::Loss(Kind kind_in, double huber_delta_in)
    : kind(kind_in), huber_delta(huber_delta_in) {
  if (!(huber_delta > 0)) {
    throw UsageError(fmt::format(
        "Loss::huber_delta = {}: must satisfy huber_delta > 0", huber_delta));
  }
}

template <class T>
void CheckBatch(const Loss& loss, const Batch<T>& batch, Index inputs,
                Index outputs) {
  const Index B = batch.Size();
  if (B < 1) throw DataError("x: an empty batch; expected at least one sample");
  if (batch.x.cols() != inputs) {
    throw DataError(
        fmt::format("x has {} columns, but the network has {} inputs",
                    batch.x.cols(), inputs));
  }
  if (!loss.UsesLabels()) {
    if (batch.y.rows() != B || batch.y.cols() != outputs) {
      throw DataError(fmt::format(
          "y has shape {} x {}; expected {} x {} (samples x outputs) for the "
          "loss {}",
          batch.y.rows(), batch.y.cols(), B, outputs, Name(loss.kind)));
    }
    return;
  }
  if (std::ssize(batch.labels) != B) {
    throw DataError(fmt::format(
        "{} labels for {} samples; the loss {} needs one integer label each",
        batch.labels.size(), B, Name(loss.kind)));
  }
  for (Index a = 0; a < B; ++a) {
    if (batch.labels[a] < 0 || batch.labels[a] >= outputs) {
      throw DataError(fmt::format(
          "label {} of sample {}: must be from 0 to {}, the network has {} "
          "outputs",
          batch.labels[a], a, outputs - 1, outputs));
    }
  }
}

template <class T>
void EvaluateLoss(const Loss& loss, const ConstMatrixView<T>& outputs,
                  const Batch<T>& batch, std::span<double> losses,
                  MatrixView<T>* gradient, std::vector<double>& scratch) {
  const Index C = outputs.cols();
  scratch.resize(static_cast<std::size_t>(3 * C));
  double* f = scratch.data();  // one sample's outputs, targets and gradient
  double* y = f + C;
  double* g = y + C;
  for (Index a = 0; a < outputs.rows(); ++a) {
    for (Index c = 0; c < C; ++c) f[c] = static_cast<double>(outputs(a, c));
    Sample sample{.count = C, .f = f, .y = y, .label = 0};
    if (loss.UsesLabels()) {
      sample.label = batch.labels[a];
      std::fill(y, y + C, 0.0);
      y[sample.label] = 1;
    } else {
      for (Index c = 0; c < C; ++c) y[c] = static_cast<double>(batch.y(a, c));
    }
    losses[a] = Evaluate(loss, sample, g);
    if (gradient == nullptr) continue;
    for (Index c = 0; c < C; ++c) (*gradient)(a, c) = static_cast<T>(g[c]);
  }
}

template <class T>
double MeanLoss(const Mlp<T>& net, const Loss& loss, const Batch<T>& batch) {
  CheckBatch(loss, batch, net.NumInputs(), net.NumOutputs());
  const Matrix<T> outputs = net.Predict(batch.x);
  std::vector<double> losses(static_cast<std::size_t>(batch.Size()));
  std::vector<double> scratch;
  EvaluateLoss<T>(loss, View(outputs), batch, losses, nullptr, scratch);
  return std::accumulate(losses.begin(), losses.end(), 0.0) /
         static_cast<double>(losses.size());
}

#define SVEN_INSTANTIATE(T)                                             \
  template void CheckBatch(const Loss&, const Batch<T>&, Index, Index); \
  template void EvaluateLoss(const Loss&, const ConstMatrixView<T>&,    \
                             const Batch<T>&, std::span<double>,        \
                             MatrixView<T>*, std::vector<double>&);     \
  template double MeanLoss(const Mlp<T>&, const Loss&, const Batch<T>&)
SVEN_INSTANTIATE(float);
SVEN_INSTANTIATE(double);
#undef SVEN_INSTANTIATE

}  // namespace sven::nn
