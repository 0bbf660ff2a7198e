// SPDX-License-Identifier: MIT
//
// Networks, points and conditions that the tests of this folder share.
#ifndef SVEN_TESTS_PDE_EQUATIONS_H_
#define SVEN_TESTS_PDE_EQUATIONS_H_

#include <vector>

#include "sven/base/random.h"
#include "sven/pde/problem.h"

namespace sven::pde {

using nn::Activation;
using nn::Derivatives;

struct Value {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    return u.Value() - 0.5;
  }
};

inline Matrix<double> RandomPoints(Index count, Index inputs,
                                   std::uint64_t seed) {
  RandomStream random(seed, RandomUse::kData);
  Matrix<double> points(count, inputs);
  for (Index k = 0; k < points.size(); ++k) {
    points.data()[k] = random.Uniform(-1, 1);
  }
  return points;
}

inline nn::Mlp<double> Network(const std::vector<Index>& widths,
                               Activation activation = Activation::kTanh) {
  nn::Mlp<double> net(widths, activation, 5);
  for (double& p : net.Parameters()) p *= 1.5;
  return net;
}

struct Burgers {
  template <class S>
  S operator()(const Field<double, S>& u) const {
    return u.D(1) + u.Value() * u.D(0) - 0.01 * u.D(0, 0);
  }
};
struct BurgersByHand : Burgers {
  double sign = 1;
  void Slopes(const Field<double, double>& u,
              FieldSlopes<double>& slopes) const {
    slopes.AddD(1, 1);
    slopes.AddValue(sign * u.D(0));
    slopes.AddD(0, u.Value());
    slopes.AddD2(0, 0, -0.01);
  }
};

}  // namespace sven::pde

#endif  // SVEN_TESTS_PDE_EQUATIONS_H_
