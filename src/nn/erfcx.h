// SPDX-License-Identifier: MIT
//
// The scaled complementary error function exp(z^2) erfc(z) for z >= 0.
//
// (1 + 2 z) exp(z^2) erfc(z) is smooth and bounded, also at infinity, and a
// polynomial in t = (z - K) / (z + K) follows it to rounding (Shepherd and
// Laframboise, Mathematics of Computation 36, 1981). GELU and its slope then
// share one exponential: SLEEF's erf alone costs four times as much. The
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
      3.1114333809799251993e-10,
      -2.6231073471334757612e-9,
      -3.7442100809620186444e-9,
      3.1979266716668042918e-8,
      2.3263508708859123732e-8,
      -2.4857126248016742872e-7,
      -5.7218230603224087501e-8,
      1.7419821586224815923e-6,
      -9.7355989673677493407e-7,
      -0.000011438048033346893551,
      0.000022384239155082229820,
      0.000051646529741774161256,
      -0.00029015408054084171105,
      0.00029371437804495802994,
      0.0017556258528952953569,
      -0.0097465796832652622308,
      0.028362277418956404286,
      -0.058693398576649338403,
      0.092304321160377477760,
      -0.10880393014244461271,
      0.082276738490145207683,
      0.0035854154854790256379,
      -0.14024059858554696245,
      1.2375126308378275289,
  };
};

template <>
struct ErfcxTable<float> {
  static constexpr float kCentre = 3.0F;
  static constexpr float kCoefficients[] = {
      3.86184913682e-6F,
      7.73102422408e-5F,
      -0.000104130714280F,
      -0.000726453679034F,
      0.00188811286461F,
      0.00249911686961F,
      -0.0237703346755F,
      0.0683165677711F,
      -0.119273691321F,
      0.129644114344F,
      -0.0475622926957F,
      -0.135621069400F,
      1.25300805825F,
  };
};

template <class T>
inline Pack<T> Erfcx(const Pack<T>& z) {
  using Table = ErfcxTable<T>;
  const Pack<T> plus = z + Table::kCentre;
  const Pack<T> factor = 1 + 2 * z;
  const Pack<T> inverse = 1 / (plus * factor);
  const Pack<T> t = (z - Table::kCentre) * factor * inverse;
  Pack<T> sum = Broadcast<T>(Table::kCoefficients[0]);
  for (unsigned i = 1; i < std::size(Table::kCoefficients); ++i) {
    sum = sum * t + Table::kCoefficients[i];
  }
  return sum * plus * inverse;
}

}  // namespace sven::nn

#endif  // SVEN_NN_ERFCX_H_
