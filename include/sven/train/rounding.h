// SPDX-License-Identifier: MIT
#ifndef SVEN_TRAIN_ROUNDING_H_
#define SVEN_TRAIN_ROUNDING_H_

#include <span>

#include "sven/nn/batch.h"
#include "sven/nn/loss.h"
#include "sven/train/records.h"

namespace sven::train {

// The loss at which the errors of a network in the number type T are about the
// rounding of its outputs: with eps that of T, errors of 30 eps relative to the
// targets' size; for cross-entropy a loss of 30 eps.
template <class T>
double RoundingLoss(const nn::Loss& loss, const nn::Batch<T>& data);

// The epoch from which on nothing but rounding was left to gain: the training
// loss is at or below `level` and has not fallen by a tenth in three epochs. 0
// if that has not come about by the last epoch.
Index RoundingSince(std::span<const EpochRecord> epochs, double level);

}  // namespace sven::train

#endif  // SVEN_TRAIN_ROUNDING_H_
