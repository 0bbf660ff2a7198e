// SPDX-License-Identifier: MIT
#include "slopes_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sven/solve/finite_differences.h"

namespace sven::pde {
namespace {

// What a number of a jet is: "the value", "d/dx_1", "second derivative 0".
std::string ComponentName(const nn::JetShape& shape, Index component) {
  if (component == 0) return "the value";
  if (component < shape.Second()) {
    return fmt::format("d/dx_{}", component - 1);
  }
  if (shape.derivatives == nn::Derivatives::kLaplacian) return "the Laplacian";
  return fmt::format("second derivative {}", component - shape.Second());
}

}  // namespace

template <class T>
std::string DescribeWrongSlope(PointConditions<T>& conditions,
                               const typename PointConditions<T>::Place& at,
                               std::span<const T> lower,
                               std::span<const T> upper) {
  const auto numbers =
      static_cast<std::size_t>(at.shape.Components() * at.outputs);
  std::vector<T> jet(at.jet, at.jet + numbers);
  std::vector<T> unknowns(at.unknowns.begin(), at.unknowns.end());
  std::vector<T> slopes(numbers);
  std::vector<T> in_unknowns(unknowns.size());
  auto moved = at;
  moved.jet = jet.data();
  moved.unknowns = unknowns;
  const double residual = conditions.Residual(moved);
  if (!std::isfinite(residual)) return {};
  conditions.Linearise(moved, slopes, in_unknowns);
  const auto compare = [&](T& number, solve::internal::Variable<T> variable,
                           double given, const auto& name) {
    variable.value = number;
    variable.residuals = [&](T x, std::span<T> out) {
      number = x;
      out[0] = conditions.Residual(moved);
    };
    solve::internal::Derivative derivative{.given = given,
                                           .residual = residual};
    solve::internal::CompareWithDifferences<T>(
        variable, solve::internal::kWrongFrom<T>, {&derivative, 1});
    number = variable.value;
    if (!derivative.wrong) return std::string();
    return fmt::format(
        "the slope in {} is {:.6g}, finite differences say {:.6g}", name(),
        given, derivative.difference);
  };
  for (std::size_t i = 0; i < numbers; ++i) {
    const double scale = std::max(1.0, std::abs(double{jet[i]}));
    std::string fault = compare(jet[i], {.scale = scale}, slopes[i], [&] {
      const auto place = static_cast<Index>(i);
      return fmt::format("{} of output {}",
                         ComponentName(at.shape, place / at.outputs),
                         place % at.outputs);
    });
    if (!fault.empty()) return fault;
  }
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    // Unknowns have units of their own.
    const double size = std::abs(double{unknowns[j]});
    solve::internal::Variable<T> variable{.scale = size > 0 ? size : 1};
    if (!lower.empty()) variable.lower = lower[j];
    if (!upper.empty()) variable.upper = upper[j];
    std::string fault = compare(unknowns[j], variable, in_unknowns[j],
                                [&] { return fmt::format("unknown {}", j); });
    if (!fault.empty()) return fault;
  }
  return {};
}

template std::string DescribeWrongSlope(PointConditions<float>&,
                                        const PointConditions<float>::Place&,
                                        std::span<const float>,
                                        std::span<const float>);
template std::string DescribeWrongSlope(PointConditions<double>&,
                                        const PointConditions<double>::Place&,
                                        std::span<const double>,
                                        std::span<const double>);

}  // namespace sven::pde
