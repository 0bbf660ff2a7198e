// SPDX-License-Identifier: MIT
#include "child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "sven/base/error.h"

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

}  // namespace

std::string RunSelf(const std::vector<std::string>& arguments) {
  std::string program = "/proc/self/exe";
  std::vector<char*> argv = {program.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);

  int ends[2];
  if (pipe(ends) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw Error(
        fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(
        fmt::format("a measuring process failed (wait status {})", status));
  }
  return text;
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
