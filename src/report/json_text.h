// SPDX-License-Identifier: MIT
//
// JSON written piece by piece: a report of thousands of runs has a million
// numbers, which need no tree.
#ifndef SVEN_SRC_REPORT_JSON_TEXT_H_
#define SVEN_SRC_REPORT_JSON_TEXT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sven::report {

// Significant digits.
inline constexpr int kLossDigits = 6;
inline constexpr int kTimeDigits = 5;
inline constexpr int kSpectrumDigits = 4;

// What is not finite is null.
std::string NumberText(double value, int digits = kLossDigits);

// "text" with its quotes. What is not UTF-8 is replaced.
std::string QuotedText(std::string_view text);

// The same without quotes: what a reader of the document will see.
std::string ValidText(std::string_view text);

// [1,2,3]
std::string ListText(const std::vector<double>& values,
                     int digits = kLossDigits);

// {"name":value,...}; values are JSON.
class ObjectText {
 public:
  void Add(std::string_view name, std::string_view value);
  void AddQuoted(std::string_view name, std::string_view text) {
    Add(name, QuotedText(text));
  }
  [[nodiscard]] bool IsEmpty() const { return text_.empty(); }
  [[nodiscard]] std::string Text() const;

 private:
  std::string text_;
};

// Settings as a record has them: numbers, truth values and texts.
std::string SettingsText(const std::map<std::string, std::string>& settings);

}  // namespace sven::report

#endif  // SVEN_SRC_REPORT_JSON_TEXT_H_
