// SPDX-License-Identifier: MIT
//
// Statistical tests have fixed seeds, hence fixed outcomes; their limits are
// kSigmas standard deviations of the quantity tested.
#include "sven/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sven::random_test {
namespace {

constexpr double kSigmas = 5;
constexpr int kDraws = 100'000;

constexpr RandomUse kUses[] = {RandomUse::kData, RandomUse::kInitialisation,
                               RandomUse::kShuffling, RandomUse::kSubsampling,
                               RandomUse::kProjection};

using Words = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

// Philox 4x32-10 as its paper writes it: Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3.
Words Philox(Words x, Key key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
    const auto high = [](std::uint64_t v) {
      return static_cast<std::uint32_t>(v >> 32);
    };
    const auto low = [](std::uint64_t v) {
      return static_cast<std::uint32_t>(v);
    };
    x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return x;
}

std::vector<std::uint32_t> Draw(RandomStream stream, int count) {
  std::vector<std::uint32_t> bits;
  for (int i = 0; i < count; ++i) bits.push_back(stream.Bits32());
  return bits;
}

// sum (observed - expected)^2 / expected, in standard deviations above its
// mean, if all cells are equally likely.
double ChiSquareSigmas(const std::vector<Index>& counts, double draws) {
  const double expected = draws / static_cast<double>(counts.size());
  double sum = 0;
  for (const Index count : counts) {
    const double gap = static_cast<double>(count) - expected;
    sum += gap * gap / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

// The vectors published with the generator (Random123, kat_vectors).
TEST(PhiloxTest, PaperFormulaGivesThePublishedVectors) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Key: the seed; counter: (block, use, 0). Files depend on this layout.
TEST(RandomStreamTest, IsPhiloxWithTheSeedAsKeyAndTheUseInTheCounter) {
  for (const std::uint64_t seed : {0x0ull, 0x1ull, 0x0123456789abcdefull}) {
    for (const RandomUse use : kUses) {
      RandomStream stream(seed, use);
      for (std::uint32_t block = 0; block < 50; ++block) {
        const Words words =
            Philox({block, 0, static_cast<std::uint32_t>(use), 0},
                   {static_cast<std::uint32_t>(seed),
                    static_cast<std::uint32_t>(seed >> 32)});
        for (const std::uint32_t word : words) {
          ASSERT_EQ(stream.Bits32(), word) << "block " << block;
        }
      }
    }
  }
}

TEST(RandomStreamTest, LayoutOfZeroKeyAndCounterGivesThePublishedVector) {
  EXPECT_EQ(Draw(RandomStream(0, RandomUse{0}), 4),
            (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                        0x9b00dbd8}));
}

TEST(RandomStreamTest, WideNumbersAreMadeOfTheSameWordsInOrder) {
  const auto words = Draw(RandomStream(3, RandomUse::kData), 6);
  const auto wide = [&](int i) {
    return (std::uint64_t{words[i]} << 32) | words[i + 1];
  };
  RandomStream stream(3, RandomUse::kData);
  EXPECT_EQ(stream.Bits64(), wide(0));
  EXPECT_EQ(stream.Uniform(), static_cast<double>(wide(2) >> 11) * 0x1p-53);
  EXPECT_EQ(stream.Uniform(-2, 6),
            -2 + 8 * (static_cast<double>(wide(4) >> 11) * 0x1p-53));
}

TEST(RandomStreamTest, SameSeedAndUseGiveTheSameSequence) {
  for (const RandomUse use : kUses) {
    EXPECT_EQ(Draw({42, use}, 100), Draw({42, use}, 100));
  }
}

TEST(RandomStreamTest, DifferentUsesAndSeedsShareNoNumberInPlace) {
  std::vector<std::vector<std::uint32_t>> sequences;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32, ~0ull}) {
    for (const RandomUse use : kUses)
      sequences.push_back(Draw({seed, use}, 64));
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < 64; ++k) {
        ASSERT_NE(sequences[i][k], sequences[j][k]) << i << " " << j;
      }
    }
  }
}

