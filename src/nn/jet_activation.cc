// SPDX-License-Identifier: MIT
//
// Letters: p the logistic function and p1, p2, p3 its derivatives; g and G
// density and distribution function of the normal distribution.
#include "sven/nn/jet_activation.h"

#include <algorithm>
#include <numbers>

#include "erfcx.h"
#include "simd.h"

namespace sven::nn {
namespace {

template <class T>
struct Slopes {
  Pack<T> value, first, second, third;
};

// Beyond the limit all but the value are constant, and powers would overflow.
template <class T>
Pack<T> Clamp(const Pack<T>& x, T limit) {
  const Pack<T> high = Broadcast<T>(limit);
  return x > high ? high : (x < -high ? -high : x);
}

struct Gelu {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    constexpr T kSqrtHalf = std::numbers::sqrt2_v<T> / 2;
    constexpr T kInvSqrt2Pi = kSqrtHalf * std::numbers::inv_sqrtpi_v<T>;
    const Pack<T> c = Clamp<T>(x, 100);
    const Pack<T> bell = Exp(-c * c / 2);
    const Pack<T> tail = bell * Erfcx<T>(Abs<T>(c) * kSqrtHalf) / 2;
    const Pack<T> G = x > 0 ? 1 - tail : tail;
    const Pack<T> g = bell * kInvSqrt2Pi;
    return {x * G, G + c * g, g * (2 - c * c), g * c * (c * c - 4)};
  }
};

// x (1 + t) / 2 with t = tanh(q), q a cubic polynomial.
struct GeluTanh {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    constexpr T kScale =
        std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
    constexpr T kCubic = static_cast<T>(0.044715);
    const Pack<T> c = Clamp<T>(x, 30);
    const Pack<T> t = Tanh(kScale * c * (1 + kCubic * c * c));
    const Pack<T> q1 = kScale * (1 + 3 * kCubic * c * c);
    const Pack<T> q2 = 6 * kScale * kCubic * c;
    constexpr T q3 = 6 * kScale * kCubic;
    const Pack<T> s = 1 - t * t;
    const Pack<T> t1 = s * q1;
    const Pack<T> bracket = q2 - 2 * t * q1 * q1;
    const Pack<T> t2 = s * bracket;
    const Pack<T> t3 =
        -2 * t * t1 * bracket + s * (q3 - 2 * t1 * q1 * q1 - 4 * t * q1 * q2);
    return {x * (1 + t) / 2, (1 + t + c * t1) / 2, t1 + c * t2 / 2,
            (3 * t2 + c * t3) / 2};
  }
};

struct Relu {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    const Pack<T> zero = {};
    return {x <= 0 ? zero : x, x > 0 ? zero + 1 : zero, zero, zero};
  }
};

struct Tangent {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    const Pack<T> t = Tanh(x);
    const Pack<T> s = 1 - t * t;
    return {t, s, -2 * t * s, s * (6 * t * t - 2)};
  }
};

template <class T>
Slopes<T> Logistic(const Pack<T>& x) {
  const Pack<T> p = 1 / (1 + Exp(-x));
  const Pack<T> p1 = p * (1 - p);
  return {p, p1, p1 * (1 - 2 * p), p1 * (1 - 6 * p1)};
}

struct Silu {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    const auto [p, p1, p2, p3] = Logistic<T>(x);
    return {x * p, p + x * p1, 2 * p1 + x * p2, 3 * p2 + x * p3};
  }
};

struct Sigmoid {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    return Logistic<T>(x);
  }
};

struct Softplus {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    const Pack<T> zero = {};
    const Pack<T> positive = x <= 0 ? zero : x;
    const auto [p, p1, p2, p3] = Logistic<T>(x);
    return {positive + Log1p(Exp(-Abs<T>(x))), p, p1, p2};
  }
};

struct Identity {
  template <class T>
  static Slopes<T> At(const Pack<T>& x) {
    const Pack<T> zero = {};
    return {x, zero + 1, zero, zero};
  }
};

template <class Function, class T>
void Run(Index count, const T* z, const ActivationSlopes<T>& out) {
  constexpr Index kStep = kLanes<T>;
  Index i = 0;
  for (; i + kStep <= count; i += kStep) {
    const Slopes<T> result = Function::template At<T>(Load<T>(z + i));
    Store<T>(result.value, out.value + i);
    Store<T>(result.first, out.first + i);
    Store<T>(result.second, out.second + i);
    Store<T>(result.third, out.third + i);
  }
  if (i == count) return;
  // The rest by the same code, padded with zeros.
  T padded[kStep] = {};
  std::copy(z + i, z + count, padded);
  const Slopes<T> result = Function::template At<T>(Load<T>(padded));
  for (Index lane = 0; i < count; ++i, ++lane) {
    out.value[i] = result.value[lane];
    out.first[i] = result.first[lane];
    out.second[i] = result.second[lane];
    out.third[i] = result.third[lane];
  }
}

}  // namespace

bool IsSmooth(Activation activation) { return activation != Activation::kRelu; }

template <class T>
void ActivateJet(Activation activation, Index count, const T* z,
                 const ActivationSlopes<T>& out) {
  switch (activation) {
    case Activation::kGelu:
      return Run<Gelu>(count, z, out);
    case Activation::kGeluTanh:
      return Run<GeluTanh>(count, z, out);
    case Activation::kRelu:
      return Run<Relu>(count, z, out);
    case Activation::kTanh:
      return Run<Tangent>(count, z, out);
    case Activation::kSilu:
      return Run<Silu>(count, z, out);
    case Activation::kSigmoid:
      return Run<Sigmoid>(count, z, out);
    case Activation::kSoftplus:
      return Run<Softplus>(count, z, out);
    case Activation::kIdentity:
      return Run<Identity>(count, z, out);
  }
}

template void ActivateJet(Activation, Index, const float*,
                          const ActivationSlopes<float>&);
template void ActivateJet(Activation, Index, const double*,
                          const ActivationSlopes<double>&);

}  // namespace sven::nn
