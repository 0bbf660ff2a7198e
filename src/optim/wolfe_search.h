// SPDX-License-Identifier: MIT
//
// A line search for the strong Wolfe conditions, by cubic interpolation.
#ifndef SVEN_OPTIM_WOLFE_SEARCH_H_
#define SVEN_OPTIM_WOLFE_SEARCH_H_

#include <functional>

#include "sven/linalg/types.h"

namespace sven::optim {

// A point of the line p + t d.
template <class T>
struct LinePoint {
  double t = 0;
  double loss = 0;   // +infinity where it is none
  double slope = 0;  // gradient . d
  AlignedVector<T> gradient;
};

// Looks for a step length t with
//   loss(t) <= loss(0) + 1e-4 t slope(0),   |slope(t)| <= 0.9 |slope(0)|.
// First t grows until the interval between the last two points must contain
// one; then the interval shrinks, its better end being the result unless a
// point meets both conditions. 25 evaluations beyond the first end it in any
// case. The rules are those of PyTorch, so the steps are the same.
template <class T>
class WolfeSearch {
 public:
  // Fills loss, slope and gradient of the point at its t.
  using Evaluate = std::function<void(LinePoint<T>&)>;

  // `start` is the point t = 0, with slope < 0; `step` the first t to try;
  // `largest` the largest |d_i|. The result lives until the next call.
  const LinePoint<T>& Run(const LinePoint<T>& start, double step,
                          double largest, const Evaluate& evaluate);

 private:
  enum class Outcome { kFound, kBracketed, kExhausted };

  Outcome Grow(const LinePoint<T>& start, const Evaluate& evaluate);
  void Shrink(const LinePoint<T>& start, double largest,
              const Evaluate& evaluate);
  // Puts the trial in the place of one of the ends; true if it is good enough.
  bool Narrow(const LinePoint<T>& start);
  // The next t in the interval, away from its ends.
  double Inside(bool& stalled) const;
  LinePoint<T>& Better() {
    return first_.loss <= second_.loss ? first_ : second_;
  }
  LinePoint<T>& Worse() {
    return first_.loss <= second_.loss ? second_ : first_;
  }

  LinePoint<T> first_;
  LinePoint<T> second_;
  LinePoint<T> trial_;
  Index tries_ = 0;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_WOLFE_SEARCH_H_
