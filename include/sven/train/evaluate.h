// SPDX-License-Identifier: MIT
//
// How well a network does on a data set.
#ifndef SVEN_TRAIN_EVALUATE_H_
#define SVEN_TRAIN_EVALUATE_H_

#include <optional>
#include <vector>

#include "sven/nn/loss.h"
#include "sven/nn/propagation.h"

namespace sven::train {

struct Metrics {
  double loss = 0;  // the mean over the samples
  // For losses on labels: the share of samples whose largest output is that of
  // the label.
  std::optional<double> accuracy = std::nullopt;
};

// Evaluates data sets of any size in blocks of rows; keeps its work area.
template <class T>
class Evaluator {
 public:
  // Of no samples the loss is NaN. Throws a DataError for data that do not fit.
  Metrics Evaluate(const nn::Mlp<T>& net, const nn::Loss& loss,
                   const nn::Batch<T>& data);

  // Calls use(first, outputs) for one block of rows after the other: `outputs`
  // are those of the samples from number `first` on.
  template <class Use>
  void ForEachBlock(const nn::Mlp<T>& net, const ConstMatrixView<T>& x,
                    const Use& use) {
    for (Index first = 0; first < x.rows(); first += kBlock) {
      const Index count = std::min(kBlock, x.rows() - first);
      propagation_.Forward(net, {x.data() + first * x.cols(), count, x.cols()});
      use(first, propagation_.Outputs());
    }
  }

 private:
  static constexpr Index kBlock = 512;

  nn::Propagation<T> propagation_;
  std::vector<double> losses_;
  std::vector<double> scratch_;
};

}  // namespace sven::train

#endif  // SVEN_TRAIN_EVALUATE_H_
