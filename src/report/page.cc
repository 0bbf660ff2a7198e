// SPDX-License-Identifier: MIT
#include "report_page.h"
#include "sven/base/error.h"
#include "sven/report/document.h"

namespace sven::report {
namespace {

constexpr std::string_view kOpening =
    R"(<script type="application/json" id="sven-data")";
constexpr std::string_view kEmpty = ">null</script>";

}  // namespace

std::string_view PageTemplate() { return kReportPage; }

std::string MakePage(std::string_view document, bool live) {
  const std::string_view page = PageTemplate();
  const std::string mark = std::string(kOpening) + std::string(kEmpty);
  const std::size_t place = page.find(mark);
  Check(place != std::string_view::npos, "the page has a place for data");
  std::string text;
  text.reserve(page.size() + document.size() + document.size() / 64);
  text += page.substr(0, place);
  text += kOpening;
  text += live ? " data-live>" : ">";
  // It can only stand in texts, where the escape says the same; and nothing but
  // it could end the element.
  for (const char c : document) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  text += "</script>";
  text += page.substr(place + mark.size());
  return text;
}

}  // namespace sven::report
