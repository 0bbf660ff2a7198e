// SPDX-License-Identifier: MIT
//
// What the program says of itself, made from its commands and options.
#ifndef SVEN_APPS_SVEN_REFERENCE_H_
#define SVEN_APPS_SVEN_REFERENCE_H_

#include <CLI/CLI.hpp>
#include <string>

namespace sven::cli {

// docs/cli.md.
std::string MarkdownReference(const CLI::App& app);

// A script for bash that completes commands, options and their values.
std::string BashCompletion(const CLI::App& app);

// The end of a message about an argument that no command knows: the nearest
// option, if one is near.
std::string SuggestArgument(const CLI::App& app, const std::string& argument);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_REFERENCE_H_
