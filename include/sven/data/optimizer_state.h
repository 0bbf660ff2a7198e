// SPDX-License-Identifier: MIT
//
// The state of an optimizer in a safetensors file: one tensor per piece, under
// the name "optimizer.<piece>". Restored, the next steps are the same bit for
// bit as if there had been no file.
#ifndef SVEN_DATA_OPTIMIZER_STATE_H_
#define SVEN_DATA_OPTIMIZER_STATE_H_

#include <string>

#include "sven/data/safetensors.h"
#include "sven/optim/optimizer.h"

namespace sven::data {

template <class T>
void AppendOptimizerState(optim::Optimizer<T>& optimizer,
                          SafetensorsFile& file);

// Sets the state of `optimizer`, which must have been made with the settings
// that it was saved with, for the network `net`. Throws a DataError that names
// `source` and the tensor if the file does not fit; the optimizer must then not
// be used further.
template <class T>
void RestoreOptimizerState(const SafetensorsFile& file,
                           const std::string& source, const nn::Mlp<T>& net,
                           optim::Optimizer<T>& optimizer);

}  // namespace sven::data

#endif  // SVEN_DATA_OPTIMIZER_STATE_H_
