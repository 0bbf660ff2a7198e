// SPDX-License-Identifier: MIT
#ifndef SVEN_BASE_NUMBER_TYPE_H_
#define SVEN_BASE_NUMBER_TYPE_H_

#include <string_view>
#include <utility>

#include "sven/base/enum_names.h"

namespace sven {

// The type T of a network's numbers, where it is chosen at run time.
enum class NumberType { kFloat32, kFloat64 };

template <>
struct EnumNames<NumberType> {
  static constexpr std::pair<std::string_view, NumberType> kTable[] = {
      {"f32", NumberType::kFloat32},
      {"f64", NumberType::kFloat64},
      {"float32", NumberType::kFloat32},
      {"float64", NumberType::kFloat64},
  };
};

}  // namespace sven

#endif  // SVEN_BASE_NUMBER_TYPE_H_
