// SPDX-License-Identifier: MIT
#ifndef SVEN_APPS_SVEN_WORKER_POOL_H_
#define SVEN_APPS_SVEN_WORKER_POOL_H_

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sven::cli {

// Runs of this program in processes of their own, several at a time. They end
// with the pool, and if this process is killed.
class WorkerPool {
 public:
  struct Finished {
    std::size_t job = 0;
    int exit_code = 0;  // or -1, if it was ended by a signal
    int signal = 0;
  };

  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Starts `sven arguments...`; all that it prints goes to the file `log`.
  // Throws a DataError if there can be no further process.
  void Start(std::size_t job, const std::vector<std::string>& arguments,
             const std::filesystem::path& log);

  [[nodiscard]] std::size_t Running() const { return jobs_.size(); }

  // The next one that is over, if there is one already.
  std::optional<Finished> Poll();

 private:
  std::map<pid_t, std::size_t> jobs_;
};

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_WORKER_POOL_H_
