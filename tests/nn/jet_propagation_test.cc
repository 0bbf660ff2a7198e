// SPDX-License-Identifier: MIT
#include "sven/nn/jet_propagation.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sven/base/error.h"
#include "sven/base/random.h"
#include "sven/nn/jet_activation.h"
#include "testing/jets.h"

namespace sven::nn::jet_propagation_test {
namespace {

constexpr Derivatives kAll[] = {Derivatives::kValue, Derivatives::kGradient,
                                Derivatives::kLaplacian, Derivatives::kDiagonal,
                                Derivatives::kHessian};
constexpr Activation kSmooth[] = {Activation::kTanh,     Activation::kGelu,
                                  Activation::kGeluTanh, Activation::kSilu,
                                  Activation::kSigmoid,  Activation::kSoftplus,
                                  Activation::kIdentity};

Matrix<double> RandomPoints(Index count, Index inputs, std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kData);
  Matrix<double> points(count, inputs);
  for (Index k = 0; k < points.size(); ++k) {
    points.data()[k] = random.Uniform(-1, 1);
  }
  return points;
}

// A network with larger weights than at the start of a training, so that nothing
// is nearly linear.
Mlp<double> Network(const std::vector<Index>& widths, Activation activation) {
  Mlp<double> net(widths, activation, 3);
  for (double& p : net.Parameters()) p *= 2;
  return net;
}

double LargestDifference(const Mlp<double>& net, const Matrix<double>& x,
                         Derivatives derivatives) {
  JetPropagation<double> jets;
  jets.Forward(net, View(x), derivatives);
  const ConstMatrixView<double> is = jets.Outputs();
  double worst = 0;
  for (Index p = 0; p < x.rows(); ++p) {
    const auto twin = testing::JetTwin<double>(
        net.Layers(), net.Parameters(),
        {x.row(p).data(), static_cast<std::size_t>(x.cols())}, derivatives);
    const auto size = static_cast<Index>(twin.size());
    for (Index k = 0; k < size; ++k) {
      const double off = std::abs(is.data()[p * size + k] - twin[k]);
      if (!(off <= worst)) worst = off;  // a NaN, too
      if (std::isnan(off)) return off;
    }
  }
  return worst;
}

TEST(JetShape, ComponentsAreCounted) {
  EXPECT_EQ((JetShape{3, Derivatives::kValue}.Components()), 1);
  EXPECT_EQ((JetShape{3, Derivatives::kGradient}.Components()), 4);
  EXPECT_EQ((JetShape{3, Derivatives::kLaplacian}.Components()), 5);
  EXPECT_EQ((JetShape{3, Derivatives::kDiagonal}.Components()), 7);
  EXPECT_EQ((JetShape{3, Derivatives::kHessian}.Components()), 10);
}

TEST(JetShape, EveryEntryOfTheHessianHasItsPlaceAndItsMirrorTheSame) {
  const JetShape shape{4, Derivatives::kHessian};
  Index next = shape.Second();
  for (Index i = 0; i < 4; ++i) {
    for (Index j = i; j < 4; ++j, ++next) {
      EXPECT_EQ(shape.Second(i, j), next);
      EXPECT_EQ(shape.Second(j, i), next);
    }
  }
  EXPECT_EQ(next, shape.Components());
}

TEST(JetActivation, DerivativesAreThoseOfTheLowerOrders) {
  constexpr double kStep = 1e-4;
  for (const Activation f : kSmooth) {
    for (double x = -6; x <= 6; x += 0.37) {
      const double z[] = {x - kStep, x, x + kStep};
      double order[4][3];
      ActivateJet<double>(f, 3, z, {order[0], order[1], order[2], order[3]});
      for (int k = 0; k < 3; ++k) {
        const double difference = (order[k][2] - order[k][0]) / (2 * kStep);
        EXPECT_NEAR(order[k + 1][1], difference, 3e-8)
            << Name(f) << " at " << x << ", order " << k + 1;
      }
    }
  }
}

TEST(JetActivation, ValueAndSlopeAreThoseOfActivate) {
  std::vector<double> z(37);
  std::iota(z.begin(), z.end(), -18.0);
  z.insert(z.end(), {-700, 700, -1e200, 1e200});
  const std::size_t n = z.size();
  for (const auto& [name, f] : EnumNames<Activation>::kTable) {
    std::vector<double> value(n), slope(n), v(n), s(n), s2(n), s3(n);
    Activate<double>(f, std::ssize(z), z.data(), value.data(), slope.data());
    ActivateJet<double>(f, std::ssize(z), z.data(),
                        {v.data(), s.data(), s2.data(), s3.data()});
    for (std::size_t i = 0; i < n; ++i) {
      const double unit = 1e-14 * std::max(1.0, std::abs(value[i]));
      EXPECT_NEAR(v[i], value[i], unit) << name << " at " << z[i];
      EXPECT_NEAR(s[i], slope[i], 1e-13) << name << " at " << z[i];
      EXPECT_TRUE(std::isfinite(s2[i])) << name << " at " << z[i];
      EXPECT_TRUE(std::isfinite(s3[i])) << name << " at " << z[i];
    }
  }
}

TEST(JetPropagation, IsThatOfAutomaticDifferentiation) {
  const Matrix<double> x = RandomPoints(5, 3, 1);
  for (const Activation f : kSmooth) {
    const Mlp<double> net = Network({3, 7, 6, 2}, f);
    for (const Derivatives derivatives : kAll) {
      EXPECT_LT(LargestDifference(net, x, derivatives), 1e-11)
          << Name(f) << ", " << Name(derivatives);
    }
  }
}

TEST(JetPropagation, IsThatOfFiniteDifferences) {
  const Mlp<double> net = Network({2, 9, 9, 1}, Activation::kTanh);
  const Matrix<double> x = RandomPoints(1, 2, 2);
  JetPropagation<double> jets;
  jets.Forward(net, View(x), Derivatives::kHessian);
  const JetShape shape = jets.Shape();
  const auto u = [&](double a, double b) {
    Matrix<double> point(1, 2);
    point << x(0, 0) + a, x(0, 1) + b;
    return net.Predict(View(point))(0, 0);
  };
  const ConstMatrixView<double> is = jets.Outputs();
  constexpr double h = 1e-3;
  // Fourth order.
  const auto first = [&](auto&& f) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  const auto second = [&](auto&& f) {
    return (16 * (f(h) + f(-h)) - (f(2 * h) + f(-2 * h)) - 30 * f(0)) /
           (12 * h * h);
  };
  EXPECT_NEAR(is(0, 0), u(0, 0), 1e-13);
  EXPECT_NEAR(is(1, 0), first([&](double s) { return u(s, 0); }), 1e-9);
  EXPECT_NEAR(is(2, 0), first([&](double s) { return u(0, s); }), 1e-9);
  EXPECT_NEAR(is(shape.Second(0, 0), 0),
              second([&](double s) { return u(s, 0); }), 1e-7);
  EXPECT_NEAR(is(shape.Second(1, 1), 0),
              second([&](double s) { return u(0, s); }), 1e-7);
  const double mixed = (second([&](double s) { return u(s, s); }) -
                        second([&](double s) { return u(s, -s); })) /
                       4;
  EXPECT_NEAR(is(shape.Second(0, 1), 0), mixed, 1e-7);
}

TEST(JetPropagation, TheLaplacianIsTheSumOfTheDiagonalInAHundredDimensions) {
  const Mlp<double> net = Network({100, 16, 16, 1}, Activation::kGelu);
  const Matrix<double> x = RandomPoints(3, 100, 3);
  JetPropagation<double> laplacian;
  JetPropagation<double> diagonal;
  laplacian.Forward(net, View(x), Derivatives::kLaplacian);
  diagonal.Forward(net, View(x), Derivatives::kDiagonal);
  for (Index p = 0; p < 3; ++p) {
    const double sum =
        diagonal.Outputs().col(0).segment(p * 201 + 101, 100).sum();
    EXPECT_NEAR(laplacian.Outputs()(p * 102 + 101, 0), sum, 1e-11);
  }
}

TEST(JetPropagation, OutputsAreTheSameWhetherOrNotEverythingIsKept) {
  const Mlp<double> net = Network({3, 7, 8, 6, 2}, Activation::kSilu);
  const Matrix<double> x = RandomPoints(6, 3, 4);
  for (const Derivatives derivatives : kAll) {
    JetPropagation<double> all;
    JetPropagation<double> outputs;
    all.Forward(net, View(x), derivatives);
    outputs.Forward(net, View(x), derivatives,
                    JetPropagation<double>::Keep::kOutputs);
    EXPECT_EQ(all.Outputs(), outputs.Outputs()) << Name(derivatives);
  }
}

TEST(JetPropagation, OneLayerHasNoCurvature) {
  const Mlp<double> net = Network({2, 1}, Activation::kTanh);
  const Matrix<double> x = RandomPoints(2, 2, 5);
  JetPropagation<double> jets;
  jets.Forward(net, View(x), Derivatives::kHessian);
  EXPECT_EQ(jets.Outputs()(1, 0), net.Weight(0)(0, 0));
  EXPECT_EQ(jets.Outputs()(2, 0), net.Weight(0)(0, 1));
  EXPECT_TRUE(jets.Outputs().col(0).segment(3, 3).isZero(0));
}

TEST(JetPropagation, ReluHasAGradientAndIsRefusedForSecondDerivatives) {
  const Mlp<double> net = Network({2, 8, 8, 1}, Activation::kRelu);
  const Matrix<double> x = RandomPoints(4, 2, 6);
  EXPECT_LT(LargestDifference(net, x, Derivatives::kGradient), 1e-12);
  JetPropagation<double> jets;
  for (const Derivatives derivatives :
       {Derivatives::kLaplacian, Derivatives::kDiagonal,
        Derivatives::kHessian}) {
    try {
      jets.Forward(net, View(x), derivatives);
      FAIL() << Name(derivatives);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("relu"), std::string::npos);
    }
  }
}

TEST(JetPropagation, SinglePrecisionAgreesWithDouble) {
  const Mlp<double> net = Network({2, 10, 10, 1}, Activation::kTanh);
  Mlp<float> single({2, 10, 10, 1}, Activation::kTanh, 3);
  for (Index i = 0; i < net.NumParameters(); ++i) {
    single.Parameters()[i] = static_cast<float>(net.Parameters()[i]);
  }
  const Matrix<double> x = RandomPoints(4, 2, 7);
  const Matrix<float> y = x.cast<float>();
  JetPropagation<double> jets;
  JetPropagation<float> single_jets;
  jets.Forward(net, View(x), Derivatives::kHessian);
  single_jets.Forward(single, View(y), Derivatives::kHessian);
  EXPECT_LT((jets.Outputs() - single_jets.Outputs().cast<double>())
                .cwiseAbs()
                .maxCoeff(),
            1e-4);
}

}  // namespace
}  // namespace sven::nn::jet_propagation_test
