// SPDX-License-Identifier: MIT
#include "sven/data/optimizer_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "sven/base/error.h"

namespace sven::data {
namespace {

constexpr std::string_view kPrefix = "optimizer.";

std::string TensorName(std::string_view piece) {
  return std::string(kPrefix) + std::string(piece);
}

class Writer : public optim::StateArchive {
 public:
  explicit Writer(SafetensorsFile& file) : file_(file) {}

  void Array(std::string_view name, Index size,
             AlignedVector<float>& values) override {
    Add<float>(name, values, {size});
  }
  void Array(std::string_view name, Index size,
             AlignedVector<double>& values) override {
    Add<double>(name, values, {size});
  }
  void Integer(std::string_view name, std::int64_t /*low*/,
               std::int64_t /*high*/, std::int64_t& value) override {
    Add<std::int64_t>(name, {&value, 1}, {});
  }
  void Number(std::string_view name, double& value) override {
    Add<double>(name, {&value, 1}, {});
  }
  void Stream(std::string_view name, RandomStream& stream) override {
    std::vector<std::int64_t> words;
    for (const std::uint64_t word : stream.State()) {
      words.push_back(std::bit_cast<std::int64_t>(word));
    }
    Add<std::int64_t>(name, words, {std::ssize(words)});
  }

 private:
  template <class V>
  void Add(std::string_view name, std::span<const V> values,
           std::vector<Index> shape) {
    file_.tensors.emplace_back(TensorName(name),
                               Tensor::From<V>(values, std::move(shape)));
  }

  SafetensorsFile& file_;
};

class Reader : public optim::StateArchive {
 public:
  Reader(const SafetensorsFile& file, const std::string& source)
      : file_(file), source_(source) {}

  void Array(std::string_view name, Index size,
             AlignedVector<float>& values) override {
    Read(name, DType::kF32, size, values);
  }
  void Array(std::string_view name, Index size,
             AlignedVector<double>& values) override {
    Read(name, DType::kF64, size, values);
  }
  void Integer(std::string_view name, std::int64_t low, std::int64_t high,
               std::int64_t& value) override {
    const std::int64_t read = Find(name, DType::kI64, {}).Integers()[0];
    if (read < low || read > high) {
      Refuse(name, fmt::format("has the value {}: expected {} to {}", read, low,
                               high));
    }
    value = read;
  }
  void Number(std::string_view name, double& value) override {
    value = Find(name, DType::kF64, {}).Values<double>()[0];
  }
  void Stream(std::string_view name, RandomStream& stream) override {
    constexpr Index kWords{RandomStream::kStateWords};
    const auto words = Find(name, DType::kI64, {kWords}).Integers();
    std::array<std::uint64_t, RandomStream::kStateWords> state{};
    std::ranges::transform(words, state.begin(), [](std::int64_t word) {
      return std::bit_cast<std::uint64_t>(word);
    });
    if (!stream.SetState(state)) {
      Refuse(name, "is not the state of a random stream");
    }
  }

 private:
  [[noreturn]] void Refuse(std::string_view name,
                           const std::string& what) const {
    throw DataError(
        fmt::format("{}: tensor '{}' {}; the state of an optimizer goes with "
                    "the network, the settings and the number type that it "
                    "was saved with",
                    source_, TensorName(name), what));
  }

  const Tensor& Find(std::string_view name, DType dtype,
                     const std::vector<Index>& shape) const {
    const Tensor* tensor = file_.Find(TensorName(name));
    if (tensor == nullptr) Refuse(name, "is missing");
    if (tensor->dtype != dtype || tensor->shape != shape) {
      Refuse(name, fmt::format("is {} [{}]: expected {} [{}]",
                               sven::Name(tensor->dtype),
                               fmt::join(tensor->shape, ", "),
                               sven::Name(dtype), fmt::join(shape, ", ")));
    }
    return *tensor;
  }

  template <class V>
  void Read(std::string_view name, DType dtype, Index size,
            AlignedVector<V>& values) {
    const Tensor& tensor = Find(name, dtype, {size});
    const std::vector<V> read = tensor.Values<V>();
    values.assign(read.begin(), read.end());
  }

  const SafetensorsFile& file_;
  const std::string& source_;
};

}  // namespace

template <class T>
void AppendOptimizerState(optim::Optimizer<T>& optimizer,
                          SafetensorsFile& file) {
  Writer writer(file);
  optimizer.VisitState(writer);
}

template <class T>
void RestoreOptimizerState(const SafetensorsFile& file,
                           const std::string& source, const nn::Mlp<T>& net,
                           optim::Optimizer<T>& optimizer) {
  optimizer.Prepare(net);
  Reader reader(file, source);
  optimizer.VisitState(reader);
}

template void AppendOptimizerState(optim::Optimizer<float>&, SafetensorsFile&);
template void AppendOptimizerState(optim::Optimizer<double>&, SafetensorsFile&);
template void RestoreOptimizerState(const SafetensorsFile&, const std::string&,
                                    const nn::Mlp<float>&,
                                    optim::Optimizer<float>&);
template void RestoreOptimizerState(const SafetensorsFile&, const std::string&,
                                    const nn::Mlp<double>&,
                                    optim::Optimizer<double>&);

}  // namespace sven::data
