// SPDX-License-Identifier: MIT
#include "machine.h"

#include <sys/resource.h>

#include <fstream>
#include <optional>
#include <thread>

namespace sven::experiment {
namespace {

// As Linux names it; empty elsewhere.
std::string CpuName() {
  std::ifstream stream("/proc/cpuinfo");
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

// Linux: of this program alone, in kB, since the last reset. What getrusage
// says knows no reset, and counts what the process was before it became this
// program.
std::optional<Index> HighWaterMark() {
  std::ifstream stream("/proc/self/status");
  std::string word;
  while (stream >> word) {
    Index value = 0;
    if (word == "VmHWM:" && stream >> value) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string Version() { return SVEN_VERSION; }

std::map<std::string, std::string> DescribeMachine(Index threads) {
  return {{"cpu", CpuName()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"threads", std::to_string(threads)},
          {"compiler", __VERSION__}};
}

Index PeakMemory() {
  constexpr Index kUnit = 1024;
  if (const auto mark = HighWaterMark()) return *mark * kUnit;
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * kUnit : 0;
}

void ResetPeakMemory() {
  // Linux: the mark goes down to what is in use now.
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace sven::experiment
