// SPDX-License-Identifier: MIT
#ifndef SVEN_TRAIN_INTERVAL_H_
#define SVEN_TRAIN_INTERVAL_H_

#include <string>
#include <string_view>

#include "sven/base/types.h"

namespace sven::train {

// How often something is done. As text: "30s" (seconds), "5epochs", "100steps".
struct Interval {
  enum class Unit { kSeconds, kEpochs, kSteps };

  double count = 30;
  Unit unit = Unit::kSeconds;

  [[nodiscard]] std::string ToText() const;
  // Throws a UsageError that opens with `source`.
  static Interval FromText(std::string_view source, std::string_view text);

  bool operator==(const Interval&) const = default;
};

}  // namespace sven::train

#endif  // SVEN_TRAIN_INTERVAL_H_
