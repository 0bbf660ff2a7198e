// SPDX-License-Identifier: MIT
#include "sven/optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sven/base/text.h"

namespace sven::optim {
namespace {

// From `a` at share 0 to `b` at share 1 along half a cosine.
double Anneal(double a, double b, double share) {
  return b + (a - b) * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

// PyTorch counts the two parts of the cycle in steps: the peak is at
// rise * T - 1, the end at T - 1.
double OneCycle(const Schedule& schedule, double t, double T) {
  const double peak = schedule.rise * T - 1;
  const double last = T - 1;
  if (t < peak) return Anneal(schedule.start, 1, t / peak);
  if (t >= last) return schedule.end;
  return Anneal(1, schedule.end, (t - peak) / (last - peak));
}

double Factor(const Schedule& schedule, Index step) {
  const Index warmup = schedule.warmup;
  if (step < warmup) {
    const bool low = schedule.kind == ScheduleKind::kOneCycle;
    const double first = low ? schedule.start : 1.0;
    return first * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  const auto t = static_cast<double>(step - warmup);
  const auto T = static_cast<double>(schedule.steps.value_or(0) - warmup);
  const double periods = t / static_cast<double>(schedule.every);
  switch (schedule.kind) {
    case ScheduleKind::kConstant:
      return 1;
    case ScheduleKind::kStep:
      return std::pow(schedule.factor, std::floor(periods));
    case ScheduleKind::kExponential:
      return std::pow(schedule.factor, periods);
    case ScheduleKind::kCosine:
      return t >= T ? schedule.end : Anneal(1, schedule.end, t / T);
    case ScheduleKind::kOneCycle:
      return OneCycle(schedule, t, T);
  }
  return 1;
}

}  // namespace

double Schedule::At(Index step) const {
  // What grows without end is kept finite.
  constexpr double kLargest = 1e150;
  return std::min(Factor(*this, step), kLargest);
}

void Schedule::Validate(std::string_view owner) const {
  ValidateFields(owner, *this);
  if (!NeedsLength()) return;
  if (!steps) {
    throw UsageError(fmt::format(
        "{} = {}: needs the whole number of steps; write {}:steps=...", owner,
        ToText(), Name(kind)));
  }
  if (warmup >= *steps) {
    throw UsageError(
        fmt::format("{}::warmup = {}: must satisfy warmup < steps, which is {}",
                    owner, warmup, *steps));
  }
}

std::string Schedule::ToText() const {
  std::string text(Name(kind));
  char separator = ':';
  const Schedule defaults;
  std::vector<std::string> standard;
  VisitFields(defaults, [&](const Field&, const auto& value) {
    standard.push_back(FormatValue(value));
  });
  std::size_t i = 0;
  VisitFields(*this, [&](const Field& field, const auto& value) {
    const std::string shown = FormatValue(value);
    const bool changed = shown != standard[i++] && field.name != "kind";
    if (!changed) return;
    text += fmt::format("{}{}={}", separator, field.name, shown);
    separator = ',';
  });
  return text;
}

Schedule Schedule::FromText(std::string_view source, std::string_view text) {
  Schedule schedule;
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  ParseValue(source, name, schedule.kind);
  std::string_view rest =
      colon == std::string_view::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const std::size_t equals = part.find('=');
    const std::string_view field = part.substr(0, equals);
    const std::string place =
        fmt::format("{}: {}", source, Printable(field, 40));
    if (equals == std::string_view::npos || field == "kind" ||
        !SetField(place, field, part.substr(equals + 1), schedule)) {
      throw UsageError(fmt::format(
          "{} = {}: {} is not a setting of a schedule; expected warmup, steps, "
          "every, factor, start, rise or end, such as cosine:warmup=100",
          source, Quote(text), Quote(part)));
    }
  }
  return schedule;
}

}  // namespace sven::optim
