// SPDX-License-Identifier: MIT
#include "sven/train/evaluate.h"

#include <limits>

#include "sven/data/dataset.h"

namespace sven::train {
namespace {

// Number of samples whose largest output is that of the label. A NaN among the
// outputs is never right.
template <class T>
Index CountRight(const ConstMatrixView<T>& outputs,
                 std::span<const std::int64_t> labels) {
  Index right = 0;
  for (Index a = 0; a < outputs.rows(); ++a) {
    Index best = 0;
    outputs.row(a).maxCoeff(&best);
    const bool finite = outputs.row(a).array().isFinite().all();
    if (finite && best == labels[static_cast<std::size_t>(a)]) ++right;
  }
  return right;
}

}  // namespace

template <class T>
Metrics Evaluator<T>::Evaluate(const nn::Mlp<T>& net, const nn::Loss& loss,
                               const nn::Batch<T>& data) {
  if (data.Size() == 0) {
    return {.loss = std::numeric_limits<double>::quiet_NaN()};
  }
  nn::CheckBatch<T>(loss, data, net.NumInputs(), net.NumOutputs());
  losses_.resize(static_cast<std::size_t>(kBlock));
  double sum = 0;
  Index right = 0;
  ForEachBlock(
      net, data.x, [&](Index first, const ConstMatrixView<T>& outputs) {
        const Index count = outputs.rows();
        const nn::Batch<T> block = data::Rows(data, first, count);
        const std::span<double> losses =
            std::span(losses_).first(static_cast<std::size_t>(count));
        nn::EvaluateLoss<T>(loss, outputs, block, losses, nullptr, scratch_);
        for (const double value : losses) sum += value;
        if (loss.UsesLabels()) {
          right += CountRight<T>(outputs, block.labels);
        }
      });
  const auto samples = static_cast<double>(data.Size());
  Metrics metrics{.loss = sum / samples};
  if (loss.UsesLabels()) {
    metrics.accuracy = static_cast<double>(right) / samples;
  }
  return metrics;
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace sven::train
