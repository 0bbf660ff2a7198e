// SPDX-License-Identifier: MIT
#ifndef SVEN_BASE_STOPWATCH_H_
#define SVEN_BASE_STOPWATCH_H_

#include <chrono>

namespace sven {

// Wall time since construction or since the last Lap.
class Stopwatch {
 public:
  // Seconds since the start or the last lap; starts the next one.
  double Lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double> elapsed = now - start_;
    start_ = now;
    return elapsed.count();
  }

  [[nodiscard]] double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace sven

#endif  // SVEN_BASE_STOPWATCH_H_
