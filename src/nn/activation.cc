// SPDX-License-Identifier: MIT
#include "sven/nn/activation.h"

#include <algorithm>
#include <numbers>

#include "erfcx.h"
#include "simd.h"

namespace sven::nn {
namespace {

template <class T>
struct ValueAndSlope {
  Pack<T> value;
  Pack<T> slope;
};

struct Gelu {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    constexpr T kSqrtHalf = std::numbers::sqrt2_v<T> / 2;
    constexpr T kInvSqrt2Pi = kSqrtHalf * std::numbers::inv_sqrtpi_v<T>;
    const Pack<T> gauss = Exp(-x * x / 2);
    // The probability beyond |x|: erfc(|x| / sqrt 2) / 2. Far out the Gaussian
    // is zero anyway, and squares would overflow.
    const Pack<T> far = Broadcast<T>(100);
    const Pack<T> distance = Abs<T>(x) > far ? far : Abs<T>(x);
    const Pack<T> tail = gauss * Erfcx<T>(distance * kSqrtHalf) / 2;
    const Pack<T> phi = x > 0 ? 1 - tail : tail;
    return {x * phi, phi + x * gauss * kInvSqrt2Pi};
  }
};

struct GeluTanh {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    constexpr T kScale =
        std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
    constexpr T kCubic = static_cast<T>(0.044715);
    // Beyond 30 the tanh is 1 and the powers would overflow for nothing.
    const Pack<T> high = Broadcast<T>(30);
    const Pack<T> c = x > high ? high : (x < -high ? -high : x);
    const Pack<T> t = Tanh(kScale * c * (1 + kCubic * c * c));
    const Pack<T> inner = kScale * (1 + 3 * kCubic * c * c);
    return {x * (1 + t) / 2, (1 + t) / 2 + c * (1 - t * t) * inner / 2};
  }
};

struct Relu {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    const Pack<T> zero = {};
    // NaN must stay NaN, hence x <= 0 and not x > 0.
    return {x <= 0 ? zero : x, x > 0 ? zero + 1 : zero};
  }
};

struct Tangent {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    const Pack<T> t = Tanh(x);
    return {t, 1 - t * t};
  }
};

template <class T>
Pack<T> LogisticAt(const Pack<T>& x) {
  return 1 / (1 + Exp(-x));
}

struct Silu {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    const Pack<T> p = LogisticAt<T>(x);
    return {x * p, p * (1 + x * (1 - p))};
  }
};

struct Sigmoid {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    const Pack<T> p = LogisticAt<T>(x);
    return {p, p * (1 - p)};
  }
};

struct Softplus {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    const Pack<T> zero = {};
    const Pack<T> positive = x <= 0 ? zero : x;
    return {positive + Log1p(Exp(-Abs<T>(x))), LogisticAt<T>(x)};
  }
};

struct Identity {
  template <class T>
  static ValueAndSlope<T> At(const Pack<T>& x) {
    return {x, Broadcast<T>(1)};
  }
};

template <class Function, class T>
void Run(Index count, const T* z, T* value, T* slope) {
  constexpr Index kStep = kLanes<T>;
  Index i = 0;
  for (; i + kStep <= count; i += kStep) {
    const ValueAndSlope<T> result = Function::template At<T>(Load<T>(z + i));
    Store<T>(result.value, value + i);
    if (slope != nullptr) Store<T>(result.slope, slope + i);
  }
  if (i == count) return;
  // The rest by the same code, padded with zeros.
  T padded[kStep] = {};
  std::copy(z + i, z + count, padded);
  const ValueAndSlope<T> result = Function::template At<T>(Load<T>(padded));
  for (Index lane = 0; i < count; ++i, ++lane) {
    value[i] = result.value[lane];
    if (slope != nullptr) slope[i] = result.slope[lane];
  }
}

}  // namespace

template <class T>
void Activate(Activation activation, Index count, const T* z, T* value,
              T* slope) {
  switch (activation) {
    case Activation::kGelu:
      return Run<Gelu>(count, z, value, slope);
    case Activation::kGeluTanh:
      return Run<GeluTanh>(count, z, value, slope);
    case Activation::kRelu:
      return Run<Relu>(count, z, value, slope);
    case Activation::kTanh:
      return Run<Tangent>(count, z, value, slope);
    case Activation::kSilu:
      return Run<Silu>(count, z, value, slope);
    case Activation::kSigmoid:
      return Run<Sigmoid>(count, z, value, slope);
    case Activation::kSoftplus:
      return Run<Softplus>(count, z, value, slope);
    case Activation::kIdentity:
      return Run<Identity>(count, z, value, slope);
  }
}

template void Activate(Activation, Index, const float*, float*, float*);
template void Activate(Activation, Index, const double*, double*, double*);

}  // namespace sven::nn
