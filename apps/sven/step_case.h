// SPDX-License-Identifier: MIT
//
// A case of `sven step`: a model, a batch and settings, from a safetensors
// file.
#ifndef SVEN_APPS_SVEN_STEP_CASE_H_
#define SVEN_APPS_SVEN_STEP_CASE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "optimizer_flags.h"
#include "sven/base/number_type.h"
#include "sven/sven.h"

namespace sven::cli {

// What a case says besides the settings of its optimizer.
struct StepSettings {
  nn::Loss::Kind loss = nn::Loss::kSquaredError;
  double huber_delta = 1.0;
  nn::Activation activation = nn::Activation::kGelu;
  Index steps = 1;
  std::optional<NumberType> dtype;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"loss", "loss per sample"}, self.loss);
    visit(Field{"huber_delta",
                "where the Huber loss becomes linear",
                {.low = 0, .low_open = true}},
          self.huber_delta);
    visit(Field{"activation", "between the layers"}, self.activation);
    visit(Field{"steps", "how many steps", {.low = 1}}, self.steps);
    visit(Field{"dtype", "f32 or f64; none: f64 if a weight is, else f32"},
          self.dtype);
  }
};

struct CaseSettings {
  StepSettings step;
  optim::OptimizerChoice optimizer;
};

// Settings from the file's metadata, overridden by `flags`; the name of the
// optimizer is one of them. Schedules without a length get the number of steps,
// unless the run is `resumed`: then it must be given.
// Metadata that are not settings of the optimizer are named in `ignored`.
CaseSettings ReadSettings(const data::SafetensorsFile& file,
                          const std::string& source, const FlagTexts& flags,
                          bool resumed, std::vector<std::string>& ignored);

template <class T>
struct CaseData {
  data::Dataset<T> batch;
  // In the network's order; empty if the file has no mask.
  std::vector<std::uint8_t> mask;
};

// x, y and mask, checked against the network and for NaN and infinity.
template <class T>
CaseData<T> ReadCaseData(const data::SafetensorsFile& file,
                         const std::string& source, const data::Model<T>& model,
                         const nn::Loss& loss);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_STEP_CASE_H_
