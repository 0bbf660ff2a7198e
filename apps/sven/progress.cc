// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "terminal.h"

namespace sven::cli {
namespace {

constexpr double kSecondsBetweenDrawings = 0.1;

std::string Accuracy(const train::Metrics& metrics) {
  return metrics.accuracy ? fmt::format(" ({:.2f} %)", 100 * *metrics.accuracy)
                          : "";
}

// `width` characters, the share `done` of them filled.
std::string Bar(double done, int width) {
  const int filled = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < filled ? "\u2501" : "\u2500";
  return bar;
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::string name, bool quiet)
    : name_(std::move(name)), quiet_(quiet), bar_(!quiet && IsTerminal()) {}

ProgressDisplay::~ProgressDisplay() { Clear(); }

void ProgressDisplay::Clear() {
  if (!drawn_) return;
  PrintError("\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

void ProgressDisplay::OnStep(const train::TrainProgress& progress,
                             const StepReport& report) {
  if (!bar_) return;
  if (first_step_ < 0) {
    first_step_ = progress.step;
    session_.Lap();
    since_drawn_.Lap();
    loss_ = report.loss;
  }
  constexpr double kMemory = 0.98;
  if (!std::isfinite(loss_)) loss_ = report.loss;
  loss_ = kMemory * loss_ + (1 - kMemory) * report.loss;
  if (since_drawn_.Seconds() < kSecondsBetweenDrawings) return;
  Draw(progress);
}

void ProgressDisplay::OnValidation(const train::TrainProgress& /*progress*/,
                                   const train::ValidationRecord& record) {
  validation_ = record.validation.loss;
  validated_ = true;
}

void ProgressDisplay::OnEpoch(const train::TrainProgress& progress,
                              const train::EpochRecord& record) {
  validation_ = record.validation.loss;
  validated_ = true;
  if (quiet_ || bar_) return;
  const auto digits = std::to_string(progress.epochs).size();
  PrintError(
      "{}  epoch {:>{}}/{}  step {}  train {:.4g}{}  val {:.4g}{}  "
      "{:.2f} s\n",
      name_, record.epoch, digits, progress.epochs, record.step,
      record.train.loss, Accuracy(record.train), record.validation.loss,
      Accuracy(record.validation), progress.total_seconds);
}

void ProgressDisplay::Draw(const train::TrainProgress& progress) {
  since_drawn_.Lap();
  const double elapsed = session_.Seconds();
  const auto done = static_cast<double>(progress.step - first_step_);
  const double rate = done / std::max(elapsed, 1e-9);
  const double all = static_cast<double>(progress.epochs) *
                     static_cast<double>(progress.steps_per_epoch);
  const double left = (all - static_cast<double>(progress.step)) / rate;
  const std::string head = fmt::format(
      "{}  epoch {}/{} ", name_, std::min(progress.epoch + 1, progress.epochs),
      progress.epochs);
  std::string tail = fmt::format("  {:.0f} steps/s  loss {:.3g}", rate, loss_);
  if (validated_) tail += fmt::format("  val {:.3g}", validation_);
  tail += fmt::format("  {} left", ClockTime(left));
  const int room =
      TerminalWidth() - 1 - static_cast<int>(head.size() + tail.size());
  constexpr int kWidest = 40;
  const std::string bar = Bar(static_cast<double>(progress.step) / all,
                              std::clamp(room, 0, kWidest));
  std::string line = head + bar + tail;
  if (room < 0) line.resize(static_cast<std::size_t>(TerminalWidth() - 1));
  PrintError("\r{}\x1b[K", line);
  std::fflush(stderr);
  drawn_ = true;
}

bool ProgressDisplay::WantsStop() { return Interrupted(); }

}  // namespace sven::cli
