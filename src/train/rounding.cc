// SPDX-License-Identifier: MIT
#include "sven/train/rounding.h"

#include <algorithm>
#include <limits>

namespace sven::train {
namespace {

constexpr double kRoundings = 30;
constexpr Index kEpochs = 3;
constexpr double kLeastGain = 0.9;

double LowestLoss(std::span<const EpochRecord> epochs) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const EpochRecord& epoch : epochs) {
    lowest = std::min(lowest, epoch.train.loss);  // passes over NaN
  }
  return lowest;
}

}  // namespace

template <class T>
double RoundingLoss(const nn::Loss& loss, const nn::Batch<T>& data) {
  const double error = kRoundings * std::numeric_limits<T>::epsilon();
  if (loss.kind == nn::Loss::kCrossEntropy) return error;
  if (loss.UsesLabels()) return error * error;  // one-hot targets
  if (data.Size() == 0) return 0;
  const double mean_square = data.y.template cast<double>().squaredNorm() /
                             static_cast<double>(data.Size());
  // Huber's loss is half the square there.
  const double part = loss.kind == nn::Loss::kHuber ? 0.5 : 1;
  return part * error * error * mean_square;
}

Index RoundingSince(std::span<const EpochRecord> epochs, double level) {
  if (std::ssize(epochs) <= kEpochs) return 0;
  const auto last = epochs.last(static_cast<std::size_t>(kEpochs));
  const auto before = epochs.first(epochs.size() - last.size());
  const double reached = LowestLoss(before);
  const bool stalled = !(LowestLoss(last) < kLeastGain * reached);
  return reached <= level && stalled ? before.back().epoch : 0;
}

template double RoundingLoss(const nn::Loss&, const nn::Batch<float>&);
template double RoundingLoss(const nn::Loss&, const nn::Batch<double>&);

}  // namespace sven::train
