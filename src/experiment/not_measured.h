// SPDX-License-Identifier: MIT
//
// Of a loss, NaN says that it was not measured, and infinity that all runs
// diverged.
#ifndef SVEN_SRC_EXPERIMENT_NOT_MEASURED_H_
#define SVEN_SRC_EXPERIMENT_NOT_MEASURED_H_

#include <limits>

namespace sven::experiment {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_NOT_MEASURED_H_
