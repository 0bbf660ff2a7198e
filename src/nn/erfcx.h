// SPDX-License-Identifier: MIT
//
// The scaled complementary error function exp(z^2) erfc(z) for z >= 0.
//
// (1 + 2 z) exp(z^2) erfc(z) is smooth and bounded, also at infinity, and a
// polynomial in t = (z - K) / (z + K) follows it to rounding (Shepherd and
// Laframboise, Mathematics of Computation 36, 1981). GELU and its slope then
// share one exponential; SLEEF's erf alone costs more than twice as much. The
// coefficients are those that scripts/erfcx_coefficients.py prints.
#ifndef SVEN_NN_ERFCX_H_
#define SVEN_NN_ERFCX_H_

#include "simd.h"

namespace sven::nn {

template <class T>
struct ErfcxTable;

template <>
struct ErfcxTable<double> {
  static constexpr double kCentre = 3.75;
  static constexpr double kCoefficients[] = {
      3.1114333809799251993e-10,  -2.6231073471334757612e-9,
      -3.7442100809620186444e-9,  3.1979266716668042918e-8,
      2.3263508708859123732e-8,   -2.4857126248016742872e-7,
      -5.7218230603224087501e-8,  1.7419821586224815923e-6,
      -9.7355989673677493407e-7,  -0.000011438048033346893551,
      0.000022384239155082229820, 0.000051646529741774161256,
      -0.00029015408054084171105, 0.00029371437804495802994,
      0.0017556258528952953569,   -0.0097465796832652622308,
      0.028362277418956404286,    -0.058693398576649338403,
      0.092304321160377477760,    -0.10880393014244461271,
      0.082276738490145207683,    0.0035854154854790256379,
      -0.14024059858554696245,    1.2375126308378275289,
  };
};

template <>
struct ErfcxTable<float> {
  static constexpr float kCentre = 3.0F;
  static constexpr float kCoefficients[] = {
      7.73102422408e-5F, -9.25451668692e-5F, -0.000726453679034F,
      0.00187507912377F, 0.00249911686961F,  -0.0237635764395F,
      0.0683165677711F,  -0.119275275282F,   0.129644114344F,
      -0.0475621569275F, -0.135621069400F,   1.25300805637F,
  };
};

// The polynomial, highest power first, as four interleaved ones in t^4: a plain
// Horner scheme would spend its time waiting for one multiplication after the
// other.
template <class T>
inline Pack<T> Polynomial(const Pack<T>& t) {
  constexpr const auto& kTable = ErfcxTable<T>::kCoefficients;
  constexpr unsigned kCount = std::size(kTable);
  static_assert(kCount % 4 == 0);
  const Pack<T> t2 = t * t;
  const Pack<T> t4 = t2 * t2;
  Pack<T> sum[4];
  for (unsigned p = 0; p < 4; ++p) sum[p] = Broadcast<T>(kTable[p]);
  for (unsigned i = 4; i < kCount; i += 4) {
    for (unsigned p = 0; p < 4; ++p) sum[p] = sum[p] * t4 + kTable[i + p];
  }
  return (sum[0] * t + sum[1]) * t2 + (sum[2] * t + sum[3]);
}

template <class T>
inline Pack<T> Erfcx(const Pack<T>& z) {
  constexpr T kCentre = ErfcxTable<T>::kCentre;
  const Pack<T> plus = z + kCentre;
  const Pack<T> factor = 1 + 2 * z;
  const Pack<T> inverse = 1 / (plus * factor);
  const Pack<T> t = (z - kCentre) * factor * inverse;
  return Polynomial<T>(t) * plus * inverse;
}

}  // namespace sven::nn

#endif  // SVEN_NN_ERFCX_H_
