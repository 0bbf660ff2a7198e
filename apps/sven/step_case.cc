// SPDX-License-Identifier: MIT
#include "step_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sven/base/text.h"

namespace sven::cli {
namespace {

// A setting as text, and where it stands.
struct Setting {
  std::string text;
  std::string source;
  bool from_file;
};
using Settings = std::map<std::string, Setting>;

Settings Merge(const data::SafetensorsFile& file, const std::string& source,
               const FlagTexts& flags) {
  Settings settings;
  for (const auto& [name, text] : file.metadata) {
    settings[name] = {text, fmt::format("{}: metadata {}", source, Quote(name)),
                      /*from_file=*/true};
  }
  for (const auto& [name, text] : flags) {
    settings[name] = {text, FlagName(name), /*from_file=*/false};
  }
  return settings;
}

// Runs `set`; what it finds wrong in a setting of the file is the file's fault.
template <class Function>
auto Blame(const Setting& setting, const Function& set) {
  try {
    return set();
  } catch (const UsageError& error) {
    if (!setting.from_file) throw;
    throw DataError(error.what());
  }
}

// False if `name` is no setting of the case.
bool Set(const std::string& name, const Setting& setting,
         CaseSettings& settings) {
  return Blame(setting, [&] {
    return SetField(setting.source, name, setting.text, settings.step) ||
           settings.optimizer.Set(setting.source, name, setting.text);
  });
}

// Metadata that other programs write and that are no settings of a step.
bool IsKnownForeign(const std::string& name) {
  return name == "format" || name.starts_with("expect");
}

// What no field can say alone.
void ValidateTogether(const CaseSettings& settings, const std::string& source,
                      bool any_flags) {
  try {
    settings.optimizer.Validate();
  } catch (const UsageError& error) {
    if (any_flags) throw;
    throw DataError(fmt::format("{}: metadata: {}", source, error.what()));
  }
}

const data::Tensor& Require(const data::SafetensorsFile& file,
                            const std::string& source,
                            const std::string& name) {
  const data::Tensor* tensor = file.Find(name);
  if (tensor == nullptr) {
    throw DataError(fmt::format("{}: no tensor '{}'", source, name));
  }
  return *tensor;
}

[[noreturn]] void ThrowShape(const std::string& source, const std::string& name,
                             const data::Tensor& tensor,
                             const std::string& expected) {
  throw DataError(fmt::format("{}: tensor '{}' has shape [{}]: expected {}",
                              source, name, fmt::join(tensor.shape, ", "),
                              expected));
}

template <class T>
Matrix<T> ReadMatrix(const std::string& source, const std::string& name,
                     const data::Tensor& tensor, Index rows, Index cols) {
  const std::vector<double> values = tensor.Values<double>();
  Matrix<T> matrix(rows, cols);
  for (Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = static_cast<T>(values[i]);
    if (!std::isfinite(matrix.data()[i])) {
      throw DataError(fmt::format(
          "{}: tensor '{}' has the value {} in row {}, column {}: expected "
          "finite numbers, in the range of the chosen dtype",
          source, name, values[i], i / cols, i % cols));
    }
  }
  return matrix;
}

// A vector stands for a matrix of one column.
bool HasShape(const data::Tensor& tensor, Index rows, Index cols) {
  return tensor.shape == std::vector{rows, cols} ||
         (cols == 1 && tensor.shape == std::vector{rows});
}

std::vector<std::int64_t> ReadIntegers(const std::string& source,
                                       const std::string& name,
                                       const data::Tensor& tensor) {
  try {
    return tensor.Integers();
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}: tensor '{}': {}", source, name, error.what()));
  }
}

}  // namespace

CaseSettings ReadSettings(const data::SafetensorsFile& file,
                          const std::string& source, const FlagTexts& flags,
                          bool resumed, std::vector<std::string>& ignored) {
  Settings merged = Merge(file, source, flags);
  // First, since it decides what the others mean.
  const Setting optimizer =
      merged.try_emplace("optimizer", Setting{"sven", "", false}).first->second;
  merged.erase("optimizer");
  CaseSettings settings{{}, Blame(optimizer, [&] {
                          return optim::ChooseOptimizer(optimizer.source,
                                                        optimizer.text);
                        })};
  for (const auto& [name, setting] : merged) {
    if (Set(name, setting, settings)) continue;
    if (!setting.from_file) {
      throw UsageError(fmt::format("{}: not a setting of the optimizer {}",
                                   setting.source,
                                   settings.optimizer.Info().name));
    }
    if (!IsKnownForeign(name)) ignored.push_back(name);
  }
  // A run that goes on does not know where the schedule of the first one ended.
  if (!resumed) settings.optimizer.SetHorizon(settings.step.steps);
  ValidateTogether(settings, source, !flags.empty());
  return settings;
}

template <class T>
CaseData<T> ReadCaseData(const data::SafetensorsFile& file,
                         const std::string& source, const data::Model<T>& model,
                         const nn::Loss& loss) {
  CaseData<T> result;
  const Index inputs = model.net.NumInputs();
  const Index outputs = model.net.NumOutputs();
  const data::Tensor& x = Require(file, source, "x");
  const Index B = x.shape.empty() ? 0 : x.shape[0];
  if (B < 1 || !HasShape(x, B, inputs)) {
    ThrowShape(source, "x", x, fmt::format("samples x {} inputs", inputs));
  }
  result.batch.x = ReadMatrix<T>(source, "x", x, B, inputs);

  const data::Tensor& y = Require(file, source, "y");
  if (loss.UsesLabels()) {
    if (!HasShape(y, B, 1)) {
      ThrowShape(source, "y", y, fmt::format("[{}], one label per sample", B));
    }
    result.batch.labels = ReadIntegers(source, "y", y);
  } else {
    if (!HasShape(y, B, outputs)) {
      ThrowShape(source, "y", y,
                 fmt::format("[{}, {}], samples x outputs", B, outputs));
    }
    result.batch.y = ReadMatrix<T>(source, "y", y, B, outputs);
  }

  if (const data::Tensor* mask = file.Find("mask")) {
    if (mask->shape != std::vector{model.net.NumParameters()}) {
      ThrowShape(source, "mask", *mask,
                 fmt::format("[{}], one entry per parameter",
                             model.net.NumParameters()));
    }
    std::vector<std::uint8_t> selected;
    for (const std::int64_t value : ReadIntegers(source, "mask", *mask)) {
      selected.push_back(value != 0 ? 1 : 0);
    }
    result.mask = data::FromFileOrder<T, std::uint8_t>(model, selected);
  }
  try {
    nn::CheckBatch<T>(loss, result.batch.All(), inputs, outputs);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: tensor 'y': {}", source, error.what()));
  }
  return result;
}

template CaseData<float> ReadCaseData(const data::SafetensorsFile&,
                                      const std::string&,
                                      const data::Model<float>&,
                                      const nn::Loss&);
template CaseData<double> ReadCaseData(const data::SafetensorsFile&,
                                       const std::string&,
                                       const data::Model<double>&,
                                       const nn::Loss&);

}  // namespace sven::cli
