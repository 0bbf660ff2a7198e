// SPDX-License-Identifier: MIT
//
// What a record says of the program and the machine.
#ifndef SVEN_SRC_EXPERIMENT_MACHINE_H_
#define SVEN_SRC_EXPERIMENT_MACHINE_H_

#include <map>
#include <string>

#include "sven/base/types.h"

namespace sven::experiment {

std::string Version();

std::map<std::string, std::string> DescribeMachine(Index threads);

// The most memory that this process had at a time since the last reset, or
// since its start where the system cannot begin anew; bytes.
Index PeakMemory();
void ResetPeakMemory();

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_MACHINE_H_
