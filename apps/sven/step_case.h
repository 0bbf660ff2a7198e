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

#include "sven/sven.h"

namespace sven::cli {

enum class OptimizerKind { kSven, kSgd };
enum class NumberType { kFloat32, kFloat64 };

// What a case says besides the settings of its optimizer.
struct StepSettings {
  OptimizerKind optimizer = OptimizerKind::kSven;
  nn::Loss::Kind loss = nn::Loss::kSquaredError;
  double huber_delta = 1.0;
  nn::Activation activation = nn::Activation::kGelu;
  Index steps = 1;
  std::optional<NumberType> dtype;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"optimizer", "the method"}, self.optimizer);
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
  optim::SvenOptions sven;
  optim::SgdOptions sgd;
};

// "--parameter-batch" for the field parameter_batch.
std::string FlagName(std::string_view field);

// Settings from the file's metadata, overridden by `flags` (name -> text).
// Metadata that are not settings of the optimizer are named in `ignored`.
CaseSettings ReadSettings(const data::SafetensorsFile& file,
                          const std::string& source,
                          const std::map<std::string, std::string>& flags,
                          std::vector<std::string>& ignored);

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

template <>
struct sven::EnumNames<sven::cli::OptimizerKind> {
  static constexpr std::pair<std::string_view, cli::OptimizerKind> kTable[] = {
      {"sven", cli::OptimizerKind::kSven}, {"sgd", cli::OptimizerKind::kSgd}};
};
template <>
struct sven::EnumNames<sven::cli::NumberType> {
  static constexpr std::pair<std::string_view, cli::NumberType> kTable[] = {
      {"f32", cli::NumberType::kFloat32}, {"f64", cli::NumberType::kFloat64}};
};

#endif  // SVEN_APPS_SVEN_STEP_CASE_H_
