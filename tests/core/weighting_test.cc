// SPDX-License-Identifier: MIT
#include "sven/core/weighting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sven/core/residual_map.h"

namespace sven::core::weighting_test {
namespace {

std::vector<double> Phi(const Weighting& weighting, std::vector<double> s) {
  std::vector<double> phi(s.size());
  Filter(weighting, s, phi);
  return phi;
}

TEST(Filter, TheExampleInTheHeaderHolds) {
  const std::vector<double> s = {1, 1e-4};
  EXPECT_EQ(Phi(PseudoInverse{.rtol = 1e-5}, s), (std::vector<double>{1, 1e4}));
  EXPECT_EQ(Phi(PseudoInverse{.rtol = 1e-3}, s), (std::vector<double>{1, 0}));
  EXPECT_NEAR(Phi(Tikhonov{.lambda = 1e-8}, s)[1], 5e3, 1e-8);
  EXPECT_NEAR(Phi(PowerInverse{.p = 0.5}, s)[1], 100, 1e-10);
}

TEST(Filter, AThresholdActsOnTheSingularValueAndNotOnItsSquare) {
  // With the square, 0.011^2 < 0.01 would be cut.
  EXPECT_GT(Phi(PseudoInverse{.rtol = 0.01}, {1, 0.011})[1], 0);
  EXPECT_EQ(Phi(PseudoInverse{.rtol = 0.01}, {1, 0.01})[1], 0);
}

TEST(Filter, ZeroSingularValuesGetNoWeight) {
  for (const Weighting& weighting :
       {Weighting(PseudoInverse{.rtol = 0}), Weighting(Tikhonov{}),
        Weighting(SmoothCutoff{}), Weighting(PowerInverse{.rcond = 0})}) {
    std::vector<double> phi(3);
    EXPECT_EQ(Filter(weighting, std::vector<double>{1, 0, 0}, phi), 1);
    EXPECT_EQ(phi[1], 0);
    EXPECT_EQ(Filter(weighting, std::vector<double>{0, 0, 0}, phi), 0);
  }
}

TEST(Filter, TheSmoothCutOffIsHalfAtItsEdge) {
  const SmoothCutoff smooth{.eps = 1e-4};
  const auto phi = Phi(smooth, {1, 1e-2, 1e-4});
  EXPECT_NEAR(phi[0], 1, 1e-12);
  EXPECT_NEAR(phi[1] * 1e-2, 0.5, 1e-9);
  EXPECT_LT(phi[2] * 1e-4, 1e-20);
}

TEST(Filter, ExtremeSingularValuesDoNotOverflow) {
  for (const Weighting& weighting :
       {Weighting(PseudoInverse{.rtol = 0}), Weighting(Tikhonov{}),
        Weighting(SmoothCutoff{}), Weighting(PowerInverse{})}) {
    for (const double phi : Phi(weighting, {1e200, 1, 1e-200})) {
      EXPECT_TRUE(std::isfinite(phi));
    }
  }
}

TEST(Filter, PowerOneIsThePseudoInverse) {
  const std::vector<double> s = {3, 2, 1, 1e-7};
  EXPECT_EQ(Phi(PowerInverse{.p = 1, .rcond = 1e-3}, s),
            Phi(PseudoInverse{.rtol = 1e-3}, s));
}

TEST(PseudoInverse, DefaultsAreThePapers) {
  EXPECT_EQ(PseudoInverse{}.rtol, 1e-3);
  EXPECT_FALSE(PseudoInverse{}.k.has_value());
}

TEST(ResidualMap, TheSlopeIsTheDerivativeOfTheValue) {
  for (const double kappa : {0.3, 0.5, 1.0, 1.5, 2.0, 3.0}) {
    const ResidualMap map{.kappa = kappa};
    for (const double loss : {1e-3, 0.5, 1.0, 7.0}) {
      const double h = 1e-6 * loss;
      const double expected =
          (map.Value(loss + h) - map.Value(loss - h)) / (2 * h);
      EXPECT_NEAR(map.Slope(loss), expected, 1e-7 * std::abs(expected));
    }
  }
}

TEST(ResidualMap, AtZeroLossBelowKappaTwoTheRowIsZeroAndNeverNan) {
  for (const double kappa : {0.3, 1.0, 1.9}) {
    EXPECT_EQ((ResidualMap{kappa}.Slope(0)), 0);
    EXPECT_EQ((ResidualMap{kappa}.Value(0)), 0);
  }
  EXPECT_EQ((ResidualMap{2}.Slope(0)), 1);
}

TEST(WorthKeeping, DropsTheLastDirectionsUpToTheShare) {
  const std::vector<double> b = {3, 0, -2, 1, 0, 1};  // squares: 15 in all
  EXPECT_EQ(WorthKeeping(0, b, 6), 6);
  EXPECT_EQ(WorthKeeping(1.0 / 15, b, 6), 4);  // 1 and the 0 before it
  EXPECT_EQ(WorthKeeping(2.0 / 15, b, 6), 3);
  EXPECT_EQ(WorthKeeping(6.0 / 15, b, 6), 1);
  EXPECT_EQ(WorthKeeping(0.999, b, 6), 1);
  EXPECT_EQ(WorthKeeping(0.01, b, 4), 4);
  EXPECT_EQ(WorthKeeping(0.5, b, 0), 0);
}

}  // namespace
}  // namespace sven::core::weighting_test
