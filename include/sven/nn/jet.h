// SPDX-License-Identifier: MIT
//
// A jet is a value together with its derivatives in the d inputs of a network.
// Its components stand in this order:
//
//     value, d/dx_0, ..., d/dx_(d-1), second derivatives,
//
// where the second derivatives are none, their sum over the diagonal (the
// Laplacian, one number), the diagonal (d), or the upper triangle row by row,
// d(d + 1)/2 numbers.
#ifndef SVEN_NN_JET_H_
#define SVEN_NN_JET_H_

#include "sven/base/enum_names.h"
#include "sven/base/types.h"

namespace sven::nn {

// How far a jet goes. All but the first have the gradient, too.
enum class Derivatives { kValue, kGradient, kLaplacian, kDiagonal, kHessian };

struct JetShape {
  Index inputs = 1;  // d
  Derivatives derivatives = Derivatives::kValue;

  bool operator==(const JetShape&) const = default;

  [[nodiscard]] bool HasGradient() const {
    return derivatives != Derivatives::kValue;
  }
  [[nodiscard]] bool HasSecond() const {
    return derivatives > Derivatives::kGradient;
  }
  // Whether d^2/dx_i dx_j has a place of its own.
  [[nodiscard]] bool HasSecond(Index i, Index j) const {
    return derivatives == Derivatives::kHessian ||
           (derivatives == Derivatives::kDiagonal && i == j);
  }
  [[nodiscard]] Index NumSecond() const {
    switch (derivatives) {
      case Derivatives::kLaplacian:
        return 1;
      case Derivatives::kDiagonal:
        return inputs;
      case Derivatives::kHessian:
        return inputs * (inputs + 1) / 2;
      default:
        return 0;
    }
  }
  // T, how many there are.
  [[nodiscard]] Index Components() const {
    return 1 + (HasGradient() ? inputs : 0) + NumSecond();
  }
  // Where d/dx_i stands, and the first one of second order.
  [[nodiscard]] static Index First(Index i) { return 1 + i; }
  [[nodiscard]] Index Second() const { return 1 + inputs; }
  // Where d^2/dx_i dx_j stands; i = j unless all of them are there.
  [[nodiscard]] Index Second(Index i, Index j) const {
    if (derivatives == Derivatives::kDiagonal) return Second() + i;
    const Index low = i < j ? i : j;
    const Index high = i < j ? j : i;
    return Second() + low * inputs - low * (low - 1) / 2 + high - low;
  }
};

}  // namespace sven::nn

template <>
struct sven::EnumNames<sven::nn::Derivatives> {
  using Derivatives = nn::Derivatives;
  static constexpr std::pair<std::string_view, Derivatives> kTable[] = {
      {"value", Derivatives::kValue},
      {"gradient", Derivatives::kGradient},
      {"laplacian", Derivatives::kLaplacian},
      {"diagonal", Derivatives::kDiagonal},
      {"hessian", Derivatives::kHessian},
  };
};

#endif  // SVEN_NN_JET_H_
