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
}

void Progress::Visit(StateArchive& archive) {
  archive.Number("progress.count", count_);
  archive.Number("progress.fast", fast_);
  archive.Number("progress.slow", slow_);
}

}  // namespace sven::optim
