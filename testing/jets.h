// SPDX-License-Identifier: MIT
//
// The jet of a network at one point by automatic differentiation of the network
// written in plain loops: duals of duals for derivatives in the inputs, with any
// number type inside. The twin of nn::JetPropagation.
#ifndef SVEN_TESTING_JETS_H_
#define SVEN_TESTING_JETS_H_

#include <cmath>
#include <span>
#include <vector>

#include "sven/base/error.h"
#include "sven/nn/jet.h"
#include "sven/nn/mlp.h"

namespace sven::testing {

// a + b e + c f + g e f with e^2 = f^2 = 0 over numbers S: a value, derivatives in
// two directions, and the mixed second derivative.
template <class S>
struct HyperDual {
  S value = S(0);
  S first = S(0);
  S second = S(0);
  S mixed = S(0);

  // f(x) from f and its first two derivatives at the value.
  [[nodiscard]] HyperDual Chain(const S& f, const S& f1, const S& f2) const {
    return {f, f1 * first, f1 * second, f1 * mixed + f2 * first * second};
  }
  friend HyperDual operator+(const HyperDual& a, const HyperDual& b) {
    return {a.value + b.value, a.first + b.first, a.second + b.second,
            a.mixed + b.mixed};
  }
  friend HyperDual operator*(const S& c, const HyperDual& a) {
    return {c * a.value, c * a.first, c * a.second, c * a.mixed};
  }
};

// The activations with two derivatives, from their definitions.
template <class S>
HyperDual<S> ActivateTwin(nn::Activation activation, const HyperDual<S>& z) {
  using std::exp, std::tanh, std::erf, std::log;
  const S& x = z.value;
  switch (activation) {
    case nn::Activation::kTanh: {
      const S t = tanh(x);
      return z.Chain(t, S(1) - t * t, S(-2) * t * (S(1) - t * t));
    }
    case nn::Activation::kSigmoid: {
      const S p = S(1) / (S(1) + exp(-x));
      const S p1 = p * (S(1) - p);
      return z.Chain(p, p1, p1 * (S(1) - S(2) * p));
    }
    case nn::Activation::kSoftplus: {
      const S p = S(1) / (S(1) + exp(-x));
      return z.Chain(log(S(1) + exp(x)), p, p * (S(1) - p));
    }
    case nn::Activation::kSilu: {
      const S p = S(1) / (S(1) + exp(-x));
      const S p1 = p * (S(1) - p);
      return z.Chain(x * p, p + x * p1, S(2) * p1 + x * p1 * (S(1) - S(2) * p));
    }
    case nn::Activation::kGelu: {
      const S g = exp(x * x * S(-0.5)) * S(0.3989422804014326779);
      const S G = (S(1) + erf(x * S(0.7071067811865475244))) * S(0.5);
      return z.Chain(x * G, G + x * g, g * (S(2) - x * x));
    }
    case nn::Activation::kGeluTanh: {
      const S k = S(0.7978845608028653559);
      const S c = S(0.044715);
      const S t = tanh(k * (x + c * x * x * x));
      const S q1 = k * (S(1) + S(3) * c * x * x);
      const S q2 = S(6) * k * c * x;
      const S s = S(1) - t * t;
      const S t1 = s * q1;
      const S t2 = s * q2 - S(2) * t * t1 * q1;
      return z.Chain(x * (S(1) + t) * S(0.5), (S(1) + t + x * t1) * S(0.5),
                     t1 + x * t2 * S(0.5));
    }
    case nn::Activation::kIdentity:
      return z;
    case nn::Activation::kRelu:
      return x > S(0) ? z : HyperDual<S>{};
  }
  return z;
}

// All outputs, with derivatives in the inputs i and j. `theta` are the network's
// parameters in numbers S.
template <class S>
std::vector<HyperDual<S>> HyperDualOutputs(
    const std::vector<nn::DenseLayer>& layers, std::span<const S> theta,
    std::span<const double> x, Index i, Index j) {
  std::vector<HyperDual<S>> a(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) a[k].value = S(x[k]);
  a[i].first = S(1);
  a[j].second = S(1);
  for (const nn::DenseLayer& layer : layers) {
    std::vector<HyperDual<S>> out(static_cast<std::size_t>(layer.out));
    for (Index o = 0; o < layer.out; ++o) {
      HyperDual<S> z;
      if (layer.bias) z.value = theta[layer.bias_offset + o];
      for (Index k = 0; k < layer.in; ++k) {
        z = z + theta[layer.weight_offset + o * layer.in + k] * a[k];
      }
      out[o] = ActivateTwin(layer.activation, z);
    }
    a = std::move(out);
  }
  return a;
}

// The jet, components x outputs row by row.
template <class S>
std::vector<S> JetTwin(const std::vector<nn::DenseLayer>& layers,
                       std::span<const S> theta, std::span<const double> x,
                       nn::Derivatives derivatives) {
  const nn::JetShape shape{std::ssize(x), derivatives};
  const Index outputs = layers.back().out;
  std::vector<S> jet(static_cast<std::size_t>(shape.Components() * outputs),
                     S(0));
  for (Index i = 0; i < shape.inputs; ++i) {
    for (Index j = i; j < shape.inputs; ++j) {
      if (i != j && derivatives != nn::Derivatives::kHessian) continue;
      const auto u = HyperDualOutputs<S>(layers, theta, x, i, j);
      for (Index o = 0; o < outputs; ++o) {
        jet[o] = u[o].value;
        if (!shape.HasGradient()) continue;
        jet[shape.First(i) * outputs + o] = u[o].first;
        const bool diagonal = i == j;
        if (derivatives == nn::Derivatives::kLaplacian && diagonal) {
          S& sum = jet[shape.Second() * outputs + o];
          sum = sum + u[o].mixed;
        } else if (derivatives == nn::Derivatives::kHessian ||
                   (derivatives == nn::Derivatives::kDiagonal && diagonal)) {
          jet[shape.Second(i, j) * outputs + o] = u[o].mixed;
        }
      }
    }
  }
  return jet;
}

}  // namespace sven::testing

#endif  // SVEN_TESTING_JETS_H_
