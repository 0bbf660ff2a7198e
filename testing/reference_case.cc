// SPDX-License-Identifier: MIT
#include "testing/reference_case.h"

#include <algorithm>

namespace sven::testing {
namespace {

nn::Loss LossOf(const data::SafetensorsFile& file) {
  const auto kind = FromName<nn::Loss::Kind>(file.metadata.at("loss")).value();
  const auto delta = file.metadata.find("huber_delta");
  return {kind, delta == file.metadata.end() ? 1.0 : std::stod(delta->second)};
}

template <class T>
Matrix<T> ReadMatrix(const data::Tensor& tensor) {
  const std::vector<double> values = tensor.Values<double>();
  const Index rows = tensor.shape[0];
  return ConstMatrixView<double>(values.data(), rows, std::ssize(values) / rows)
      .template cast<T>();
}

}  // namespace

template <class T>
ReferenceCase<T>::ReferenceCase(const std::filesystem::path& path)
    : name(path.stem()),
      file(data::ReadSafetensors(path)),
      model(data::ReadModel<T>(
          file, FromName<nn::Activation>(Setting("activation")).value(), name)),
      loss(LossOf(file)) {
  batch.x = ReadMatrix<T>(*file.Find("x"));
  if (loss.UsesLabels()) {
    batch.labels = file.Find("y")->Integers();
  } else {
    batch.y = ReadMatrix<T>(*file.Find("y"));
  }
}

template <class T>
optim::OptimizerChoice ReferenceCase<T>::Optimizer() const {
  const auto named = file.metadata.find("optimizer");
  optim::OptimizerChoice choice = optim::ChooseOptimizer(
      name, named == file.metadata.end() ? "sven" : named->second);
  for (const auto& [field, text] : file.metadata) choice.Set(name, field, text);
  return choice;
}

template <class T>
Vector<double> ReferenceCase<T>::ReadVector(const std::string& tensor) const {
  return ToVector<double>(file.Find(tensor)->Values<double>());
}

template <class T>
Vector<double> ReferenceCase<T>::Parameters() const {
  return ToVector<T>(std::span<const T>(model.net.Parameters()));
}

template <class T>
bool ReferenceCase<T>::Expects(const std::string& what) const {
  const std::string prefix = "expect." + what + ".";
  return std::ranges::any_of(file.tensors, [&](const auto& entry) {
    return entry.first.starts_with(prefix);
  });
}

template <class T>
Vector<double> ReferenceCase<T>::Expected(const std::string& what) const {
  std::vector<double> in_file;
  for (const data::ParameterTensor& tensor : model.tensors) {
    const data::Tensor* expected =
        file.Find("expect." + what + "." + tensor.name);
    const std::vector<double> values = expected->Values<double>();
    in_file.insert(in_file.end(), values.begin(), values.end());
  }
  return ToVector<double>(data::FromFileOrder<T, double>(model, in_file));
}

template struct ReferenceCase<float>;
template struct ReferenceCase<double>;

std::vector<std::filesystem::path> ReferenceCasesIn(
    const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string stem = entry.path().stem();
    if (stem.starts_with(prefix)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace sven::testing
