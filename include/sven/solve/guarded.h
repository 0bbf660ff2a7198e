// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_GUARDED_H_
#define SVEN_SOLVE_GUARDED_H_

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "sven/linalg/types.h"

namespace sven::solve {

namespace internal {

// A NaN that no computation gives: what was never written. Compared by bits.
template <class T>
T Unwritten() {
  if constexpr (sizeof(T) == sizeof(std::uint64_t)) {
    return std::bit_cast<T>(std::uint64_t{0x7ff8'5e4e'5e4e'5e4e});
  } else {
    return std::bit_cast<T>(std::uint32_t{0x7fc5'e4e5});
  }
}

template <class T>
bool IsUnwritten(T value) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint64_t),
                                  std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(value) == std::bit_cast<Bits>(Unwritten<T>());
}

// The plain number in T, Dual and Tracked.
template <class S>
auto ValueOf(const S& number) {
  if constexpr (std::is_floating_point_v<S>) {
    return number;
  } else {
    return number.Value();
  }
}

[[noreturn]] void ThrowOverrun(std::string_view what, Index count);
[[noreturn]] void ThrowUnwritten(std::string_view what, Index count,
                                 Index first);

}  // namespace internal

// Memory that somebody else's function fills. Marked cells behind it, and in it,
// tell whether the function wrote too much or too little.
template <class S>
class Guarded {
 public:
  // The cells to fill, all of them marked.
  std::span<S> Arm(Index count) {
    using T = decltype(internal::ValueOf(S()));
    count_ = static_cast<std::size_t>(count);
    cells_.assign(count_ + kGuards, S(internal::Unwritten<T>()));
    return Filled();
  }
  [[nodiscard]] std::span<S> Filled() {
    return std::span<S>(cells_).first(count_);
  }

  // Throws a DataError if a cell was left out or one behind the last was
  // written. `what` is filled: "residuals".
  void Verify(std::string_view what) const {
    const auto count = static_cast<Index>(count_);
    for (std::size_t i = count_; i < cells_.size(); ++i) {
      if (!internal::IsUnwritten(internal::ValueOf(cells_[i]))) {
        internal::ThrowOverrun(what, count);
      }
    }
    for (Index i = 0; i < count; ++i) {
      if (internal::IsUnwritten(internal::ValueOf(cells_[i]))) {
        internal::ThrowUnwritten(what, count, i);
      }
    }
  }

 private:
  static constexpr std::size_t kGuards = 8;

  std::size_t count_ = 0;
  AlignedVector<S> cells_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_GUARDED_H_
