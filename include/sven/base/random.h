// SPDX-License-Identifier: MIT
//
// Random numbers from explicit seeds. The generator is counter-based (Philox
// 4x32-10): the n-th number of a stream is a function of (seed, stream, n)
// alone, so results are the same bit for bit on every machine, in every order
// of work, and a stream's whole state is three integers.
#ifndef SVEN_BASE_RANDOM_H_
#define SVEN_BASE_RANDOM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sven/base/types.h"

namespace sven {

// What a stream is for. Streams of one seed are independent of each other, so
// drawing more data does not change the initial weights.
enum class RandomUse : std::uint32_t {
  kData = 1,
  kInitialisation = 2,
  kShuffling = 3,
  kSubsampling = 4,
  kProjection = 5,
  kNoise = 6,
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomUse use)
      : seed_(seed), use_(static_cast<std::uint32_t>(use)) {}

  std::uint32_t Bits32();
  std::uint64_t Bits64();
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  double Uniform(double low, double high) {
    return low + (high - low) * Uniform();
  }
  // Standard normal (Box-Muller, both values used).
  double Normal();
  // Uniform in 0 ... count - 1, without bias.
  Index Below(Index count);

  bool operator==(const RandomStream&) const = default;

  // Everything there is to a stream, for files. SetState returns false, and
  // changes nothing, for words that State() never gives.
  static constexpr std::size_t kStateWords = 6;
  [[nodiscard]] std::array<std::uint64_t, kStateWords> State() const;
  [[nodiscard]] bool SetState(
      const std::array<std::uint64_t, kStateWords>& state);

 private:
  // The words of a block of the sequence.
  void FillWords(std::uint64_t block);

  std::uint64_t seed_;
  std::uint32_t use_;
  std::uint64_t block_ = 0;  // number of blocks of four words drawn
  std::array<std::uint32_t, 4> words_{};
  std::uint32_t next_ = 4;  // first unused entry of words_
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

// `count` different numbers out of 0 ... total - 1, ascending; every subset is
// equally likely. One uniform per candidate (selection sampling; Knuth, The
// Art of Computer Programming 2, algorithm 3.4.2 S).
void SampleWithoutReplacement(Index total, Index count, RandomStream& random,
                              std::vector<Index>& chosen);

// A random order of 0 ... count - 1 (Fisher-Yates).
void RandomPermutation(Index count, RandomStream& random,
                       std::vector<Index>& order);

}  // namespace sven

#endif  // SVEN_BASE_RANDOM_H_
