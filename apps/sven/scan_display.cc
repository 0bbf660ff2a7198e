// SPDX-License-Identifier: MIT
#include "scan_display.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "terminal.h"

namespace sven::cli {

ScanDisplay::ScanDisplay(std::size_t total, bool quiet)
    : total_(total), quiet_(quiet), line_(!quiet && IsTerminal()) {}

void ScanDisplay::AddResult(const experiment::ScanPoint& point,
                            const train::RunSummary& summary, bool fresh) {
  ++done_;
  if (fresh) ++fresh_;
  Best& best = best_[point.optimizer];
  ++best.runs;
  best.seconds += summary.total_seconds;
  const double loss = summary.final_validation.loss;
  if (summary.status == train::RunStatus::kDiverged || !std::isfinite(loss)) {
    ++best.diverged;
  } else if (best.id.empty() || loss < best.loss) {
    best.loss = loss;
    best.id = point.id;
  }
  if (quiet_ || line_ || !fresh) return;
  PrintError("{}/{}  {}  val {:.4g}  {:.2f} s  {}\n", done_, total_, point.id,
             loss, summary.total_seconds, Name(summary.status));
}

void ScanDisplay::AddFailure(const experiment::ScanPoint& point,
                             const std::string& reason) {
  failures_.emplace_back(point.id, reason);
  Clear();
  PrintError("sven: {}: failed twice: {}\n", point.id, reason);
}

void ScanDisplay::Draw(std::size_t running) {
  constexpr double kSecondsBetweenDrawings = 0.1;
  if (!line_ || since_drawn_.Seconds() < kSecondsBetweenDrawings) return;
  since_drawn_.Lap();
  std::string text =
      fmt::format("runs {}/{}  {} running", done_, total_, running);
  if (!failures_.empty()) text += fmt::format("  {} failed", failures_.size());
  if (fresh_ > 0) {
    const auto left = static_cast<double>(total_ - done_ - failures_.size());
    text += fmt::format("  {} left", ClockTime(session_.Seconds() * left /
                                               static_cast<double>(fresh_)));
  }
  text += "  best:";
  for (const auto& [optimizer, best] : best_) {
    if (!best.id.empty()) {
      text += fmt::format(" {} {:.2g}", optimizer, best.loss);
    }
  }
  text.resize(
      std::min(text.size(), static_cast<std::size_t>(TerminalWidth() - 1)));
  PrintError("\r{}\x1b[K", text);
  std::fflush(stderr);
  drawn_ = true;
}

void ScanDisplay::Clear() {
  if (!drawn_) return;
  PrintError("\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string ScanDisplay::Summary() const {
  std::vector<std::vector<std::string>> rows = {
      {"optimizer", "runs", "diverged", "best val loss", "time", "best run"}};
  for (const auto& [optimizer, best] : best_) {
    rows.push_back({optimizer, std::to_string(best.runs),
                    std::to_string(best.diverged),
                    best.id.empty() ? "" : fmt::format("{:.4g}", best.loss),
                    ClockTime(best.seconds), best.id});
  }
  std::string text = AlignedTable(rows);
  for (const auto& [id, reason] : failures_) {
    text += fmt::format("failed: {}: {}\n", id, reason);
  }
  return text;
}

}  // namespace sven::cli