TEST(RandomStreamTest, CopyContinuesIdenticallyFromAnyState) {
  RandomStream stream(7, RandomUse::kSubsampling);
  for (int i = 0; i < 20; ++i) {
    RandomStream copy = stream;
    EXPECT_EQ(copy, stream);
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(copy.Normal(), stream.Normal());  // odd: leaves a spare one
      ASSERT_EQ(copy.Bits32(), stream.Bits32());
      ASSERT_EQ(copy.Below(10), stream.Below(10));
    }
    EXPECT_EQ(copy, stream);
    copy.Bits32();
    EXPECT_NE(copy, stream);
  }
}

TEST(RandomStreamTest, UniformLiesInTheHalfOpenIntervalWithTheRightMoments) {
  RandomStream stream(1, RandomUse::kData);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u - 0.5;
    squares += (u - 0.5) * (u - 0.5);
  }
  // Variance 1 / 12 of u, 1 / 180 of (u - 1/2)^2.
  EXPECT_NEAR(sum / kDraws, 0, kSigmas * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 12,
              kSigmas * std::sqrt(1.0 / 180 / kDraws));
}

TEST(RandomStreamTest, UniformBetweenLimitsStaysBetweenThem) {
  RandomStream stream(2, RandomUse::kInitialisation);
  double least = 5;
  double most = -3;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.Uniform(-3, 5);
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_GE(least, -3);
  EXPECT_LT(most, 5);
  // Missing the outermost 1 in 1000 has probability exp(-100).
  EXPECT_LT(least, -3 + 8e-3);
  EXPECT_GT(most, 5 - 8e-3);
}

TEST(RandomStreamTest, NormalHasTheRightMomentsAndTails) {
  RandomStream stream(5, RandomUse::kInitialisation);
  double moments[5] = {};
  Index beyond_two = 0;
  double neighbours = 0;
  double previous = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.Normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int p = 1; p <= 4; ++p) moments[p] += std::pow(x, p) / kDraws;
    if (std::abs(x) > 2) ++beyond_two;
    neighbours += x * previous / kDraws;
    previous = x;
  }
  // Var x^p = E x^2p - (E x^p)^2: 1, 2, 15, 96.
  const double sigma = kSigmas / std::sqrt(kDraws);
  EXPECT_NEAR(moments[1], 0, sigma);
  EXPECT_NEAR(moments[2], 1, sigma * std::sqrt(2));
  EXPECT_NEAR(moments[3], 0, sigma * std::sqrt(15));
  EXPECT_NEAR(moments[4], 3, sigma * std::sqrt(96));
  EXPECT_NEAR(neighbours, 0, sigma);
  const double tail = std::erfc(2 / std::sqrt(2));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, tail,
              sigma * std::sqrt(tail * (1 - tail)));
}

TEST(BelowTest, EveryNumberIsEquallyLikely) {
  for (const Index count : {2, 3, 7, 10, 64, 100}) {
    RandomStream stream(11, RandomUse::kShuffling);
    std::vector<Index> counts(count);
    for (int i = 0; i < kDraws; ++i) {
      const Index x = stream.Below(count);
      ASSERT_GE(x, 0);
      ASSERT_LT(x, count);
      ++counts[x];
    }
    EXPECT_LT(std::abs(ChiSquareSigmas(counts, kDraws)), kSigmas) << count;
  }
}

// 2^64 = (2 + 2/3) n here: without rejection the first two thirds of the
// numbers would come up 3 times for every 2 of the last.
TEST(BelowTest, HasNoBiasForCountsThatDoNotDivideTheRange) {
  constexpr Index kCount = Index{3} << 61;
  RandomStream stream(12, RandomUse::kShuffling);
  std::vector<Index> thirds(3);
  for (int i = 0; i < kDraws; ++i) {
    ++thirds[stream.Below(kCount) / (Index{1} << 61)];
  }
  EXPECT_LT(std::abs(ChiSquareSigmas(thirds, kDraws)), kSigmas);
}

TEST(BelowTest, OneLeavesNoChoiceAndNoneIsAMistake) {
  RandomStream stream(13, RandomUse::kShuffling);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.Below(1), 0);
  EXPECT_THROW(stream.Below(0), std::logic_error);
  EXPECT_THROW(stream.Below(-1), std::logic_error);
}

