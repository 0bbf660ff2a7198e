// SPDX-License-Identifier: MIT
#include "json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sven/train/records.h"

namespace sven::report {

using Json = nlohmann::ordered_json;

std::string NumberText(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "null";
}

std::string QuotedText(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ValidText(std::string_view text) {
  return Json::parse(QuotedText(text)).get<std::string>();
}

std::string ListText(const std::vector<double>& values, int digits) {
  std::string text = "[";
  for (const double value : values) {
    if (text.size() > 1) text += ',';
    text += NumberText(value, digits);
  }
  return text + "]";
}

void ObjectText::Add(std::string_view name, std::string_view value) {
  if (!text_.empty()) text_ += ',';
  text_ += QuotedText(name);
  text_ += ':';
  text_ += value;
}

std::string ObjectText::Text() const { return fmt::format("{{{}}}", text_); }

std::string SettingsText(const std::map<std::string, std::string>& settings) {
  train::RunConfigRecord record;
  record.settings = settings;
  return Json::parse(train::FormatRecord(record)).at("settings").dump();
}

}  // namespace sven::report
