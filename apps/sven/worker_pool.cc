// SPDX-License-Identifier: MIT
#include "worker_pool.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "sven/base/error.h"

namespace sven::cli {
namespace {

// In the child. Only calls that are safe after a fork.
[[noreturn]] void Become(char* const* argv, const char* log, pid_t parent) {
  // Ctrl-C at the terminal is for the parent, which ends its children.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int out = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int in = ::open("/dev/null", O_RDONLY);
  if (out < 0 || in < 0) ::_exit(1);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv("/proc/self/exe", argv);
  ::_exit(1);
}

}  // namespace

WorkerPool::~WorkerPool() {
  for (const auto& [pid, job] : jobs_) ::kill(pid, SIGKILL);
  for (const auto& [pid, job] : jobs_) ::waitpid(pid, nullptr, 0);
}

void WorkerPool::Start(std::size_t job,
                       const std::vector<std::string>& arguments,
                       const std::filesystem::path& log) {
  std::vector<std::string> words = {"sven"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw DataError("cannot start another process: " +
                    std::system_category().message(errno));
  }
  if (pid == 0) Become(argv.data(), log.c_str(), parent);
  jobs_[pid] = job;
}

std::optional<WorkerPool::Finished> WorkerPool::Poll() {
  for (auto entry = jobs_.begin(); entry != jobs_.end(); ++entry) {
    int status = 0;
    if (::waitpid(entry->first, &status, WNOHANG) != entry->first) continue;
    Finished finished{.job = entry->second};
    finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    finished.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    jobs_.erase(entry);
    return finished;
  }
  return std::nullopt;
}

}  // namespace sven::cli
