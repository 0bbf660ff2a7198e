// SPDX-License-Identifier: MIT
#ifndef SVEN_APPS_SVEN_CHILD_PROCESS_H_
#define SVEN_APPS_SVEN_CHILD_PROCESS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sven::cli {

// Runs this program again with `arguments` and returns what it prints. Throws a
// sven::Error if it cannot be started or fails.
std::string RunSelf(const std::vector<std::string>& arguments);

// Runs a program that is looked up in PATH, in `folder`, without input. Throws
// a sven::Error that says so if it is not installed, and one with the first
// lines that it printed if it fails.
void RunProgram(const std::vector<std::string>& command,
                const std::filesystem::path& folder);

// The most memory this process ever had resident, in bytes. Read from the
// process's own memory map: getrusage would count what the parent had.
std::int64_t PeakMemory();

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_CHILD_PROCESS_H_
