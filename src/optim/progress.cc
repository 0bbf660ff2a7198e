// SPDX-License-Identifier: MIT
#include "sven/optim/progress.h"

#include <algorithm>
#include <cmath>

namespace sven::optim {

void Progress::Add(double loss) {
  if (!(loss > 0) || !std::isfinite(loss)) return;
  ++count_;
  const auto follow = [&](double steps, double& mean) {
    mean += (std::log(loss) - mean) / std::min(steps, count_);
  };
  follow(std::max(kShortest, 0.02 * count_), fast_);
  follow(std::max(200.0, 0.1 * count_), slow_);
  follow(10, late_);
  highest_ = count_ == 1 ? late_ : std::max(highest_, late_);
}

void Progress::Visit(StateArchive& archive) {
  archive.Number("progress.count", count_);
  archive.Number("progress.fast", fast_);
  archive.Number("progress.slow", slow_);
  archive.Number("progress.late", late_);
  archive.Number("progress.highest", highest_);
}

}  // namespace sven::optim
