// SPDX-License-Identifier: MIT
//
// What the report page shows, as JSON. web/DATA.md says what is in it, and what
// a page asks of a server to stay up to date.
//
//   Document document;
//   document.Update(collection);
//   WriteFileAtomically("report.html", MakePage(document.Whole()));
#ifndef SVEN_REPORT_DOCUMENT_H_
#define SVEN_REPORT_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sven/report/collection.h"

namespace sven::report {

class Document {
 public:
  // `session` tells one server from the next; a report that stands alone has
  // none. `generated` is when it was written, as it is to be shown.
  explicit Document(std::string session = "",
                    const std::string& generated = "");

  // Takes over what the collection has now. True if that is anything new; the
  // revision then is one higher. The collection must be the same each time.
  bool Update(const Collection& collection);

  [[nodiscard]] std::uint64_t Revision() const { return revision_; }
  [[nodiscard]] const std::string& Session() const { return session_; }

  [[nodiscard]] std::string Whole() const;

  // What has changed after `revision` of this session; nothing if it is the
  // present one. All of it if the session is another, or has no such revision.
  [[nodiscard]] std::optional<std::string> Since(std::string_view session,
                                                 std::uint64_t revision) const;

 private:
  // A piece of JSON, and since when it is as it is.
  struct Piece {
    std::string text;
    std::uint64_t revision = 0;
  };
  // What runs have in common, so that it is there once.
  struct Base {
    std::map<std::string, std::string> settings;
    std::string text;
  };
  struct RunPiece {
    Piece piece;
    // Of the reading that it was last seen with.
    std::uint64_t reading = 0;
    std::size_t base = 0;
    // What the text was made from.
    std::uint64_t written = 0;
    std::string status;
    bool has_spectra = false;
  };

  std::size_t FindBase(const CollectedRun& run);
  void UpdateRun(const CollectedRun& run, bool with_spectra);
  void UpdateHead(const Collection& collection);
  void Put(const std::string& name, std::string text);
  [[nodiscard]] std::string Join(std::uint64_t after) const;

  std::string session_;
  std::uint64_t revision_ = 0;
  bool had_reproduction_ = false;
  bool changed_ = false;
  std::vector<std::pair<std::string, Piece>> head_;
  std::vector<Base> bases_;
  std::map<std::string, std::size_t> base_places_;
  std::map<std::string, RunPiece> runs_;  // by id
  std::vector<std::string> order_;        // ids
  std::map<std::string, std::uint64_t> removed_;
};

// The page as it is built, without data (web/dist/report.html).
std::string_view PageTemplate();

// The page with a document in it. A live one asks its server for changes.
// Nothing in the document can become part of the page's own text.
std::string MakePage(std::string_view document, bool live = false);

}  // namespace sven::report

#endif  // SVEN_REPORT_DOCUMENT_H_
