// SPDX-License-Identifier: MIT
//
// Numbers as text, with a decimal point in every locale.
#ifndef SVEN_SRC_DATA_NUMBER_TEXT_H_
#define SVEN_SRC_DATA_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace sven::data {

enum class NumberStatus { kFine, kNoNumber, kNotFinite, kTooLarge };

// Sets `value`, correctly rounded, if the whole text is a number that T can
// hold. A plus in front and blanks around it are allowed; what is too small for
// T becomes zero.
template <class T>
NumberStatus ParseNumber(std::string_view text, T& value);

// Whether it is a number, be it infinite or too large.
bool LooksLikeNumber(std::string_view text);

// A number without a fraction, exactly: "3", "+3", "3.0", "3e2".
std::optional<std::int64_t> ParseWhole(std::string_view text);

// The same for a number at hand.
std::optional<std::int64_t> ToWhole(double value);

// Without the blanks and tabs around it.
std::string_view Trim(std::string_view text);

// Nothing at all, or a word that commonly stands for it.
bool IsMissing(std::string_view text);

}  // namespace sven::data

#endif  // SVEN_SRC_DATA_NUMBER_TEXT_H_
