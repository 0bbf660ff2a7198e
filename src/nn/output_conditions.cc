// SPDX-License-Identifier: MIT
#include "sven/nn/output_conditions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sven::nn {
namespace {

// Probabilities below this have R = 1 / sqrt(p) and a row of length sqrt(p): at
// the limit their product still has all its digits, in float too.
constexpr double kSmallestProbability = 1e-30;

// p <- softmax of p (C entries).
void Softmax(std::span<double> p) {
  const double top = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) {
    value = std::exp(value - top);
    sum += value;
  }
  for (double& value : p) value /= sum;
}

// R and dR/df of one output with residual r.
struct HuberCondition {
  double value;
  double slope;
};
HuberCondition Huber(double r, double delta) {
  const double size = std::abs(r);
  if (size <= delta) {
    return {r / std::numbers::sqrt2, 1 / std::numbers::sqrt2};
  }
  const double root = std::sqrt(delta * (size - delta / 2));
  return {std::copysign(root, r), delta / (2 * root)};
}

template <class T>
void CrossEntropyConditions(std::span<const double> p, Index label,
                            std::span<double> residuals, Index first,
                            MatrixView<T>& rows) {
  const Index C = std::ssize(p);
  double others = 0;
  for (Index c = 0; c < C; ++c) {
    if (c != label) others += p[c];
  }
  for (Index c = 0; c < C; ++c) {
    const double root =
        std::sqrt(c == label ? std::max(p[c], kSmallestProbability) : p[c]);
    residuals[c] = c == label ? -others / root : root;
    for (Index j = 0; j < C; ++j) {
      rows(first + c, j) = static_cast<T>(root * ((c == j ? 1 : 0) - p[j]));
    }
    // 1 - p_label without cancellation.
    if (c == label) rows(first + c, c) = static_cast<T>(root * others);
  }
}

}  // namespace

template <class T>
void EvaluateOutputConditions(const Loss& loss,
                              const ConstMatrixView<T>& outputs,
                              const Batch<T>& batch,
                              std::span<double> residuals, MatrixView<T> rows,
                              std::vector<double>& scratch) {
  const Index C = outputs.cols();
  scratch.resize(static_cast<std::size_t>(C));
  rows.setZero();
  for (Index a = 0; a < outputs.rows(); ++a) {
    for (Index c = 0; c < C; ++c) {
      scratch[c] = static_cast<double>(outputs(a, c));
    }
    const auto own = residuals.subspan(static_cast<std::size_t>(a * C),
                                       static_cast<std::size_t>(C));
    if (loss.kind == Loss::kCrossEntropy) {
      Softmax(scratch);
      CrossEntropyConditions<T>(scratch, batch.labels[a], own, a * C, rows);
      continue;
    }
    for (Index c = 0; c < C; ++c) {
      const double target = loss.UsesLabels() ? (batch.labels[a] == c ? 1 : 0)
                                              : double{batch.y(a, c)};
      const double r = scratch[c] - target;
      const HuberCondition condition = loss.kind == Loss::kHuber
                                           ? Huber(r, loss.huber_delta)
                                           : HuberCondition{r, 1};
      own[c] = condition.value;
      rows(a * C + c, c) = static_cast<T>(condition.slope);
    }
  }
}

template void EvaluateOutputConditions(const Loss&,
                                       const ConstMatrixView<float>&,
                                       const Batch<float>&, std::span<double>,
                                       MatrixView<float>, std::vector<double>&);
template void EvaluateOutputConditions(const Loss&,
                                       const ConstMatrixView<double>&,
                                       const Batch<double>&, std::span<double>,
                                       MatrixView<double>,
                                       std::vector<double>&);

}  // namespace sven::nn
