// SPDX-License-Identifier: MIT
#include "csv_scanner.h"

#include <algorithm>
#include <cstring>

#include "fail.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

constexpr Index kBlockBytes = Index{1} << 20;

// No larger than needed: one byte is left over when all of a file is in it.
std::size_t BufferSize(const ByteStream& stream) {
  return static_cast<std::size_t>(
      std::min(kBlockBytes - 1, stream.MaxRemaining()) + 1);
}

}  // namespace

CsvScanner::CsvScanner(ByteStream& stream, Separator separator)
    : stream_(stream), buffer_(BufferSize(stream)) {
  HasByte();
  SkipByteOrderMark();
  switch (separator) {
    case Separator::kAuto:
      separator_ = DetectSeparator();
      break;
    case Separator::kComma:
      separator_ = ',';
      break;
    case Separator::kTab:
      separator_ = '\t';
      break;
    case Separator::kSemicolon:
      separator_ = ';';
      break;
  }
  for (const char c : {separator_, '\n', '\r', '"', '\0'}) {
    special_[static_cast<unsigned char>(c)] = true;
  }
}

void CsvScanner::SkipByteOrderMark() {
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    Fail(stream_.Name(), "begins as UTF-16 text does, expected UTF-8");
  }
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (start.starts_with(kMark)) at_ = kMark.size();
}

char CsvScanner::DetectSeparator() const {
  bool in_quotes = false;
  bool semicolon = false;
  for (std::size_t i = at_; i < end_; ++i) {
    const char c = buffer_[i];
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '\n') break;
    if (c == '\t') return '\t';
    if (c == ';') semicolon = true;
  }
  return semicolon ? ';' : ',';
}

bool CsvScanner::HasByte() {
  if (at_ < end_) return true;
  if (begin_ == 0 && end_ == buffer_.size()) {
    FailHere(fmt::format("a field of more than {} bytes; is a quote missing?",
                         kBlockBytes));
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  at_ -= begin_;
  begin_ = 0;
  end_ +=
      stream_.Read(std::as_writable_bytes(std::span(buffer_).subspan(end_)));
  return at_ < end_;
}

bool CsvScanner::Next() {
  begin_ = at_;
  line_ = next_line_;
  if (ends_record_) {
    column_ = 0;
    if (!SkipEmptyLines()) return false;
  }
  ++column_;
  quoted_ = HasByte() && buffer_[at_] == '"';
  if (quoted_) {
    ScanQuoted();
  } else {
    ScanPlain();
  }
  return true;
}

// False at the end of the file. Empty lines are fine there, and only there.
bool CsvScanner::SkipEmptyLines() {
  while (HasByte() && (buffer_[at_] == '\n' || buffer_[at_] == '\r')) {
    TakeEnd("a line break");
    begin_ = at_;
  }
  if (!HasByte()) return false;
  if (next_line_ != line_) FailHere("an empty line, expected values");
  return true;
}

void CsvScanner::ScanPlain() {
  do {
    while (at_ < end_ && !special_[static_cast<unsigned char>(buffer_[at_])]) {
      ++at_;
    }
  } while (at_ == end_ && HasByte());
  const std::size_t size = at_ - begin_;
  if (at_ < end_ && buffer_[at_] == '\0') {
    FailHere("a NUL byte, expected text");
  }
  if (at_ < end_ && buffer_[at_] == '"') {
    FailHere(
        "a quote inside of a field, expected the whole field in quotes, and "
        "quotes inside of it doubled");
  }
  TakeEnd("a line feed after a carriage return");
  text_ = {buffer_.data() + begin_, size};
}

void CsvScanner::ScanQuoted() {
  ++at_;
  begin_ = at_;
  bool doubled = false;
  for (;; ++at_) {
    if (!HasByte()) FailHere("a quote that is not closed");
    if (buffer_[at_] == '\n') ++next_line_;
    if (buffer_[at_] == '\0') FailHere("a NUL byte, expected text");
    if (buffer_[at_] != '"') continue;
    ++at_;
    if (!HasByte() || buffer_[at_] != '"') break;
    doubled = true;
  }
  const std::size_t size = at_ - 1 - begin_;
  TakeEnd("a separator or the end of the line after the closing quote");
  text_ = {buffer_.data() + begin_, size};
  if (!doubled) return;
  unescaped_.clear();
  for (std::size_t i = 0; i < text_.size(); ++i) {
    unescaped_.push_back(text_[i]);
    if (text_[i] == '"') ++i;
  }
  text_ = unescaped_;
}

void CsvScanner::TakeEnd(std::string_view expected) {
  ends_record_ = true;
  if (!HasByte()) return;
  if (buffer_[at_] == '\r') {
    ++at_;
    if (!HasByte() || buffer_[at_] != '\n') {
      FailHere("a carriage return without a line feed");
    }
  }
  if (buffer_[at_] == '\n') {
    ++next_line_;
  } else if (buffer_[at_] == separator_) {
    ends_record_ = false;
  } else {
    FailHere(fmt::format("found '{}', expected {}",
                         Printable({&buffer_[at_], 1}, 1), expected));
  }
  ++at_;
}

void CsvScanner::FailHere(std::string_view what) const {
  Fail(stream_.Name(), "line {}, column {}: {}", line_,
       std::max<Index>(column_, 1), what);
}

}  // namespace sven::data
