// SPDX-License-Identifier: MIT
//
// States (sven/optim/state_archive.h) in safetensors files: one tensor per
// piece, under the name "<prefix>.<piece>".
#ifndef SVEN_DATA_STATE_FILE_H_
#define SVEN_DATA_STATE_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "sven/data/safetensors.h"
#include "sven/optim/state_archive.h"

namespace sven::data {

// Lists the pieces of a state.
using StateVisit = std::function<void(optim::StateArchive&)>;

void AppendState(std::string_view prefix, const StateVisit& visit,
                 SafetensorsFile& file);

// Throws a DataError that names `source` and the tensor if one is missing or
// does not fit; the state must then not be used further.
void RestoreState(std::string_view prefix, const StateVisit& visit,
                  const SafetensorsFile& file, const std::string& source);

}  // namespace sven::data

#endif  // SVEN_DATA_STATE_FILE_H_
