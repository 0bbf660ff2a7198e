// SPDX-License-Identifier: MIT
//
// A factor that changes with the number of steps done, for the learning rate or
// another setting. As text: "cosine", "cosine:warmup=100,end=0.01",
// "step:every=1000,factor=0.5".
#ifndef SVEN_OPTIM_SCHEDULE_H_
#define SVEN_OPTIM_SCHEDULE_H_

#include <optional>
#include <string>
#include <string_view>

#include "sven/base/fields.h"

namespace sven::optim {

enum class ScheduleKind { kConstant, kStep, kExponential, kCosine, kOneCycle };

// With t the number of steps done since the end of the warm-up and
// T = steps - warmup:
//
//   constant      1
//   step          factor^floor(t / every)
//   exponential   factor^(t / every)
//   cosine        end + (1 - end) (1 + cos(pi t / T)) / 2, then end
//   one_cycle     from `start` to 1 in the first `rise` of T, then to end, both
//                 along half a cosine; as PyTorch's OneCycleLR
//
// During the warm-up of W steps, step number i = 0, 1, ... has (i + 1) / W times
// the first value.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  Index warmup = 0;
  // The whole length, warm-up included. cosine and one_cycle need it; a trainer
  // that knows how long it runs fills it in.
  std::optional<Index> steps = std::nullopt;
  Index every = 1000;
  double factor = 0.1;
  double start = 0.04;
  double rise = 0.3;
  // May be above 1, for settings that should grow.
  double end = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"kind", "shape of the schedule"}, self.kind);
    visit(Field{"warmup", "steps of linear warm-up", {.low = 0}}, self.warmup);
    visit(Field{"steps", "whole length, for cosine and one_cycle", {.low = 1}},
          self.steps);
    visit(Field{"every", "steps per factor, step and exponential", {.low = 1}},
          self.every);
    visit(
        Field{
            "factor", "factor per `every` steps", {.low = 0, .low_open = true}},
        self.factor);
    visit(Field{"start", "first value of one_cycle", {.low = 0, .high = 1}},
          self.start);
    visit(Field{"rise",
                "part of one_cycle that rises",
                {.low = 0, .high = 1, .high_open = true}},
          self.rise);
    visit(Field{"end", "last value of cosine and one_cycle", {.low = 0}},
          self.end);
  }

  [[nodiscard]] bool NeedsLength() const {
    return kind == ScheduleKind::kCosine || kind == ScheduleKind::kOneCycle;
  }

  // The factor of step number `step`, from 0.
  [[nodiscard]] double At(Index step) const;

  // Throws a UsageError that opens with `owner` for a field out of its range,
  // for a length that is missing, or that the warm-up fills.
  void Validate(std::string_view owner) const;

  // The kind, and every field that is not at its default.
  [[nodiscard]] std::string ToText() const;
  static Schedule FromText(std::string_view source, std::string_view text);

  bool operator==(const Schedule&) const = default;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::ScheduleKind> {
  using Kind = optim::ScheduleKind;
  static constexpr std::pair<std::string_view, Kind> kTable[] = {
      {"constant", Kind::kConstant},       {"step", Kind::kStep},
      {"exponential", Kind::kExponential}, {"cosine", Kind::kCosine},
      {"one_cycle", Kind::kOneCycle},
  };
};

#endif  // SVEN_OPTIM_SCHEDULE_H_
