// SPDX-License-Identifier: MIT
//
// Eight floats or four doubles at a time, with the elementary functions that
// activations need. Functions come from SLEEF where the compiler targets AVX2,
// otherwise from the standard library, lane by lane.
#ifndef SVEN_NN_SIMD_H_
#define SVEN_NN_SIMD_H_

#include <cmath>
#include <cstring>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#include <sleef.h>
#define SVEN_HAVE_SLEEF_AVX2 1
#endif

#include "sven/base/types.h"

namespace sven::nn {

template <class T>
struct PackOf {
  using Type __attribute__((vector_size(32))) = T;
};
template <class T>
using Pack = typename PackOf<T>::Type;
template <class T>
inline constexpr Index kLanes = 32 / sizeof(T);

template <class T>
inline Pack<T> Load(const T* from) {
  Pack<T> pack;
  std::memcpy(&pack, from, sizeof(pack));
  return pack;
}
template <class T>
inline void Store(const Pack<T>& pack, T* to) {
  std::memcpy(to, &pack, sizeof(pack));
}
template <class T>
inline Pack<T> Broadcast(T value) {
  return value - Pack<T>{};
}
template <class T>
inline Pack<T> Abs(const Pack<T>& x) {
  return x < 0 ? -x : x;
}

#ifdef SVEN_HAVE_SLEEF_AVX2
inline Pack<double> Exp(Pack<double> x) { return Sleef_expd4_u10avx2(x); }
inline Pack<float> Exp(Pack<float> x) { return Sleef_expf8_u10avx2(x); }
inline Pack<double> Tanh(Pack<double> x) { return Sleef_tanhd4_u10avx2(x); }
inline Pack<float> Tanh(Pack<float> x) { return Sleef_tanhf8_u10avx2(x); }
inline Pack<double> Log1p(Pack<double> x) { return Sleef_log1pd4_u10avx2(x); }
inline Pack<float> Log1p(Pack<float> x) { return Sleef_log1pf8_u10avx2(x); }
#else
template <class P, class Function>
inline P LaneByLane(P x, Function function) {
  for (unsigned i = 0; i < sizeof(x) / sizeof(x[0]); ++i) x[i] = function(x[i]);
  return x;
}
inline Pack<double> Exp(Pack<double> x) {
  return LaneByLane(x, [](double v) { return std::exp(v); });
}
inline Pack<float> Exp(Pack<float> x) {
  return LaneByLane(x, [](float v) { return std::exp(v); });
}
inline Pack<double> Tanh(Pack<double> x) {
  return LaneByLane(x, [](double v) { return std::tanh(v); });
}
inline Pack<float> Tanh(Pack<float> x) {
  return LaneByLane(x, [](float v) { return std::tanh(v); });
}
inline Pack<double> Log1p(Pack<double> x) {
  return LaneByLane(x, [](double v) { return std::log1p(v); });
}
inline Pack<float> Log1p(Pack<float> x) {
  return LaneByLane(x, [](float v) { return std::log1p(v); });
}
#endif

}  // namespace sven::nn

#endif  // SVEN_NN_SIMD_H_
