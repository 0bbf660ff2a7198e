// SPDX-License-Identifier: MIT
//
// What L-BFGS learns from its iterations, and how to take back a step's worth
// of it.
#ifndef SVEN_OPTIM_LBFGS_MEMORY_H_
#define SVEN_OPTIM_LBFGS_MEMORY_H_

#include <span>
#include <vector>

#include "sven/optim/lbfgs.h"

namespace sven::optim {

template <class T>
class LbfgsMemory {
 public:
  LbfgsMemory(LbfgsState<T>& state, Index history_size)
      : state_(state), history_size_(history_size) {}

  // From here on RollBack() brings back the state as it is now. Only pairs that
  // are lost meanwhile are copied, not the whole history.
  void Begin();
  void RollBack();

  // Keeps the pair s = t d, y = gradient - previous gradient, if s.y is large
  // enough.
  void Learn(std::span<const T> gradient);

  // d = - H gradient, by the two loops over the pairs.
  void SetDirection(std::span<const T> gradient);

 private:
  [[nodiscard]] std::size_t N() const { return state_.direction.size(); }
  // The i-th pair from the oldest.
  [[nodiscard]] std::size_t Place(std::int64_t i) const;
  [[nodiscard]] std::span<T> Step(std::size_t place);
  [[nodiscard]] std::span<T> Change(std::size_t place);
  // Makes room for a pair.
  std::size_t NextPlace();
  void SaveOldest();

  LbfgsState<T>& state_;
  Index history_size_;
  std::vector<double> alpha_;  // of the two loops, per pair

  LbfgsCounters counters_;
  AlignedVector<T> direction_;
  AlignedVector<T> previous_gradient_;
  // Pairs that were replaced, in that order.
  AlignedVector<T> lost_steps_;
  AlignedVector<T> lost_changes_;
  std::vector<double> lost_inverses_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_LBFGS_MEMORY_H_
