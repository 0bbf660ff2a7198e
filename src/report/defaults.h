// SPDX-License-Identifier: MIT
#ifndef SVEN_SRC_REPORT_DEFAULTS_H_
#define SVEN_SRC_REPORT_DEFAULTS_H_

#include <string>

namespace sven::report {

// What settings are if nothing is said, as JSON: an object of settings for each
// optimizer and, under "", those of all runs. Without what depends on the task,
// since a command that leaves it out would mean something else with another.
std::string DefaultsText();

}  // namespace sven::report

#endif  // SVEN_SRC_REPORT_DEFAULTS_H_
