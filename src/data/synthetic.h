// SPDX-License-Identifier: MIT
//
// What tasks that are made from a seed have in common.
#ifndef SVEN_SRC_DATA_SYNTHETIC_H_
#define SVEN_SRC_DATA_SYNTHETIC_H_

#include "sven/data/tasks.h"

namespace sven::data {

// Learns on the training part, applies to both, and says so in the task.
void Standardise(TaskStandardise what, Task<double>& task);

// Adds normal noise of this deviation to the targets of the training part, from
// a stream of its own.
void AddNoise(double deviation, std::uint64_t seed, Task<double>& task);

// Every value rounded to nearest.
template <class T>
Task<T> Convert(const Task<double>& task);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_SYNTHETIC_H_
