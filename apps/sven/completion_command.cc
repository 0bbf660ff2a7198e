// SPDX-License-Identifier: MIT
//
// sven completion: scripts for shells.
#include <fmt/format.h>

#include "commands.h"
#include "reference.h"

namespace sven::cli {

void AddCompletionCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that completes commands and options");
  command->require_subcommand(1);
  CLI::App* bash = command->add_subcommand("bash", "For bash");
  bash->footer(
      "Put this line into ~/.bashrc:\n  source <(sven completion bash)");
  bash->callback([&app] { fmt::print("{}", BashCompletion(app)); });
}

}  // namespace sven::cli
