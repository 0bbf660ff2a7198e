// SPDX-License-Identifier: MIT
//
// A training in a safetensors file, complete: parameters (under PyTorch's
// names), the state of the optimizer (optimizer.*), position, random streams and
// sums of the running epoch, and all records so far (train.*).
#ifndef SVEN_TRAIN_CHECKPOINT_H_
#define SVEN_TRAIN_CHECKPOINT_H_

#include <string>

#include "sven/data/safetensors.h"
#include "sven/train/trainer.h"

namespace sven::train {

template <class T>
void AppendCheckpoint(Trainer<T>& trainer, data::SafetensorsFile& file);

// For a trainer that was made like the one that was saved: the same data,
// options, optimizer and network; it goes on bit for bit as that one would.
// Throws a DataError that names `source` if the file does not fit; the trainer
// must then not be used further.
template <class T>
void RestoreCheckpoint(const data::SafetensorsFile& file,
                       const std::string& source, Trainer<T>& trainer);

}  // namespace sven::train

#endif  // SVEN_TRAIN_CHECKPOINT_H_
