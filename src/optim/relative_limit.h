// SPDX-License-Identifier: MIT
//
// A limit on the length of an update that goes with the size of the parameters.
#ifndef SVEN_OPTIM_RELATIVE_LIMIT_H_
#define SVEN_OPTIM_RELATIVE_LIMIT_H_

#include <algorithm>
#include <span>

#include "sven/core/step.h"
#include "sven/linalg/norm.h"

namespace sven::optim {

// `limit` times the norm of the parameters, or `limit` itself if they are
// smaller than 1, so that a network can leave zero.
template <class T>
double RelativeLimit(double limit, std::span<const T> parameters) {
  return limit * std::max(1.0, linalg::Norm<T>(parameters));
}

// Shortens the update to a norm of at most `longest`. Of the predicted decrease,
// which grows less than in proportion, at least the same part is left.
template <class T>
void Shorten(double longest, std::span<T> update, StepReport& report) {
  if (!(report.update_norm > longest)) return;
  const double factor = longest / report.update_norm;
  for (T& value : update) value *= static_cast<T>(factor);
  report.update_norm = longest;
  report.predicted_decrease *= factor;
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_RELATIVE_LIMIT_H_
