// SPDX-License-Identifier: MIT
#include "sven/data/state_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "sven/base/error.h"

namespace sven::data {
namespace {

std::string TensorName(std::string_view prefix, std::string_view piece) {
  return std::string(prefix) + "." + std::string(piece);
}

class Writer : public optim::StateArchive {
 public:
  Writer(std::string_view prefix, SafetensorsFile& file)
      : prefix_(prefix), file_(file) {}

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
    file_.tensors.emplace_back(TensorName(prefix_, name),
                               Tensor::From<V>(values, std::move(shape)));
  }

  std::string_view prefix_;
  SafetensorsFile& file_;
};

class Reader : public optim::StateArchive {
 public:
  Reader(std::string_view prefix, const SafetensorsFile& file,
         const std::string& source)
      : prefix_(prefix), file_(file), source_(source) {}

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
        fmt::format("{}: tensor '{}' {}; a saved state goes with the network, "
                    "the settings and the number type that it was saved "
                    "with",
                    source_, TensorName(prefix_, name), what));
  }

  const Tensor& Find(std::string_view name, DType dtype,
                     const std::vector<Index>& shape) const {
    const Tensor* tensor = file_.Find(TensorName(prefix_, name));
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

  std::string_view prefix_;
  const SafetensorsFile& file_;
  const std::string& source_;
};

}  // namespace

void AppendState(std::string_view prefix, const StateVisit& visit,
                 SafetensorsFile& file) {
  Writer writer(prefix, file);
  visit(writer);
}

void RestoreState(std::string_view prefix, const StateVisit& visit,
                  const SafetensorsFile& file, const std::string& source) {
  Reader reader(prefix, file, source);
  visit(reader);
}

}  // namespace sven::data
