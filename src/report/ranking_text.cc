// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sven/base/text.h"
#include "sven/report/ranking.h"

namespace sven::report {
namespace {

constexpr std::size_t kGap = 2;  // between columns
constexpr std::size_t kShortestCurve = 8;
constexpr std::size_t kLongestCurve = 40;

using Row = std::vector<std::string>;

// Characters of UTF-8 text.
std::size_t Length(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Loss(double loss) {
  return std::isfinite(loss) ? fmt::format("{:.3g}", loss) : "diverged";
}

// "0.2–0.4"
std::string Between(double low, double high) {
  const auto text = [](double loss) {
    return std::isfinite(loss) ? fmt::format("{:.2g}", loss) : "∞";
  };
  return fmt::format("{}–{}", text(low), text(high));
}

std::string Time(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < kMinute) return fmt::format("{:.3g} s", seconds);
  if (seconds < kHour) return fmt::format("{:.3g} min", seconds / kMinute);
  return fmt::format("{:.3g} h", seconds / kHour);
}

std::string Memory(double bytes) {
  return bytes > 0 ? fmt::format("{:.0f} MB", bytes / 1e6) : "";
}

std::string SettingsText(const RankedOptimizer& ranked) {
  std::string text;
  for (const auto& [name, value] : ranked.settings) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", name, value);
  }
  constexpr std::size_t kLongest = 400;
  return Printable(text, kLongest);
}

// Blocks of eight heights, `width` of them for all epochs, on the logarithmic
// scale of `low` to `high`. A loss of which there is no logarithm is a dot.
std::string Curve(const std::vector<double>& losses, double low, double high,
                  std::size_t width) {
  constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  const std::size_t count = std::min(width, losses.size());
  for (std::size_t i = 0; i < count; ++i) {
    // From the first epoch to the last one.
    const std::size_t place =
        count > 1 ? i * (losses.size() - 1) / (count - 1) : losses.size() - 1;
    const double loss = losses[place];
    if (!(loss > 0) || !std::isfinite(loss)) {
      text += "·";
      continue;
    }
    const double range = std::log(high / low);
    const double height = range > 0 ? std::log(loss / low) / range : 0;
    const auto block = static_cast<std::size_t>(
        std::lround(std::clamp(height, 0.0, 1.0) * (kBlocks.size() - 1)));
    text += kBlocks[block];
  }
  return text;
}

// Columns of one table: the first to the left, the others to the right.
std::vector<std::size_t> Widths(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Length(row[i]));
    }
  }
  return widths;
}

std::string Line(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string blanks(widths[i] - Length(row[i]), ' ');
    line += i == 0 ? row[i] + blanks : std::string(kGap, ' ') + blanks + row[i];
  }
  return line;
}

std::vector<Row> TableOf(const TaskRanking& task, bool with_memory) {
  std::vector<Row> rows = {
      {"optimizer", "val loss", "quartiles", "best", "time", "steps", "runs"}};
  if (with_memory) rows.front().emplace_back("memory");
  for (const RankedOptimizer& one : task.optimizers) {
    constexpr std::size_t kLongestName = 40;
    Row row = {Printable(one.optimizer, kLongestName),
               Loss(one.median),
               one.runs > 1 ? Between(one.low, one.high) : "",
               Loss(one.best_loss),
               Time(one.seconds),
               fmt::format("{:.0f}", one.steps),
               std::to_string(one.runs)};
    if (with_memory) row.push_back(Memory(one.peak_memory));
    rows.push_back(std::move(row));
  }
  return rows;
}

// What the curves of a task have in common.
struct Scale {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;

  explicit Scale(const TaskRanking& task) {
    for (const RankedOptimizer& one : task.optimizers) {
      for (const double loss : one.curve) {
        if (!(loss > 0) || !std::isfinite(loss)) continue;
        low = std::min(low, loss);
        high = std::max(high, loss);
      }
    }
  }
};

std::size_t TotalWidth(const std::vector<Row>& rows) {
  std::size_t sum = 0;
  for (const std::size_t one : Widths(rows)) sum += one + kGap;
  return sum;
}

// A line for each optimizer, its curve at the end or, without room there, below.
std::string FormatTask(const TaskRanking& task, std::size_t width) {
  const Scale scale(task);
  std::vector<Row> rows = TableOf(
      task, std::ranges::any_of(task.optimizers, [](const RankedOptimizer& o) {
        return o.peak_memory > 0;
      }));
  // Curves say more than megabytes.
  if (TotalWidth(rows) + kShortestCurve > width) rows = TableOf(task, false);
  const std::size_t taken = TotalWidth(rows);
  const bool beside = taken + kShortestCurve <= width;
  const std::size_t room =
      std::clamp(width - std::min(width, beside ? taken : kGap), kShortestCurve,
                 kLongestCurve);
  const auto widths = Widths(rows);
  constexpr std::size_t kLongestName = 200;
  std::string text =
      fmt::format("{}: {} {}\n", Printable(task.task, kLongestName), task.runs,
                  task.runs == 1 ? "run" : "runs");
  text += Line(rows[0], widths) + (beside ? "  val loss\n" : "\n");
  for (std::size_t i = 0; i < task.optimizers.size(); ++i) {
    const RankedOptimizer& one = task.optimizers[i];
    text += Line(rows[i + 1], widths) + (beside ? "  " : "\n  ") +
            Curve(one.curve, scale.low, scale.high, room) + "\n";
    const std::string settings = SettingsText(one);
    if (settings.empty()) continue;
    text += fmt::format("  best of {}: {}\n", one.points, settings);
  }
  return text;
}

}  // namespace

std::string FormatRanking(const std::vector<TaskRanking>& tasks,
                          const std::vector<SkippedFile>& skipped, int width) {
  std::string text;
  for (const TaskRanking& task : tasks) {
    if (!text.empty()) text += "\n";
    text += FormatTask(task, static_cast<std::size_t>(std::max(width, 0)));
  }
  if (!skipped.empty()) text += "\nSkipped\n";
  constexpr std::size_t kMost = 20;
  constexpr std::size_t kLongest = 300;
  for (std::size_t i = 0; i < std::min(skipped.size(), kMost); ++i) {
    text += fmt::format("  {}: {}\n", Printable(skipped[i].path, kLongest),
                        Printable(skipped[i].reason, kLongest));
  }
  if (skipped.size() > kMost) {
    text += fmt::format("  and {} more\n", skipped.size() - kMost);
  }
  return text;
}

}  // namespace sven::report
