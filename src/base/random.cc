// SPDX-License-Identifier: MIT
#include "sven/base/random.h"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "sven/base/error.h"

namespace sven {

void RandomStream::FillWords(std::uint64_t block) {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(block),
       static_cast<std::uint32_t>(block >> 32), use_, 0}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed_),
       static_cast<std::uint32_t>(seed_ >> 32)}};
  const auto words = r123::Philox4x32{}(counter, key);
  for (std::uint32_t i = 0; i < 4; ++i) words_[i] = words.v[i];
}

std::uint32_t RandomStream::Bits32() {
  if (next_ == 4) {
    FillWords(block_++);
    next_ = 0;
  }
  return words_[next_++];
}

std::array<std::uint64_t, RandomStream::kStateWords> RandomStream::State()
    const {
  return {seed_,
          use_,
          block_,
          next_,
          has_spare_ ? 1U : 0U,
          std::bit_cast<std::uint64_t>(spare_normal_)};
}

bool RandomStream::SetState(
    const std::array<std::uint64_t, kStateWords>& state) {
  const auto [seed, use, block, next, has_spare, spare] = state;
  const bool possible = use <= 0xffffffffU && next <= 4 && has_spare <= 1 &&
                        (block > 0 || next == 4);
  if (!possible) return false;
  seed_ = seed;
  use_ = static_cast<std::uint32_t>(use);
  block_ = block;
  words_ = {};
  // The words left of the last block.
  if (block > 0) FillWords(block - 1);
  next_ = static_cast<std::uint32_t>(next);
  has_spare_ = has_spare == 1;
  spare_normal_ = std::bit_cast<double>(spare);
  return true;
}

std::uint64_t RandomStream::Bits64() {
  const std::uint64_t high = Bits32();
  return (high << 32) | Bits32();
}

double RandomStream::Uniform() {
  return static_cast<double>(Bits64() >> 11) * 0x1p-53;
}

double RandomStream::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // 1 - u lies in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  const double angle = 2.0 * std::numbers::pi * Uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Index RandomStream::Below(Index count) {
  Check(count > 0, "count must be positive");
  // Reject the incomplete last interval of the 2^64 values.
  const auto n = static_cast<std::uint64_t>(count);
  const std::uint64_t rest = (0 - n) % n;  // 2^64 mod n
  std::uint64_t bits = Bits64();
  while (bits < rest) bits = Bits64();
  return static_cast<Index>(bits % n);
}

void SampleWithoutReplacement(Index total, Index count, RandomStream& random,
                              std::vector<Index>& chosen) {
  Check(0 <= count && count <= total, "cannot choose more than there are");
  chosen.clear();
  for (Index i = 0; count > 0; ++i) {
    const auto left = static_cast<double>(total - i);
    if (left * random.Uniform() < static_cast<double>(count)) {
      chosen.push_back(i);
      --count;
    }
  }
}

void RandomPermutation(Index count, RandomStream& random,
                       std::vector<Index>& order) {
  order.resize(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.Below(i + 1))]);
  }
}

}  // namespace sven
