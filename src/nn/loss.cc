// SPDX-License-Identifier: MIT
#include "sven/nn/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

double CrossEntropy(const Sample& sample, double* g) {
  const double top = *std::max_element(sample.f, sample.f + sample.count);
  double sum = 0;
  for (Index c = 0; c < sample.count; ++c) {
    g[c] = std::exp(sample.f[c] - top);
    sum += g[c];
  }
  for (Index c = 0; c < sample.count; ++c) g[c] /= sum;
  g[sample.label] -= 1;
  const double loss = std::log(sum) + (top - sample.f[sample.label]);
  // Rounding can give -1e-17; NaN passes.
  return loss < 0 ? 0.0 : loss;
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

// Copies of one sample's row in double: on the stack for usual output counts.
class RowBuffer {
 public:
  explicit RowBuffer(Index count) {
    if (3 * count > std::ssize(small_)) {
      large_.resize(static_cast<std::size_t>(3 * count));
      data_ = large_.data();
    }
  }
  double* Part(Index part, Index count) { return data_ + part * count; }

 private:
  std::array<double, 384> small_;
  std::vector<double> large_;
  double* data_ = small_.data();
};

}  // namespace

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
                  MatrixView<T>* gradient) {
  const Index C = outputs.cols();
  RowBuffer buffer(C);
  double* f = buffer.Part(0, C);
  double* y = buffer.Part(1, C);
  double* g = buffer.Part(2, C);
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

#define SVEN_INSTANTIATE(T)                                             \
  template void CheckBatch(const Loss&, const Batch<T>&, Index, Index); \
  template void EvaluateLoss(const Loss&, const ConstMatrixView<T>&,    \
                             const Batch<T>&, std::span<double>,        \
                             MatrixView<T>*)
SVEN_INSTANTIATE(float);
SVEN_INSTANTIATE(double);
#undef SVEN_INSTANTIATE

}  // namespace sven::nn
