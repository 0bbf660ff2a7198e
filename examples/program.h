// SPDX-License-Identifier: MIT
//
// What the examples share: arguments, files of results, and errors as messages.
#ifndef SVEN_EXAMPLES_PROGRAM_H_
#define SVEN_EXAMPLES_PROGRAM_H_

#include <fmt/format.h>
#include <sven/base/error.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace example {

// A file of results, created before the work is done.
class ResultFile {
 public:
  explicit ResultFile(std::string path) : path_(std::move(path)), file_(path_) {
    Check();
  }
  void WriteLine(const std::string& line) { file_ << line << '\n'; }
  void Finish() {
    file_.flush();
    Check();
  }

 private:
  void Check() const {
    if (!file_) throw sven::DataError(path_ + ": cannot be written");
  }

  std::string path_;
  std::ofstream file_;
};

// Calls run(argc, argv) and turns exceptions into a message and an exit code.
// `usage` is the line of the program's head, "heat [seconds [curves.csv]]"; its
// words are the program and the arguments that there may be.
inline int Main(std::string_view usage, int argc, char** argv,
                void (*run)(int, char**)) {
  const std::string_view name = usage.substr(0, usage.find(' '));
  const std::span arguments(argv + 1, argv + argc);
  if (std::ranges::any_of(arguments, [](std::string_view argument) {
        return argument == "-h" || argument == "--help";
      })) {
    fmt::print("Usage: {}\n", usage);
    return 0;
  }
  try {
    const auto most = std::ranges::count(usage, ' ');
    if (std::ssize(arguments) > most) {
      throw sven::UsageError(fmt::format("{} arguments: must be at most {}",
                                         arguments.size(), most));
    }
    run(argc, argv);
  } catch (const sven::UsageError& error) {
    fmt::print(stderr, "{}: {}\nUsage: {}\n", name, error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace example

#endif  // SVEN_EXAMPLES_PROGRAM_H_
