// SPDX-License-Identifier: MIT
//
// One function per sub-command: adds it with its options to the program.
#ifndef SVEN_APPS_SVEN_COMMANDS_H_
#define SVEN_APPS_SVEN_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace sven::cli {

void AddTrainCommand(CLI::App& app);
void AddEvalCommand(CLI::App& app);
void AddPredictCommand(CLI::App& app);
void AddScanCommand(CLI::App& app);
void AddReproduceCommand(CLI::App& app);
void AddReportCommand(CLI::App& app);
void AddServeCommand(CLI::App& app);
void AddStepCommand(CLI::App& app);
void AddBenchCommand(CLI::App& app);
void AddListCommand(CLI::App& app);
void AddCompletionCommand(CLI::App& app);
void AddDataCommand(CLI::App& app);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_COMMANDS_H_
