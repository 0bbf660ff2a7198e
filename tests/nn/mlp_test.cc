// SPDX-License-Identifier: MIT
#include "sven/nn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sven/base/error.h"
#include "testing/problems.h"

namespace sven::nn::mlp_test {
namespace {

TEST(Mlp, OneVectorHoldsWeightThenBiasLayerByLayer) {
  const Mlp<double> net({3, 4, 2}, Activation::kTanh, 1);
  EXPECT_EQ(net.NumParameters(), 3 * 4 + 4 + 4 * 2 + 2);
  EXPECT_EQ(net.Layers()[0].bias_offset, 12);
  EXPECT_EQ(net.Layers()[1].weight_offset, 16);
  EXPECT_EQ(net.Layers()[0].activation, Activation::kTanh);
  EXPECT_EQ(net.Layers()[1].activation, Activation::kIdentity);
  EXPECT_EQ(net.Weight(1)(1, 2), net.Parameters()[16 + 4 + 2]);
  EXPECT_EQ(net.Bias(1)[0], net.Parameters()[24]);
}

TEST(Mlp, InitialisationIsUniformWithinOneOverRootOfTheInputs) {
  const Mlp<double> net({25, 400, 100}, Activation::kGelu, 7);
  for (Index l = 0; l < 2; ++l) {
    const double bound = 1 / std::sqrt(double(net.Layers()[l].in));
    const auto W = net.Weight(l);
    EXPECT_LE(W.cwiseAbs().maxCoeff(), bound);
    EXPECT_LE(net.Bias(l).cwiseAbs().maxCoeff(), bound);
    // Mean and variance of the uniform distribution, five sigma.
    const double n = double(W.size());
    EXPECT_NEAR(W.mean(), 0, 5 * bound / std::sqrt(3 * n));
    EXPECT_NEAR(W.squaredNorm() / n, bound * bound / 3,
                5 * bound * bound * std::sqrt(4.0 / 45 / n));
  }
}

TEST(Mlp, TheSeedDecidesTheParameters) {
  const auto parameters = [](std::uint64_t seed) {
    const Mlp<double> net({2, 3, 1}, Activation::kGelu, seed);
    return std::vector<double>(net.Parameters().begin(),
                               net.Parameters().end());
  };
  EXPECT_EQ(parameters(1), parameters(1));
  EXPECT_NE(parameters(1), parameters(2));
}

TEST(Mlp, BothTypesStartFromTheSameParameters) {
  const Mlp<double> wide({2, 3, 1}, Activation::kGelu, 1);
  const Mlp<float> narrow({2, 3, 1}, Activation::kGelu, 1);
  for (Index i = 0; i < wide.NumParameters(); ++i) {
    EXPECT_EQ(narrow.Parameters()[i], float(wide.Parameters()[i]));
  }
}

TEST(Mlp, ImpossibleWidthsAreRefused) {
  const auto make = [](std::vector<Index> widths) {
    return Mlp<double>(widths, Activation::kGelu, 1);
  };
  EXPECT_THROW(make({}), UsageError);
  EXPECT_THROW(make({3}), UsageError);
  EXPECT_THROW(make({3, 0, 1}), UsageError);
  EXPECT_THROW(make({3, -2}), UsageError);
  EXPECT_THROW(make({Index{1} << 40, 1}), UsageError);
  EXPECT_THROW(make({1 << 27, 1 << 27}), UsageError);
  EXPECT_THROW((Mlp<double>(std::vector<DenseSpec>{{.in = 2, .out = 3},
                                                   {.in = 4, .out = 1}})),
               UsageError);
}

TEST(Mlp, PredictIsTheForwardPass) {
  Mlp<double> net({2, 1}, Activation::kGelu, 1);
  const Matrix<double> x{{1.0, 2.0}, {-3.0, 0.5}};
  const Matrix<double> f = net.Predict(View(x));
  for (Index a = 0; a < 2; ++a) {
    EXPECT_NEAR(f(a, 0),
                net.Weight(0)(0, 0) * x(a, 0) + net.Weight(0)(0, 1) * x(a, 1) +
                    net.Bias(0)[0],
                1e-15);
  }
}

}  // namespace
}  // namespace sven::nn::mlp_test
