// SPDX-License-Identifier: MIT
#include "machine.h"

#include <fstream>
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

}  // namespace

std::string Version() { return SVEN_VERSION; }

std::map<std::string, std::string> DescribeMachine(Index threads) {
  return {{"cpu", CpuName()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"threads", std::to_string(threads)},
          {"compiler", __VERSION__}};
}

}  // namespace sven::experiment
