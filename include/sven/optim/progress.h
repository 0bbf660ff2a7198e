// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_PROGRESS_H_
#define SVEN_OPTIM_PROGRESS_H_

#include <cmath>

#include "sven/optim/state_archive.h"

namespace sven::optim {

// Whether a loss still falls that is seen with noise, batch by batch: two
// running means of its logarithm, over about the last 2 % and the last 10 % of
// the steps, at least 50 and 200; and how far it has fallen, by the mean over
// the last 10. The first steps are plain means.
class Progress {
 public:
  // A loss that is not positive and finite is passed over.
  void Add(double loss);

  // The short mean lies less than 5 % below the long one. False as long as both
  // are the same.
  [[nodiscard]] bool Stalled() const {
    return count_ > kShortest && fast_ > slow_ - kLeast;
  }

  // The loss of late over the highest that it was: 1 at the start.
  [[nodiscard]] double Left() const { return std::exp(late_ - highest_); }

  // How many losses there were.
  [[nodiscard]] double Count() const { return count_; }

  bool operator==(const Progress&) const = default;
  void Visit(StateArchive& archive);

 private:
  static constexpr double kLeast = 0.05;
  static constexpr double kShortest = 50;

  double count_ = 0;
  double fast_ = 0;
  double slow_ = 0;
  double late_ = 0;
  double highest_ = 0;  // of late_
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_PROGRESS_H_
