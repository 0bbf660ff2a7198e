// SPDX-License-Identifier: MIT
//
// Reference cases in tests/data: a model, a batch, settings, and what another
// program made of them.
#ifndef SVEN_TESTING_REFERENCE_CASE_H_
#define SVEN_TESTING_REFERENCE_CASE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "sven/data/model_file.h"
#include "sven/nn/loss.h"
#include "sven/optim/registry.h"
#include "testing/problems.h"

namespace sven::testing {

template <class T>
struct ReferenceCase {
  explicit ReferenceCase(const std::filesystem::path& path);

  // The metadata `setting`.
  [[nodiscard]] std::string Setting(const std::string& setting) const {
    return file.metadata.at(setting);
  }
  // The optimizer that the metadata describe, settings and all.
  [[nodiscard]] optim::OptimizerChoice Optimizer() const;

  [[nodiscard]] Vector<double> ReadVector(const std::string& tensor) const;
  [[nodiscard]] Vector<double> Parameters() const;
  // expect.<what>.<parameter>, in the order of the network.
  [[nodiscard]] bool Expects(const std::string& what) const;
  [[nodiscard]] Vector<double> Expected(const std::string& what) const;

  std::string name;
  data::SafetensorsFile file;
  data::Model<T> model;
  nn::Loss loss;
  data::Dataset<T> batch;
};

// The files of a folder, sorted, whose names begin so.
std::vector<std::filesystem::path> ReferenceCasesIn(
    const std::filesystem::path& folder, const std::string& prefix = "");

}  // namespace sven::testing

#endif  // SVEN_TESTING_REFERENCE_CASE_H_
