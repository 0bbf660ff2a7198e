// SPDX-License-Identifier: MIT
#include "testing/child_process.h"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace sven::testing {

std::string InChildProcess(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = [&]() noexcept { return action(); }();
    const auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == std::ssize(text) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 512> buffer{};
  for (ssize_t count = 0;
       (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

bool StepDown() {
  constexpr id_t kNobody = 65534;
  if (::geteuid() != 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setegid(kNobody) == 0 &&
         ::seteuid(kNobody) == 0;
}

}  // namespace sven::testing
