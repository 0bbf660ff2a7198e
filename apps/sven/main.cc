// SPDX-License-Identifier: MIT
//
// Exit codes: 0 done, 1 failed at run time, 2 wrong usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "commands.h"
#include "reference.h"
#include "sven/base/error.h"
#include "terminal.h"

namespace {

// About the first argument that nobody knows.
int RefuseArgument(const CLI::App& app) {
  const std::string argument = app.remaining(/*recurse=*/true).front();
  sven::cli::PrintError("sven: {}: not understood{}\n", argument,
                        sven::cli::SuggestArgument(app, argument));
  return 2;
}

int Run(int argc, char** argv) {
  CLI::App app(
      "Sven trains networks and fits models by singular value descent:\n"
      "every data point is a condition of its own, and each step is the\n"
      "smallest one that meets all of them at once.",
      "sven");
  app.set_version_flag("--version", SVEN_VERSION);
  app.require_subcommand(1);
  sven::cli::AddTrainCommand(app);
  sven::cli::AddEvalCommand(app);
  sven::cli::AddPredictCommand(app);
  sven::cli::AddScanCommand(app);
  sven::cli::AddReproduceCommand(app);
  sven::cli::AddReportCommand(app);
  sven::cli::AddServeCommand(app);
  sven::cli::AddStepCommand(app);
  sven::cli::AddBenchCommand(app);
  sven::cli::AddListCommand(app);
  sven::cli::AddDataCommand(app);
  sven::cli::AddCompletionCommand(app);
  app.footer("sven COMMAND --help explains a command.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ExtrasError&) {
    return RefuseArgument(app);
  } catch (const CLI::RequiredError& error) {
    return app.remaining(true).empty() ? app.exit(error),
           2                           : RefuseArgument(app);
  } catch (const CLI::ParseError& error) {
    // Help and version are not errors.
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sven::cli::RememberCommandLine(argc, argv);
  // A limit on the size of files is an error like a full disk, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = Run(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    sven::cli::PrintError("sven: cannot write the output: {}\n",
                          std::system_category().message(errno));
  } catch (const sven::UsageError& error) {
    sven::cli::PrintError("sven: {}\n", error.what());
    return 2;
  } catch (const sven::Error& error) {
    sven::cli::PrintError("sven: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    sven::cli::PrintError("sven: not enough memory\n");
  } catch (const std::system_error& error) {
    sven::cli::PrintError("sven: {}\n", error.what());
  } catch (const std::exception& error) {
    sven::cli::PrintError("sven: internal error: {}\n", error.what());
  }
  return 1;
}
