// SPDX-License-Identifier: MIT
#include "step_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sven::cli {
namespace {

std::string FlagName(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// Sets what is called `name` wherever it is a setting of the case.
bool SetAny(const std::string& source, const std::string& name,
            const std::string& text, CaseSettings& settings) {
  if (SetField(source, name, text, settings.step)) return true;
  return settings.step.optimizer == OptimizerKind::kSven
             ? SetField(source, name, text, settings.sven)
             : SetField(source, name, text, settings.sgd);
}

// Metadata that other programs write and that are no settings of a step.
bool IsKnownForeign(const std::string& name) {
  return name == "format" || name.starts_with("expect");
}

void ReadMetadata(const data::SafetensorsFile& file, const std::string& source,
                  CaseSettings& settings, std::vector<std::string>& ignored) {
  const auto place = [&](const std::string& name) {
    return fmt::format("{}: metadata '{}'", source, name);
  };
  try {
    // First, since it decides what the others mean.
    const auto optimizer = file.metadata.find("optimizer");
    if (optimizer != file.metadata.end()) {
      SetAny(place("optimizer"), "optimizer", optimizer->second, settings);
    }
    for (const auto& [name, text] : file.metadata) {
      if (!SetAny(place(name), name, text, settings) && !IsKnownForeign(name)) {
        ignored.push_back(name);
      }
    }
  } catch (const UsageError& error) {
    throw DataError(error.what());  // the file is wrong, not the command line
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
  const std::vector<T> values = tensor.Values<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError(fmt::format(
          "{}: tensor '{}' has the value {} in row {}, column {}: expected "
          "finite numbers",
          source, name, values[i], static_cast<Index>(i) / cols,
          static_cast<Index>(i) % cols));
    }
  }
  return ConstMatrixView<T>(values.data(), rows, cols);
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
                          const std::string& source,
                          const std::map<std::string, std::string>& flags,
                          std::vector<std::string>& ignored) {
  CaseSettings settings;
  const auto optimizer = flags.find("optimizer");
  if (optimizer != flags.end()) {
    SetAny("--optimizer", "optimizer", optimizer->second, settings);
  }
  const OptimizerKind forced = settings.step.optimizer;
  ReadMetadata(file, source, settings, ignored);
  if (optimizer != flags.end()) settings.step.optimizer = forced;
  for (const auto& [name, text] : flags) {
    if (!SetAny(FlagName(name), name, text, settings)) {
      throw UsageError(fmt::format("{}: not a setting of the optimizer {}",
                                   FlagName(name),
                                   Name(settings.step.optimizer)));
    }
  }
  if (settings.step.optimizer == OptimizerKind::kSven) {
    settings.sven.Validate();
  } else {
    settings.sgd.Validate();
  }
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
  if (x.shape.size() != 2 || x.shape[1] != inputs || x.shape[0] < 1) {
    ThrowShape(source, "x", x, fmt::format("samples x {} inputs", inputs));
  }
  const Index B = x.shape[0];
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
