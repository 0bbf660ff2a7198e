// SPDX-License-Identifier: MIT
//
// What the program knows of the terminal and of the user at it.
#ifndef SVEN_APPS_SVEN_TERMINAL_H_
#define SVEN_APPS_SVEN_TERMINAL_H_

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace sven::cli {

// Prints to the error output. If that is closed or full nobody can be told, and
// the work goes on.
template <class... Arguments>
void PrintError(fmt::format_string<Arguments...> format,
                Arguments&&... arguments) {
  const std::string text =
      fmt::format(format, std::forward<Arguments>(arguments)...);
  static_cast<void>(std::fputs(text.c_str(), stderr));
}

// Whether somebody watches the error output, where progress is shown, and how
// wide it is.
bool IsTerminal();
int TerminalWidth();

// From here on Ctrl-C (SIGINT), SIGTERM and SIGHUP do not end the program but are
// remembered; a second one ends it at once.
void CatchInterrupts();
bool Interrupted();

// The command line as it could be typed again. Set by main.
void RememberCommandLine(int argc, char** argv);
const std::string& CommandLine();

// A word as the shell takes it, in quotes if need be.
std::string ShellWord(const std::string& word);

// Columns of equal width, two blanks between them; the first to the left, the
// others to the right. The first row is the heading.
std::string AlignedTable(const std::vector<std::vector<std::string>>& rows);

// "1:02", "3:04:05".
std::string ClockTime(double seconds);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_TERMINAL_H_