TEST(SampleTest, IsAscendingDistinctAndOfTheRightCount) {
  RandomStream stream(21, RandomUse::kSubsampling);
  std::vector<Index> chosen = {99, 98};  // what stood there goes
  for (const Index total : {0, 1, 2, 5, 33, 1000}) {
    for (Index count = 0; count <= total; count += 1 + total / 7) {
      SampleWithoutReplacement(total, count, stream, chosen);
      ASSERT_EQ(std::ssize(chosen), count);
      for (Index i = 0; i < count; ++i) {
        ASSERT_GE(chosen[i], i == 0 ? 0 : chosen[i - 1] + 1);
        ASSERT_LT(chosen[i], total);
      }
    }
  }
}

TEST(SampleTest, OfNoneIsEmptyAndOfAllIsEverything) {
  RandomStream stream(22, RandomUse::kSubsampling);
  std::vector<Index> chosen;
  for (const Index total : {0, 1, 3, 100}) {
    SampleWithoutReplacement(total, 0, stream, chosen);
    EXPECT_TRUE(chosen.empty());
    SampleWithoutReplacement(total, total, stream, chosen);
    ASSERT_EQ(std::ssize(chosen), total);
    for (Index i = 0; i < total; ++i) EXPECT_EQ(chosen[i], i);
  }
  EXPECT_THROW(SampleWithoutReplacement(3, 4, stream, chosen),
               std::logic_error);
  EXPECT_THROW(SampleWithoutReplacement(3, -1, stream, chosen),
               std::logic_error);
}

TEST(SampleTest, EverySubsetIsEquallyLikely) {
  RandomStream stream(23, RandomUse::kSubsampling);
  std::vector<Index> counts(20);  // 6 choose 3
  std::vector<Index> chosen;
  std::vector<unsigned> subsets;
  for (unsigned mask = 0; mask < 64; ++mask) {
    if (std::popcount(mask) == 3) subsets.push_back(mask);
  }
  for (int i = 0; i < kDraws; ++i) {
    SampleWithoutReplacement(6, 3, stream, chosen);
    unsigned mask = 0;
    for (const Index x : chosen) mask |= 1u << x;
    ++counts[std::find(subsets.begin(), subsets.end(), mask) - subsets.begin()];
  }
  EXPECT_LT(std::abs(ChiSquareSigmas(counts, kDraws)), kSigmas);
}

TEST(SampleTest, EveryElementIsEquallyLikely) {
  constexpr Index kTotal = 50;
  constexpr Index kCount = 8;
  constexpr int kSamples = 20'000;
  RandomStream stream(24, RandomUse::kSubsampling);
  std::vector<Index> counts(kTotal);
  std::vector<Index> chosen;
  for (int i = 0; i < kSamples; ++i) {
    SampleWithoutReplacement(kTotal, kCount, stream, chosen);
    for (const Index x : chosen) ++counts[x];
  }
  const double p = static_cast<double>(kCount) / kTotal;
  const double sigma = std::sqrt(kSamples * p * (1 - p));
  for (Index x = 0; x < kTotal; ++x) {
    EXPECT_NEAR(static_cast<double>(counts[x]), kSamples * p, kSigmas * sigma)
        << x;
  }
}

TEST(PermutationTest, HoldsEveryNumberOnce) {
  RandomStream stream(31, RandomUse::kShuffling);
  std::vector<Index> order = {7, 7, 7};
  for (const Index count : {0, 1, 2, 3, 10, 1000, 5}) {
    RandomPermutation(count, stream, order);
    ASSERT_EQ(std::ssize(order), count);
    std::vector<Index> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (Index i = 0; i < count; ++i) ASSERT_EQ(sorted[i], i);
  }
}

TEST(PermutationTest, EveryOrderIsEquallyLikely) {
  RandomStream stream(32, RandomUse::kShuffling);
  std::vector<Index> counts(24);
  std::vector<Index> order;
  for (int i = 0; i < kDraws; ++i) {
    RandomPermutation(4, stream, order);
    Index rank = 0;  // in the list of all orders
    for (Index a = 0; a < 4; ++a) {
      rank =
          rank * (4 - a) + std::count_if(order.begin() + a, order.end(),
                                         [&](Index x) { return x < order[a]; });
    }
    ++counts[rank];
  }
  EXPECT_LT(std::abs(ChiSquareSigmas(counts, kDraws)), kSigmas);
}

}  // namespace
}  // namespace sven::random_test
