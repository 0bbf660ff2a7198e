// SPDX-License-Identifier: MIT
#ifndef SVEN_PDE_SLOPES_CHECK_H_
#define SVEN_PDE_SLOPES_CHECK_H_

#include <string>

#include "sven/pde/point_conditions.h"

namespace sven::pde {

// Compares the derivatives of a condition at a point with finite differences, as
// CheckJacobian does, in every number of the jet and every unknown, these within
// their bounds (empty: none). Empty, also where the residual is not finite, or
// "the slope in d/dx_0 is 1, finite differences say -1".
template <class T>
std::string DescribeWrongSlope(PointConditions<T>& conditions,
                               const typename PointConditions<T>::Place& at,
                               std::span<const T> lower,
                               std::span<const T> upper);

}  // namespace sven::pde

#endif  // SVEN_PDE_SLOPES_CHECK_H_
