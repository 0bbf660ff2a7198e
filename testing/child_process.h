// SPDX-License-Identifier: MIT
#ifndef SVEN_TESTING_CHILD_PROCESS_H_
#define SVEN_TESTING_CHILD_PROCESS_H_

#include <functional>
#include <string>

namespace sven::testing {

// Runs `action` in a child process, so that it may spoil its own surroundings,
// and returns what it returns. Empty if the child dies.
std::string InChildProcess(const std::function<std::string()>& action);

// Makes this process one that permissions bind, as they do not bind the
// superuser. False if it cannot.
bool StepDown();

}  // namespace sven::testing

#endif  // SVEN_TESTING_CHILD_PROCESS_H_
