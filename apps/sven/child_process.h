// SPDX-License-Identifier: MIT
#ifndef SVEN_APPS_SVEN_CHILD_PROCESS_H_
#define SVEN_APPS_SVEN_CHILD_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace sven::cli {

// Runs this program again with `arguments` and returns what it prints. Throws a
// sven::Error if it cannot be started or fails.
std::string RunSelf(const std::vector<std::string>& arguments);

// The most memory this process ever had resident, in bytes. Read from the
// process's own memory map: getrusage would count what the parent had.
std::int64_t PeakMemory();

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_CHILD_PROCESS_H_
