// SPDX-License-Identifier: MIT
//
// What the program knows of the terminal and of the user at it.
#ifndef SVEN_APPS_SVEN_TERMINAL_H_
#define SVEN_APPS_SVEN_TERMINAL_H_

#include <string>
#include <vector>

namespace sven::cli {

// Whether somebody watches the error output, where progress is shown, and how
// wide it is.
bool IsTerminal();
int TerminalWidth();

// From here on Ctrl-C (SIGINT) and SIGTERM do not end the program but are
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
