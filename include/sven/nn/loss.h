// SPDX-License-Identifier: MIT
//
// Losses per sample: l_a >= 0 and dl_a/df for the outputs f of sample a. Sums
// over outputs, never means, as in the paper.
#ifndef SVEN_NN_LOSS_H_
#define SVEN_NN_LOSS_H_

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/nn/batch.h"
#include "sven/nn/mlp.h"

namespace sven::nn {

struct Loss {
  enum Kind {
    kSquaredError,     // sum_c (f_c - y_c)^2
    kLabelRegression,  // the same against the one-hot label
    kCrossEntropy,     // log sum_c exp f_c - f_label
    kHuber,            // sum_c h(f_c - y_c), h(r) = r^2/2 for |r| <= delta,
                       // delta (|r| - delta/2) beyond
  };

  // Throws a UsageError unless huber_delta > 0.
  // NOLINTNEXTLINE(google-explicit-constructor): Loss::kHuber is a Loss.
  Loss(Kind kind_in, double huber_delta_in = 1.0);

  [[nodiscard]] bool UsesLabels() const {
    return kind == kLabelRegression || kind == kCrossEntropy;
  }

  Kind kind;
  double huber_delta;
};

// Throws a DataError, naming what is wrong, unless `batch` has at least one
// sample of `inputs` features and the targets that `loss` needs for `outputs`
// outputs, labels within 0 ... outputs - 1.
template <class T>
void CheckBatch(const Loss& loss, const Batch<T>& batch, Index inputs,
                Index outputs);

// losses[a] = l_a and, unless `gradient` is null, its row a = dl_a/df. Sums run
// in double, in `scratch`. The batch must have passed CheckBatch.
template <class T>
void EvaluateLoss(const Loss& loss, const ConstMatrixView<T>& outputs,
                  const Batch<T>& batch, std::span<double> losses,
                  MatrixView<T>* gradient, std::vector<double>& scratch);

// The mean of the losses of a batch, or of a whole data set. For a single use:
// allocates its work area.
template <class T>
double MeanLoss(const Mlp<T>& net, const Loss& loss, const Batch<T>& batch);

}  // namespace sven::nn

template <>
struct sven::EnumNames<sven::nn::Loss::Kind> {
  static constexpr std::pair<std::string_view, nn::Loss::Kind> kTable[] = {
      {"mse", nn::Loss::kSquaredError},
      {"label_regression", nn::Loss::kLabelRegression},
      {"ce", nn::Loss::kCrossEntropy},
      {"huber", nn::Loss::kHuber},
  };
};

#endif  // SVEN_NN_LOSS_H_
