// SPDX-License-Identifier: MIT
#include "child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "sven/base/error.h"
#include "sven/base/text.h"

namespace sven::cli {
namespace {

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// What a shell says of a program that is not there.
constexpr int kNotFound = 127;

struct Finished {
  int wait_status = 0;
  std::string output;
};

// Where the child finds itself: only calls that are allowed after fork.
[[noreturn]] void BecomeProgram(int output, const char* folder,
                                char* const* argv) {
  dup2(output, STDOUT_FILENO);
  if (folder != nullptr) {
    dup2(output, STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (chdir(folder) != 0) _exit(kNotFound);
  }
  execvp(argv[0], argv);
  _exit(kNotFound);
}

// Runs argv[0] to its end. With a folder, it runs there, gets no input, and its
// errors are part of the output; without, it shares both with this process.
Finished Run(std::vector<std::string> command, const char* folder) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw Error(
        fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (child == 0) BecomeProgram(ends[1], folder, argv.data());
  close(ends[1]);
  Finished finished{.output = ReadAll(ends[0])};
  close(ends[0]);
  while (waitpid(child, &finished.wait_status, 0) < 0 && errno == EINTR) {
  }
  return finished;
}

bool Succeeded(int wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

// The first lines that say something, as one.
std::string FirstLines(const std::string& text) {
  constexpr int kLines = 3;
  constexpr std::size_t kLongest = 300;
  std::istringstream in(text);
  std::string result;
  int count = 0;
  for (std::string line; count < kLines && std::getline(in, line);) {
    if (line.empty()) continue;
    result += (count == 0 ? "" : "; ") + line;
    ++count;
  }
  return Printable(result, kLongest);
}

}  // namespace

std::string RunSelf(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"/proc/self/exe"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Finished finished = Run(std::move(command), nullptr);
  if (!Succeeded(finished.wait_status)) {
    throw Error(fmt::format("a measuring process failed (wait status {})",
                            finished.wait_status));
  }
  return std::move(finished.output);
}

void RunProgram(const std::vector<std::string>& command,
                const std::filesystem::path& folder) {
  const Finished finished = Run(command, folder.c_str());
  const int status = finished.wait_status;
  if (Succeeded(status)) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound &&
      finished.output.empty()) {
    throw Error(fmt::format("{} is not installed", command.front()));
  }
  const std::string how = WIFEXITED(status)
                              ? fmt::format("exit code {}", WEXITSTATUS(status))
                              : fmt::format("signal {}", WTERMSIG(status));
  throw Error(fmt::format("{} failed with {}: {}", command.front(), how,
                          FirstLines(finished.output)));
}

std::int64_t PeakMemory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    std::int64_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "VmHWM: %ld kB", &kilobytes) == 1) {
      return kilobytes * 1024;
    }
  }
  throw Error("/proc/self/status has no line VmHWM: peak memory is unknown");
}

}  // namespace sven::cli
